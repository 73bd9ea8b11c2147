import type { ConfigEdit } from '../../../control/protocol/settings.ts';

export type EditedJson =
  string | number | boolean | null | readonly EditedJson[] | { readonly [key: string]: EditedJson };
export type EditedObject = { readonly [key: string]: EditedJson };
export type SettingPath = readonly (string | number)[];

export function isObject(value: unknown): value is EditedObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(value: EditedJson | undefined, path: SettingPath): EditedJson | undefined {
  let found = value;
  for (const key of path) {
    if (Array.isArray(found) && typeof key === 'number') found = (found as readonly EditedJson[])[key];
    else if (isObject(found) && Object.hasOwn(found, key)) found = found[String(key)];
    else return undefined;
  }
  return found;
}

/** The object at this path; null if there is none. */
export function objectAt(value: EditedJson | undefined, path: SettingPath): EditedObject | null {
  const found = valueAt(value, path);
  return isObject(found) ? found : null;
}

/** A copy with `path` set to the value; undefined removes the key. */
export function withValue(
  object: EditedObject,
  [key, ...rest]: readonly string[],
  value: EditedJson | undefined,
): EditedObject {
  if (key === undefined) return object;
  const copy: Record<string, EditedJson> = { ...object };
  const below = copy[key];
  const next = rest.length === 0 ? value : withValue(isObject(below) ? below : {}, rest, value);
  const isEmpty = next === undefined || (rest.length > 0 && isObject(next) && Object.keys(next).length === 0);
  if (isEmpty) delete copy[key];
  else copy[key] = next;
  return copy;
}

/** Minimal edits from `before` to `next`, so that untouched parts of the file keep their comments. */
export function editsBetween(
  before: EditedJson | undefined,
  next: EditedJson | undefined,
  path: SettingPath,
): ConfigEdit[] {
  if (next === undefined) return before === undefined ? [] : [{ kind: 'remove', path: [...path] }];
  if (isObject(before) && isObject(next)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(next)]);
    return [...keys].flatMap((key) => editsBetween(before[key], next[key], [...path, key]));
  }
  if (JSON.stringify(before) === JSON.stringify(next)) return [];
  return [{ kind: 'set', path: [...path], value: next as ConfigValue }];
}

type ConfigValue = Extract<ConfigEdit, { kind: 'set' }>['value'];

export function appendTo(list: EditedJson | undefined, path: SettingPath, value: EditedObject): ConfigEdit {
  const item = value as ConfigValue;
  return Array.isArray(list)
    ? { kind: 'append', path: [...path], value: item }
    : { kind: 'set', path: [...path], value: [item] as ConfigValue };
}
