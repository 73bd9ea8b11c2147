import type { z } from 'zod';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { SettingsCode } from '../core/domain/invalidSettings.ts';
import { nearest } from '../core/domain/nearest.ts';
import { nodeAt, schemaTree } from './schemaTree.ts';
import type { SchemaNode } from './schemaTree.ts';
import { isSecret, secretPaths } from './secrets.ts';
import { SETTINGS } from './settings.ts';
import { foundAt, showPath } from './show.ts';
import type { Expected, Flaw } from '../texts/en/settingFlaws.ts';
import { expectedIn } from './values.ts';
import type { YamlSource } from './yamlSource.ts';

/** A problem at a key of the config file. */
export interface ConfigProblem {
  readonly code: SettingsCode;
  readonly path: readonly PropertyKey[];
  readonly flaw: Flaw;
}

/** Reports secrets in the file, without their values. */
export function secretProblems(data: unknown): ConfigProblem[] {
  return secretPaths(data).map((path) => invalid(path, { is: 'secret' }));
}

/** Describes schema violations: suggests a name for unknown keys, and says what was expected for wrong values. */
export function shapeProblems(issues: readonly z.core.$ZodIssue[], data: unknown): ConfigProblem[] {
  const tree = schemaTree();
  const problems = issues
    .flatMap((issue) => fromIssue(issue, data, tree))
    .filter(({ path }) => !path.some((_, index) => isSecretAt(path.slice(0, index + 1), data)));
  // Report a value that breaks two rules only once.
  return problems.filter(
    ({ path }, index) => problems.findIndex((other) => showPath(other.path) === showPath(path)) === index,
  );
}

function isSecretAt(path: readonly PropertyKey[], data: unknown): boolean {
  const key = path.at(-1);
  return typeof key === 'string' && isSecret(key, valueAt(data, path));
}

function fromIssue(issue: z.core.$ZodIssue, data: unknown, tree: SchemaNode): ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(nodeAt(tree, issue.path)?.properties ?? {});
    return issue.keys.map((key) =>
      invalid([...issue.path, key], { is: 'unknownKey', meant: nearest(key, known) ?? settingNamed(key) }),
    );
  }
  const wrong = (flaw: Flaw) => [invalid(issue.path, flaw)];
  const value = valueAt(data, issue.path);
  const expected = expectedBy(issue, nodeAt(tree, issue.path));
  if (issue.code === 'invalid_key') return wrong({ is: 'expected', expected, found: null, meant: null });
  if (value === undefined) return wrong({ is: 'missing', expected });
  const found = foundAt(value);
  const isSection = issue.code === 'custom' && found.is === 'mapping';
  const isHidden = isSection || mayBeSecret(issue.path, value);
  const isWord = issue.code === 'invalid_value' && typeof value === 'string';
  const meant = isWord ? (nearest(value, issue.values.map(String)) ?? null) : null;
  return wrong({ is: 'expected', expected, found: isHidden ? null : found, meant });
}

/** The setting with this name in another section. */
function settingNamed(key: string): string | null {
  const named = SETTINGS.filter(({ path }) => path.at(-1)?.toLowerCase() === key.toLowerCase());
  return (named.find(({ path }) => !path.includes('*') && !path.includes('[]')) ?? named[0])?.key ?? null;
}

export function invalid(path: readonly PropertyKey[], flaw: Flaw): ConfigProblem {
  return { code: 'CONFIG_INVALID', path, flaw };
}

function expectedBy(issue: z.core.$ZodIssue, node: SchemaNode | undefined): Expected {
  if (issue.code === 'invalid_value') return { is: 'oneOf', values: issue.values.map(String) };
  if (issue.code === 'invalid_key') return expectedIn(issue.issues);
  if (issue.code !== 'invalid_type') return expectedIn([issue]);
  if (issue.expected === 'array') return { is: 'list' };
  if (issue.expected === 'boolean') return { is: 'trueOrFalse' };
  if (issue.expected !== 'object' && issue.expected !== 'record') return expectedIn([issue]);
  return { is: 'mapping', keys: Object.keys(node?.properties ?? {}).slice(0, 3) };
}

/** Whether people may have put a secret here, although no key takes one. */
function mayBeSecret(path: readonly PropertyKey[], value: unknown): boolean {
  // User and password in an address, under any key.
  const isAddress = typeof value === 'string' && value.includes('@') && /:|\/\//.test(value);
  return path[0] === 'credentials' || isAddress || (path[0] === 'service' && String(value).includes('@'));
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** Combines all problems into one error, in file order. Uses their code if they share one, else CONFIG_INVALID. */
export function problemsError(
  problems: readonly ConfigProblem[],
  source: YamlSource,
  file: string,
): ReceiptdError {
  const placed = problems
    .map(({ path, flaw }) => ({ key: showPath(path), ...source.position(path), flaw }))
    .sort((a, b) => a.line - b.line || a.col - b.col);
  const codes = new Set(problems.map(({ code }) => code));
  const [only] = codes;
  const code = codes.size === 1 && only !== undefined ? only : 'CONFIG_INVALID';
  return new ReceiptdError(`${code}.settings`, { file, problems: placed });
}
