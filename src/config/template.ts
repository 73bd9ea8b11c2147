import { configComments } from '../texts/en/written.ts';
import { stringify } from 'yaml';
import type { LoadContext } from './config.ts';
import { draftOf } from './draft.ts';
import { EXAMPLE_UID } from './exampleUid.ts';
import { nodeAt, schemaTree } from './schemaTree.ts';
import type { SchemaNode } from './schemaTree.ts';

/** Values for the generated config file. */
export interface DefaultConfigValues {
  readonly baseUrl: string;
  readonly uid: string;
  readonly folder: string;
  /** Location of the JSON Schema for editors: a URL, or a path relative to the config file. Omitted if there is no schema. */
  readonly schema?: string;
  /** Defaults that depend on the machine and the user; examples if omitted. */
  readonly here?: MachineDefaults;
}

/** Defaults that depend on the machine and the user. */
export interface MachineDefaults {
  readonly stateDir: string;
  /** Of `credentials`. */
  readonly credentialsFile: string;
  /** Of `ledger`. */
  readonly agent: string;
  /** Of `alerts.email`. */
  readonly from: string;
}

const SOMEWHERE: MachineDefaults = {
  stateDir: '/var/lib/receiptd',
  credentialsFile: '/var/lib/receiptd/credentials.json',
  agent: 'front-office',
  from: 'receiptd@example.com',
};

/** Default paths for a config file at this location and for the user in `context`. */
export function pathDefaults(
  file: string,
  context: LoadContext,
): Pick<MachineDefaults, 'stateDir' | 'credentialsFile'> {
  const { stateDir, credentialsFile } = draftOf({}, file, context);
  return { stateDir: stateDir.path, credentialsFile };
}

const WIDTH = 100;

/** A complete config file: sets the given values and lists every other key as a comment with its default. */
export function defaultConfigText({
  baseUrl,
  uid,
  folder,
  schema,
  here = SOMEWHERE,
}: DefaultConfigValues): string {
  const tree = schemaTree();
  const about = (path: string[], indent: string): string => comment(at(tree, path).description ?? '', indent);
  const given = (path: string[], indent: string, value: unknown, dash = ''): string =>
    `${about(path, indent)}${indent}${dash}${path.at(-1)}: ${inline(value)}\n`;
  const optional = (path: string[], indent: string): string => {
    const node = at(tree, path);
    const value = defaultOf(node, path, here);
    return `${comment(describe(node), indent)}${indent}#${path.at(-1)}: ${inline(value)}\n`;
  };
  const others = (parent: string[], given: readonly string[], indent: string): string =>
    Object.keys(at(tree, parent).properties ?? {})
      .filter((key) => !given.includes(key))
      .map((key) => optional([...parent, key], indent))
      .join('');
  const [office, scans] = [
    ['endpoints', 'office'],
    ['folders', '0'],
  ];
  const sections: Readonly<Record<string, string>> = {
    service: given(['service', 'baseUrl'], '  ', baseUrl) + others(['service'], ['baseUrl'], '  '),
    endpoints: `  office:\n${given([...office, 'uid'], '    ', uid)}${others(office, ['uid'], '    ')}`,
    folders: [
      given([...scans, 'path'], '  ', folder, '- '),
      given([...scans, 'endpoint'], '    ', 'office'),
      others(scans, ['path', 'endpoint'], '    '),
    ].join(''),
    delivery:
      given(['delivery', 'concurrency'], '  ', defaultOf(at(tree, ['delivery', 'concurrency']))) +
      others(['delivery'], ['concurrency'], '  '),
  };
  return [
    schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`,
    comment(configComments.introduction, ''),
    ...Object.keys(tree.properties ?? {}).map((key) => {
      const content = sections[key];
      return `\n${content === undefined ? optional([key], '') : `${about([key], '')}${key}:\n${content}`}`;
    }),
  ].join('');
}

/** The config file that `receiptd setup` starts from: the given values, and a hint how to list all settings. */
export function shortConfigText({ baseUrl, uid, folder }: DefaultConfigValues): string {
  return [
    `# ${configComments.short}\n`,
    `service:\n  baseUrl: ${inline(baseUrl)}\n`,
    `endpoints:\n  office:\n    uid: ${inline(uid)}\n`,
    `folders:\n  - path: ${inline(folder)}\n    endpoint: office\n`,
  ].join('');
}

/** Values of the example file in this repository. */
export const SHIPPED_VALUES: DefaultConfigValues = {
  baseUrl: 'https://receipts.example.com',
  uid: EXAMPLE_UID,
  folder: '/srv/scans',
  schema: './receiptd.schema.json',
};

function at(tree: SchemaNode, path: readonly string[]): SchemaNode {
  const node = nodeAt(
    tree,
    path.map((key) => (/^\d+$/.test(key) ? Number(key) : key)),
  );
  if (node === undefined) throw new Error(`The schema has no ${path.join('.')}.`);
  return node;
}

/** Description of a key; for a section written on one line, also of the keys in it. */
function describe(node: SchemaNode): string {
  const parts = Object.entries(node.properties ?? {}).map(
    ([key, inner]) => `${key}: ${inner.description ?? ''}`,
  );
  return [node.description ?? '', ...parts].join('\n');
}

/** The schema's default; where it has none, one that depends on the machine or on other settings. */
function defaultOf(node: SchemaNode, path: readonly string[] = [], here = SOMEWHERE): unknown {
  if (node.properties !== undefined)
    return Object.fromEntries(
      Object.entries(node.properties).map(([key, inner]) => [key, defaultOf(inner, [...path, key], here)]),
    );
  if (node.default !== undefined) return node.default;
  const left: Readonly<Record<string, string | number>> = {
    'credentials.file': here.credentialsFile,
    'endpoints.office.concurrency': 4,
    'folders.0.archiveTo': 'archive',
    'folders.0.silentAfter': 'auto',
    'ledger.agent': here.agent,
    stateDir: here.stateDir,
    'alerts.email.from': here.from,
  };
  return left[path.join('.')];
}

function comment(text: string, indent: string): string {
  return text
    .split('\n')
    .flatMap((line) => wrap(line, WIDTH - indent.length - 2))
    .map((line) => `${indent}# ${line}\n`)
    .join('');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function inline(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', singleQuote: true, lineWidth: 0 }).trim();
}
