import { stringify } from 'yaml';
import type { LoadContext } from './config.ts';
import { draftOf } from './draft.ts';
import { EXAMPLE_UID } from './exampleUid.ts';
import { nodeAt, schemaTree } from './schemaTree.ts';
import type { SchemaNode } from './schemaTree.ts';

/** What `receiptd init` asks for. */
export interface DefaultConfigValues {
  readonly baseUrl: string;
  readonly uid: string;
  readonly folder: string;
  /** Where editors find the schema, relative to the config file or a URL; left out where it is not there. */
  readonly schema?: string;
  /** What depends on the machine and the user; an example of it if left out. */
  readonly here?: MachineDefaults;
}

/** What is taken where the config file says nothing. */
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

/** Of a config file at this place, for the user of the context. */
export function pathDefaults(
  file: string,
  context: LoadContext,
): Pick<MachineDefaults, 'stateDir' | 'credentialsFile'> {
  const { stateDir, credentialsFile } = draftOf({}, file, context);
  return { stateDir: stateDir.path, credentialsFile };
}

const WIDTH = 100;

const INTRODUCTION =
  'Configuration of receiptd. A line that starts with # and no space is a setting with its default: remove ' +
  'the # to change it. `receiptd check` says whether all is well. Every key is described in docs/configuration.md.';

/** A complete config file: the three values are set, every other key is there as a comment, with its default. */
export function defaultConfigText({
  baseUrl,
  uid,
  folder,
  schema,
  here = SOMEWHERE,
}: DefaultConfigValues): string {
  const tree = schemaTree();
  const about = (path: string[], indent: string): string => comment(at(tree, path).description ?? '', indent);
  const optional = (path: string[], indent: string, example?: unknown): string => {
    const node = at(tree, path);
    return `${comment(describe(node), indent)}${indent}#${path.at(-1)}: ${inline(example ?? defaultOf(node))}\n`;
  };
  const options = (parent: string[], keys: string[], indent: string): string =>
    keys.map((key) => optional([...parent, key], indent)).join('');
  const office = ['endpoints', 'office'];
  const limits = ['rate', 'perDay', 'perMonth'];
  return [
    schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`,
    comment(INTRODUCTION, ''),
    `\n${about(['service'], '')}service:\n`,
    `${about(['service', 'baseUrl'], '  ')}  baseUrl: ${inline(baseUrl)}\n`,
    options(
      ['service'],
      ['allowInsecureHttp', 'uploadContentType', 'proxy', 'ca', 'answerLimit', 'timeouts'],
      '  ',
    ),
    `\n${optional(['credentials'], '', { store: 'auto', file: here.credentialsFile })}`,
    `\n${optional(['accounts'], '', {})}`,
    `\n${about(['endpoints'], '')}endpoints:\n  office:\n`,
    `${about([...office, 'uid'], '    ')}    uid: ${inline(uid)}\n`,
    optional([...office, 'account'], '    '),
    optional([...office, 'concurrency'], '    ', 4),
    options(office, limits, '    '),
    `\n${about(['folders'], '')}folders:\n`,
    `${about(['folders', '0', 'path'], '  ')}  - path: ${inline(folder)}\n`,
    `${about(['folders', '0', 'endpoint'], '    ')}    endpoint: office\n`,
    ...Object.keys(at(tree, ['folders', '0']).properties ?? {})
      .filter((key) => key !== 'path' && key !== 'endpoint')
      .map((key) => optional(['folders', '0', key], '    ', FOLDER_DEFAULTS[key])),
    `\n${about(['delivery'], '')}delivery:\n`,
    `${about(['delivery', 'concurrency'], '  ')}  concurrency: ${inline(defaultOf(at(tree, ['delivery', 'concurrency'])))}\n`,
    options(['delivery'], [...limits, 'spread', 'bandwidth', 'hours', 'grace', 'parkAfter'], '  '),
    `\n${optional(['intake'], '')}`,
    `\n${optional(['spool'], '')}`,
    `\n${optional(['storage'], '')}`,
    `\n${optional(['ledger'], '', { ...LEDGER, agent: here.agent })}`,
    `\n${optional(['stateDir'], '', here.stateDir)}`,
    `\n${optional(['console'], '')}`,
    `\n${optional(['monitoring'], '')}`,
    `\n${optional(['alerts'], '', { ...ALERTS, email: { ...ALERTS.email, from: here.from } })}`,
    `\n${optional(['results'], '')}`,
    `\n${optional(['control'], '')}`,
    `\n${optional(['log'], '')}`,
  ].join('');
}

/** What `receiptd setup` begins with: what is set, and where the rest is told. */
export function shortConfigText({ baseUrl, uid, folder }: DefaultConfigValues): string {
  return [
    '# Written by `receiptd setup`; run it again to change this. All settings: `receiptd init --config example.yaml`.\n',
    `service:\n  baseUrl: ${inline(baseUrl)}\n`,
    `endpoints:\n  office:\n    uid: ${inline(uid)}\n`,
    `folders:\n  - path: ${inline(folder)}\n    endpoint: office\n`,
  ].join('');
}

/** The file in this repository. */
export const SHIPPED_VALUES: DefaultConfigValues = {
  baseUrl: 'https://receipts.example.com',
  uid: EXAMPLE_UID,
  folder: '/srv/scans',
  schema: './receiptd.schema.json',
};

/** Of what the schema leaves open, since it depends on other settings. */
const FOLDER_DEFAULTS: Readonly<Record<string, string>> = { archiveTo: 'archive', silentAfter: 'auto' };

/** As by default. The name depends on the machine. */
const LEDGER = {
  kind: 'sqlite',
  url: 'none',
  passwordFile: 'none',
  ca: 'none',
  allowInsecure: false,
  agent: '',
  lease: '15s',
};

/** As by default. The sender depends on the machine. */
const ALERTS = {
  after: '2m',
  quietHours: 'none',
  digest: 'off',
  silentAfter: 'auto',
  desktop: false,
  command: 'none',
  webhook: { url: 'none', secretFile: 'none' },
  email: { server: 'none', user: 'none', passwordFile: 'none', from: '', to: [] },
};

function at(tree: SchemaNode, path: readonly string[]): SchemaNode {
  const node = nodeAt(
    tree,
    path.map((key) => (/^\d+$/.test(key) ? Number(key) : key)),
  );
  if (node === undefined) throw new Error(`The schema has no ${path.join('.')}.`);
  return node;
}

/** A section on one line is explained with the keys in it. */
function describe(node: SchemaNode): string {
  const parts = Object.entries(node.properties ?? {}).map(
    ([key, inner]) => `${key}: ${inner.description ?? ''}`,
  );
  return [node.description ?? '', ...parts].join('\n');
}

function defaultOf(node: SchemaNode): unknown {
  if (node.properties === undefined) return node.default;
  return Object.fromEntries(Object.entries(node.properties).map(([key, inner]) => [key, defaultOf(inner)]));
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
