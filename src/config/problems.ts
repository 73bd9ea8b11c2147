import type { z } from 'zod';
import type { ErrorCode, ReceiptdError } from '../core/domain/errors.ts';
import { InvalidKeys } from '../core/domain/invalidKeys.ts';
import { nearest } from '../core/domain/nearest.ts';
import { nodeAt, schemaTree } from './schemaTree.ts';
import type { SchemaNode } from './schemaTree.ts';
import { isSecret, secretPaths } from './secrets.ts';
import { showPath, showValue } from './show.ts';
import type { YamlSource } from './yamlSource.ts';

/** A problem at a key of the config file. */
export interface Problem {
  readonly code: ErrorCode;
  readonly path: readonly PropertyKey[];
  /** Without the path and without a full stop. */
  readonly text: string;
}

/** Reports secrets in the file, without their values. */
export function secretProblems(data: unknown): Problem[] {
  return secretPaths(data).map((path) => ({
    code: 'CONFIG_INVALID',
    path,
    text: 'credentials must not be in this file; remove the line and store them with `receiptd login`',
  }));
}

/** Describes schema violations: suggests a name for unknown keys, and says what was expected for wrong values. */
export function shapeProblems(issues: readonly z.core.$ZodIssue[], data: unknown): Problem[] {
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

function fromIssue(issue: z.core.$ZodIssue, data: unknown, tree: SchemaNode): Problem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(nodeAt(tree, issue.path)?.properties ?? {});
    return issue.keys.map((key) =>
      invalid(
        [...issue.path, key],
        `unknown key${didYouMean(key, known) || '; docs/configuration.md lists the keys'}`,
      ),
    );
  }
  const value = valueAt(data, issue.path);
  if (issue.code === 'invalid_key') {
    return [invalid(issue.path, `expected ${issue.issues[0]?.message ?? 'another name'}`)];
  }
  if (value === undefined) {
    return [invalid(issue.path, `is missing; expected ${expected(issue, nodeAt(tree, issue.path))}`)];
  }
  const isSection = issue.code === 'custom' && showValue(value) === 'a mapping';
  const found = isSection || mayBeSecret(issue.path, value) ? '' : `, found ${showValue(value)}`;
  return [
    invalid(
      issue.path,
      `expected ${expected(issue, nodeAt(tree, issue.path))}${found}${advice(issue, value)}`,
    ),
  ];
}

export function invalid(path: readonly PropertyKey[], text: string): Problem {
  return { code: 'CONFIG_INVALID', path, text };
}

function expected(issue: z.core.$ZodIssue, node: SchemaNode | undefined): string {
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`;
  if (issue.code !== 'invalid_type') return issue.message;
  if (issue.expected === 'array') return 'a list';
  if (issue.expected === 'boolean') return 'true or false';
  if (issue.expected !== 'object' && issue.expected !== 'record') return issue.message;
  const keys = Object.keys(node?.properties ?? {});
  return keys.length === 0 ? 'a mapping' : `a mapping with keys such as ${keys.slice(0, 3).join(', ')}`;
}

function advice(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_value' && typeof value === 'string') {
    return didYouMean(value, issue.values.map(String));
  }
  return '';
}

export function didYouMean(written: string, candidates: readonly string[]): string {
  const meant = nearest(written, candidates);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
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

/** Combines all problems into one error: one line each, in file order. Uses their code if they share one, else CONFIG_INVALID. */
export function problemsError(problems: readonly Problem[], source: YamlSource, file: string): ReceiptdError {
  const lines = problems
    .map((problem) => ({ problem, at: source.position(problem.path) }))
    .sort((a, b) => a.at.line - b.at.line || a.at.col - b.at.col)
    .map(({ problem: { path, text }, at }) => {
      const where = path.length === 0 ? '' : `${showPath(path)}: `;
      return `${file}:${at.line}:${at.col}: ${where}${text}`;
    });
  const codes = new Set(problems.map(({ code }) => code));
  const [only] = codes;
  const code = codes.size === 1 && only !== undefined ? only : 'CONFIG_INVALID';
  const keys = problems.map(({ path }) => showPath(path)).filter((key) => key !== '');
  return new InvalidKeys(code, lines.join('\n'), keys);
}
