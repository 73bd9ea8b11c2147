import { isDeepStrictEqual } from 'node:util';
import { ReceiptdError } from '../core/domain/errors.ts';
import { showPath } from './show.ts';
import type { ConfigChange, ConfigKey, ConfigJson } from './change.ts';
import { rewriteYaml } from './rewriteYaml.ts';
import { readYaml } from './yamlSource.ts';

/**
 * Applies edits to a YAML text, in order. Comments, order, quotes and line breaks stay; sections that are not edited keep
 * their bytes. Does not validate the resulting configuration: `parseConfig` does.
 * @throws ReceiptdError CONFIG_SYNTAX if the text is not YAML, CONFIG_INVALID if a path does not exist or if the file's
 * notation would make an edit change more than requested
 */
export function applyEdits(text: string, edits: readonly ConfigChange[], file: string): string {
  const mark = text.startsWith(MARK) ? MARK : '';
  let now = text.slice(mark.length);
  let data = readYaml(now, file).data as ConfigJson;
  for (const edit of edits) {
    const wanted = editData(data, edit);
    for (const step of stepsOf(data, edit)) {
      const text = rewritten(now, step);
      data = checkedData(text, editData(data, step), step.path, file);
      now = text;
    }
    if (!isDeepStrictEqual(data, wanted)) throw tangled(edit.path, now);
    data = wanted;
  }
  return mark + now;
}

/** Byte order mark. */
const MARK = '\uFEFF';

/** Applies an edit to plain data. @throws ReceiptdError CONFIG_INVALID if the path does not exist */
export function editData(data: ConfigJson, edit: ConfigChange): ConfigJson {
  const copy = structuredClone(data);
  const [key, ...rest] = edit.path;
  if (key === undefined) throw nowhere(edit.path);
  return changed(copy, key, rest, edit);
}

function changed(
  data: ConfigJson,
  key: ConfigKey,
  rest: readonly ConfigKey[],
  edit: ConfigChange,
): ConfigJson {
  if (key === '__proto__') throw nowhere(edit.path);
  const [next, ...others] = rest;
  if (Array.isArray(data)) {
    const list: ConfigJson[] = [...(data as readonly ConfigJson[])];
    const index = Number(key);
    if (!Number.isInteger(index) || index < 0 || index >= list.length) throw nowhere(edit.path);
    if (next !== undefined) list[index] = changed(list[index] ?? null, next, others, edit);
    else if (edit.kind === 'remove') list.splice(index, 1);
    else list[index] = edit.kind === 'set' ? edit.value : appended(list[index], edit);
    return list;
  }
  if (data !== null && typeof data !== 'object') throw nowhere(edit.path);
  // Setting a key creates missing mappings; removing from a missing one is an error.
  if (data === null && edit.kind === 'remove') throw nowhere(edit.path);
  const map: Record<string, ConfigJson> = { ...(data as Record<string, ConfigJson> | null) };
  const name = String(key);
  if (next !== undefined) {
    map[name] = changed(Object.hasOwn(map, name) ? (map[name] ?? null) : null, next, others, edit);
  } else if (edit.kind === 'remove') {
    if (!Object.hasOwn(map, name)) throw nowhere(edit.path);
    delete map[name];
  } else map[name] = edit.kind === 'set' ? edit.value : appended(map[name], edit);
  return map;
}

function appended(
  list: ConfigJson | undefined,
  edit: Extract<ConfigChange, { value: ConfigJson }>,
): ConfigJson {
  if (list === undefined || list === null) return [edit.value];
  if (!Array.isArray(list)) throw nowhere(edit.path);
  return [...(list as readonly ConfigJson[]), edit.value];
}

