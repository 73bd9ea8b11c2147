import type { ConfigState, SettingAnswer } from '../../../control/protocol/settings.ts';
import { isObject, objectAt, valueAt, withValue, type EditedJson, type EditedObject } from './edits.ts';

/** A setting in a form. Its value is always text, empty for the default. */
export interface Field extends SettingAnswer {
  /** Its key relative to the folder, endpoint or section that the form is about. */
  readonly id: string;
}

/** The fields of a form, by the group that shows them. */
export type FieldGroups = Readonly<Record<string, readonly Field[]>>;

export const allOf = (groups: FieldGroups): Field[] => Object.values(groups).flat();

/** The form of a page. @param below where the keys of its settings begin, such as `folders[].` */
export function fieldsOf(config: ConfigState, page: string, below = ''): FieldGroups {
  const groups: Record<string, Field[]> = {};
  for (const setting of config.settings) {
    if (setting.page !== page || setting.group === null) continue;
    const field = { ...withNames(setting, config), id: setting.key.slice(below.length) };
    (groups[setting.group] ??= []).push(field);
  }
  return groups;
}

/** Offers the accounts or endpoints of the file. With a single endpoint it is the default; with several, the person has to choose. */
function withNames(setting: SettingAnswer, { values }: ConfigState): SettingAnswer {
  if (setting.among === null) return setting;
  const names = Object.keys(objectAt(values, [setting.among]) ?? {});
  if (setting.among === 'accounts') return { ...setting, options: ['none', ...names] };
  const [only = '', ...others] = names;
  return others.length === 0
    ? { ...setting, required: true, options: names, initial: only }
    : { ...setting, required: true, options: ['', ...names], initial: '' };
}

/** Text of the value in the file; otherwise of the default, if the control must show a value. */
export function textOf(field: Field, values: EditedObject): string {
  const value = valueAt(values, field.id.split('.'));
  if (value === undefined || value === null) return shownDefault(field);
  if (field.kind === 'pairs' && isObject(value))
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${plain(each)}`)
      .join('\n');
  if (!Array.isArray(value)) return plain(value);
  return value.map(plain).join(field.kind === 'checks' ? ' ' : '\n');
}

/** Shows values that don't fit the form as JSON. */
export const plain = (value: EditedJson | undefined): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Fields with a default that can be typed show it as a placeholder. */
function shownDefault({ kind, initial }: Field): string {
  return ['yes', 'choice', 'since', 'checks'].includes(kind) ? (initial ?? '') : '';
}

function valueOf(field: Field, text: string): EditedJson | undefined {
  const trimmed = text.trim();
  // Written with the unit that the form shows.
  if (field.unit !== null && /^\d+$/.test(trimmed)) return `${trimmed}/${field.unit}`;
  switch (field.kind) {
    case 'yes':
      return trimmed === 'true';
    case 'lines': {
      const lines = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      if (lines.length === 0) return undefined;
      return lines.length === 1 && lines[0] === field.word ? field.word : lines;
    }
    case 'pairs': {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      const pairs = lines.map((line) => /^([^:]*):?(.*)$/s.exec(line) ?? []);
      const entries = pairs.map(([, name = '', value = '']) => [name.trim(), value.trim()] as const);
      return entries.length === 0 ? undefined : Object.fromEntries(entries);
    }
    case 'checks':
      return trimmed.split(/\s+/).filter((each) => each !== '');
    case 'number':
      if (/^\d+$/.test(trimmed)) return Number(trimmed);
      return trimmed === '' ? undefined : trimmed;
    case 'choice':
    case 'since':
    case 'text':
      return trimmed === '' ? undefined : trimmed;
  }
}

/** New content with everything typed applied; untouched fields stay unchanged. */
export function applied(fields: readonly Field[], before: EditedObject, typed: Typed): EditedObject {
  let next = before;
  for (const field of fields) {
    const text = typed[field.id];
    if (text === undefined || text === textOf(field, before)) continue;
    next = withValue(next, field.id.split('.'), valueOf(field, text));
  }
  return next;
}

export type Typed = Readonly<Partial<Record<string, string>>>;
