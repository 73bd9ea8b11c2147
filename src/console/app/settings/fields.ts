import type { Texts } from '../languages/en.ts';
import { isObject, valueAt, withValue, type Json, type JsonObject } from './edits.ts';

/** One key of the config file in a form. Its value is always text, empty for the default. */
export interface Field {
  readonly id: FieldId;
  /** In the file, relative to the folder, endpoint or section; the id if left out. */
  readonly key?: string;
  readonly kind: 'text' | 'number' | 'yes' | 'choice' | 'lines' | 'checks' | 'pairs';
  readonly options?: readonly string[];
  /** The default if the file does not have the key. */
  readonly initial?: string;
  readonly required?: boolean;
  /** For lines: a single word allowed instead of a list. */
  readonly word?: 'always' | 'none' | 'accepted';
}

export const keyOf = ({ id, key = id }: Field): string => key;

export type FieldId = keyof Texts['fields'];

/** The fields of a form, by the group that shows them. */
export type FieldGroups = Readonly<
  Partial<Record<keyof Texts['form']['groups'] | keyof Texts['settings']['groups'], readonly Field[]>>
>;

export const allOf = (groups: FieldGroups): Field[] => Object.values(groups).flat();

export const TYPES = ['jpeg', 'png', 'tiff', 'webp', 'gif', 'bmp', 'heic', 'pdf'];
const ACCEPTED = TYPES.filter((type) => type !== 'pdf').join(' ');

/** Text of the value in the file; otherwise of the default, if the control must show a value. */
export function textOf(field: Field, values: JsonObject): string {
  const value = valueAt(values, keyOf(field).split('.'));
  if (value === undefined || value === null) return shownDefault(field);
  if (field.kind === 'pairs' && isObject(value))
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${plain(each)}`)
      .join('\n');
  if (!Array.isArray(value)) return plain(value);
  return value.map(plain).join(field.kind === 'checks' ? ' ' : '\n');
}

/** Shows values that don't fit the form as JSON. */
export const plain = (value: Json | undefined): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Fields with a default that can be typed show it as a placeholder. */
function shownDefault({ kind, initial = '' }: Field): string {
  return kind === 'yes' || kind === 'choice' || kind === 'checks' ? initial : '';
}

function valueOf(field: Field, text: string): Json | undefined {
  const trimmed = text.trim();
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
    case 'text':
      return trimmed === '' ? undefined : trimmed;
  }
}

/** New content with everything typed applied; untouched fields stay unchanged. */
export function applied(fields: readonly Field[], before: JsonObject, typed: Typed): JsonObject {
  let next = before;
  for (const field of fields) {
    const text = typed[field.id];
    if (text === undefined || text === textOf(field, before)) continue;
    next = withValue(next, keyOf(field).split('.'), valueOf(field, text));
  }
  return next;
}

export type Typed = Partial<Record<FieldId, string>>;

export function folderFields(endpoints: readonly string[]): FieldGroups {
  return {
    folder: [
      { id: 'path', kind: 'text', required: true },
      endpointField(endpoints),
      { id: 'recursive', kind: 'yes', initial: 'false' },
      { id: 'watch', kind: 'choice', options: ['auto', 'poll'], initial: 'auto' },
      { id: 'share', kind: 'text', initial: 'none' },
    ],
    files: [
      { id: 'name', kind: 'text', initial: '{stem}-{hash:12}' },
      { id: 'nameMaxBytes', kind: 'number', initial: '300' },
      { id: 'existing', kind: 'text', initial: 'send' },
      { id: 'accept', kind: 'checks', options: TYPES, initial: ACCEPTED },
      { id: 'maxFileSize', kind: 'text', initial: '50MB' },
      { id: 'include', kind: 'lines', initial: '**/*' },
      { id: 'ignore', kind: 'lines' },
      { id: 'builtInIgnores', kind: 'yes', initial: 'true' },
    ],
    images: [
      { id: 'pages', kind: 'choice', options: ['split', 'whole'], initial: 'split' },
      { id: 'pageResolution', kind: 'number', initial: '200' },
      { id: 'qualityCheck', kind: 'choice', options: ['off', 'warn', 'hold'], initial: 'off' },
      { id: 'upright', kind: 'yes', initial: 'false' },
    ],
    after: [
      { id: 'afterUpload', kind: 'choice', options: ['keep', 'archive', 'delete'], initial: 'keep' },
      { id: 'archiveTo', kind: 'text', initial: 'archive' },
      { id: 'afterUploadOn', kind: 'lines', initial: 'accepted', word: 'accepted' },
      { id: 'afterUploadExisting', kind: 'choice', options: ['auto', 'leave', 'include'], initial: 'auto' },
    ],
    people: [
      { id: 'needsAttention', kind: 'text', initial: 'none' },
      { id: 'silentAfter', kind: 'text', initial: 'auto' },
    ],
    settle: [
      { id: 'settleShort', key: 'settle.short', kind: 'text', initial: '200ms' },
      { id: 'settleLong', key: 'settle.long', kind: 'text', initial: '5s' },
      { id: 'settlePatience', key: 'settle.patience', kind: 'text', initial: '10m' },
    ],
  };
}

/** Optional if there is only one endpoint; with several, the person has to choose. */
function endpointField(endpoints: readonly string[]): Field {
  const [only = '', ...others] = endpoints;
  const field = { id: 'endpoint', kind: 'choice', required: true } as const;
  if (others.length === 0) return { ...field, options: endpoints, initial: only };
  return { ...field, options: ['', ...endpoints], initial: '' };
}

const LIMITS: readonly Field[] = [
  { id: 'rate', kind: 'text', initial: 'unlimited' },
  { id: 'perDay', kind: 'number', initial: 'unlimited' },
  { id: 'perMonth', kind: 'number', initial: 'unlimited' },
];

/** @param accounts names of the additional accounts */
export function endpointFields(accounts: readonly string[]): FieldGroups {
  const endpoint: readonly Field[] = [
    { id: 'uid', kind: 'text', required: true },
    { id: 'account', kind: 'choice', options: ['none', ...accounts], initial: 'none' },
    { id: 'endpointConcurrency', key: 'concurrency', kind: 'number' },
    ...LIMITS,
  ];
  return { endpoint };
}

export const DELIVERY_FIELDS: FieldGroups = {
  pace: [
    { id: 'concurrency', kind: 'number', initial: '4' },
    ...LIMITS,
    { id: 'bandwidth', kind: 'text', initial: 'unlimited' },
    { id: 'spread', kind: 'yes', initial: 'true' },
    { id: 'grace', kind: 'text', initial: '20s' },
    { id: 'parkAfter', kind: 'number', initial: '5' },
  ],
  hours: [{ id: 'hours', kind: 'lines', initial: 'always', word: 'always' }],
};