/** Breaks an edit down into the smallest changes with the same result, so that comments inside a replaced value survive. */
function stepsOf(data: ConfigJson, edit: ConfigChange): ConfigChange[] {
  if (edit.kind === 'remove') return [edit];
  const there = at(data, edit.path);
  if (edit.kind === 'append') {
    if (Array.isArray(there)) return [edit];
    return stepsOf(data, { kind: 'set', path: edit.path, value: [edit.value] });
  }
  if (there !== undefined) return difference(edit.path, there, edit.value);
  // Everything below the first missing key is set in one step.
  let depth = edit.path.length;
  let value = edit.value;
  while (depth > 1 && !isCollection(at(data, edit.path.slice(0, depth - 1)) ?? null)) {
    depth -= 1;
    value = { [String(edit.path[depth])]: value };
  }
  return [{ kind: 'set', path: edit.path.slice(0, depth), value }];
}

function difference(path: readonly ConfigKey[], from: ConfigJson, to: ConfigJson): ConfigChange[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to) && from.length > 0 && to.length > 0)
    return listDifference(path, from as readonly ConfigJson[], to as readonly ConfigJson[]);
  if (!isMapping(from) || !isMapping(to) || Object.keys(from).length === 0 || Object.keys(to).length === 0)
    return [{ kind: 'set', path, value: to }];
  const gone = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const kept = Object.entries(to).flatMap(([key, value]) => {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    const here = [...path, key];
    return before === undefined
      ? [{ kind: 'set' as const, path: here, value }]
      : difference(here, before, value);
  });
  return [...kept, ...gone.map((key) => ({ kind: 'remove' as const, path: [...path, key] }))];
}

function listDifference(
  path: readonly ConfigKey[],
  from: readonly ConfigJson[],
  to: readonly ConfigJson[],
): ConfigChange[] {
  const common = Math.min(from.length, to.length);
  let head = 0;
  while (head < common && isDeepStrictEqual(from[head], to[head])) head += 1;
  let tail = 0;
  while (tail < common - head && isDeepStrictEqual(from.at(-1 - tail), to.at(-1 - tail))) tail += 1;
  if (to.length > from.length) tail = 0;
  const changes = to.slice(head, to.length - tail).flatMap((value, index): ConfigChange[] => {
    const before = from[head + index];
    if (before === undefined) return [{ kind: 'append', path, value }];
    return difference([...path, head + index], before, value);
  });
  const cuts: ConfigChange[] = [];
  for (let index = from.length - tail - 1; index >= to.length - tail; index -= 1)
    cuts.push({ kind: 'remove', path: [...path, index] });
  return [...changes, ...cuts];
}

function isCollection(
  value: ConfigJson,
): value is readonly ConfigJson[] | { readonly [key: string]: ConfigJson } {
  return typeof value === 'object' && value !== null;
}

function isMapping(value: ConfigJson): value is { readonly [key: string]: ConfigJson } {
  return isCollection(value) && !Array.isArray(value);
}

function at(data: ConfigJson, path: readonly ConfigKey[]): ConfigJson | undefined {
  let value: ConfigJson | undefined = data;
  for (const key of path) {
    if (value === undefined || !isCollection(value) || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<ConfigKey, ConfigJson>)[key];
  }
  return value;
}

function rewritten(text: string, change: ConfigChange): string {
  try {
    return rewriteYaml(text, change);
  } catch {
    throw tangled(change.path, text);
  }
}

/** Parses the edited text and verifies that nothing but the wanted change happened. */
function checkedData(text: string, wanted: ConfigJson, path: readonly ConfigKey[], file: string): ConfigJson {
  let data: unknown;
  try {
    data = readYaml(text, file).data;
  } catch (error) {
    if (error instanceof ReceiptdError) throw tangled(path, text);
    throw error;
  }
  if (!isDeepStrictEqual(data, wanted)) throw tangled(path, text);
  return wanted;
}

function nowhere(path: readonly ConfigKey[]): ReceiptdError {
  return new ReceiptdError('CONFIG_INVALID.notInFile', { setting: showPath(path) });
}

function tangled(path: readonly ConfigKey[], text: string): ReceiptdError {
  return new ReceiptdError('CONFIG_INVALID.tangled', {
    setting: showPath(path),
    isShared: /[&*][^\s,[\]{}]/.test(text),
  });
}
