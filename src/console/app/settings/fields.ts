import type { Texts } from '../languages/en.ts';
import { isObject, valueAt, withValue, type Json, type JsonObject } from './edits.ts';

/** One key of the config file in a form. Its value is always text, empty for the default. */
export interface Field {
  readonly id: FieldId;
  /** Relative to the folder, endpoint or section. */
  readonly path: readonly string[];
  readonly kind: 'text' | 'number' | 'yes' | 'choice' | 'lines' | 'checks' | 'pairs';
  readonly options?: readonly string[];
  /** The default if the file does not have the key. */
  readonly initial?: string;
  readonly required?: boolean;
  /** For lines: a single word allowed instead of a list. */
  readonly word?: 'always' | 'none' | 'accepted';
}

export type FieldId = keyof Texts['fields'];

export const TYPES = ['jpeg', 'png', 'tiff', 'webp', 'gif', 'bmp', 'heic', 'pdf'];
const ACCEPTED = TYPES.slice(0, -1).join(' ');

/** Text of the value in the file; otherwise of the default, if the control must show a value. */
export function textOf(field: Field, values: JsonObject): string {
  const value = valueAt(values, field.path);
  if (value === undefined || value === null) return shownDefault(field);
  if (field.kind === 'pairs' && isObject(value))
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${plain(each)}`)
      .join('\n');
  if (!Array.isArray(value)) return plain(value);
  return value.map(plain).join(field.kind === 'checks' ? ' ' : '\n');
}

/** Shows values that don't fit the form as JSON. */
const plain = (value: Json | undefined): string =>
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
    next = withValue(next, field.path, valueOf(field, text));
  }
  return next;
}

export type Typed = Partial<Record<FieldId, string>>;

export function folderFields(endpoints: readonly string[]): readonly Field[] {
  return [
    { id: 'path', path: ['path'], kind: 'text', required: true },
    endpointField(endpoints),
    { id: 'recursive', path: ['recursive'], kind: 'yes', initial: 'false' },
    { id: 'watch', path: ['watch'], kind: 'choice', options: ['auto', 'poll'], initial: 'auto' },
    { id: 'share', path: ['share'], kind: 'text', initial: 'none' },
    { id: 'name', path: ['name'], kind: 'text', initial: '{stem}-{hash:12}' },
    { id: 'nameMaxBytes', path: ['nameMaxBytes'], kind: 'number', initial: '300' },
    { id: 'existing', path: ['existing'], kind: 'text', initial: 'send' },
    { id: 'accept', path: ['accept'], kind: 'checks', options: TYPES, initial: ACCEPTED },
    { id: 'pages', path: ['pages'], kind: 'choice', options: ['split', 'whole'], initial: 'split' },
    { id: 'pageResolution', path: ['pageResolution'], kind: 'number', initial: '200' },
    { id: 'look', path: ['look'], kind: 'choice', options: ['off', 'warn', 'hold'], initial: 'off' },
    { id: 'upright', path: ['upright'], kind: 'yes', initial: 'false' },
    { id: 'maxFileSize', path: ['maxFileSize'], kind: 'text', initial: '50MB' },
    { id: 'include', path: ['include'], kind: 'lines', initial: '**/*' },
    { id: 'ignore', path: ['ignore'], kind: 'lines' },
    { id: 'builtInIgnores', path: ['builtInIgnores'], kind: 'yes', initial: 'true' },
    {
      id: 'afterUpload',
      path: ['afterUpload'],
      kind: 'choice',
      options: ['keep', 'archive', 'delete'],
      initial: 'keep',
    },
    { id: 'archiveTo', path: ['archiveTo'], kind: 'text', initial: 'archive' },
    { id: 'afterUploadOn', path: ['afterUploadOn'], kind: 'lines', initial: 'accepted', word: 'accepted' },
    {
      id: 'afterUploadExisting',
      path: ['afterUploadExisting'],
      kind: 'choice',
      options: ['auto', 'leave', 'include'],
      initial: 'auto',
    },
    { id: 'needsAttention', path: ['needsAttention'], kind: 'text', initial: 'none' },
    { id: 'silentAfter', path: ['silentAfter'], kind: 'text', initial: 'auto' },
    { id: 'settleShort', path: ['settle', 'short'], kind: 'text', initial: '200ms' },
    { id: 'settleLong', path: ['settle', 'long'], kind: 'text', initial: '5s' },
    { id: 'settlePatience', path: ['settle', 'patience'], kind: 'text', initial: '10m' },
  ];
}

/** Optional if there is only one endpoint; with several, the person has to choose. */
function endpointField(endpoints: readonly string[]): Field {
  const [only = '', ...others] = endpoints;
  const field = { id: 'endpoint', path: ['endpoint'], kind: 'choice', required: true } as const;
  if (others.length === 0) return { ...field, options: endpoints, initial: only };
  return { ...field, options: ['', ...endpoints], initial: '' };
}

const LIMITS: readonly Field[] = [
  { id: 'rate', path: ['rate'], kind: 'text', initial: 'unlimited' },
  { id: 'perDay', path: ['perDay'], kind: 'number', initial: 'unlimited' },
  { id: 'perMonth', path: ['perMonth'], kind: 'number', initial: 'unlimited' },
];

/** @param accounts names of the additional accounts */
export function endpointFields(accounts: readonly string[]): readonly Field[] {
  return [
    { id: 'uid', path: ['uid'], kind: 'text', required: true },
    { id: 'account', path: ['account'], kind: 'choice', options: ['none', ...accounts], initial: 'none' },
    { id: 'endpointConcurrency', path: ['concurrency'], kind: 'number' },
    ...LIMITS,
  ];
}

export const DELIVERY_FIELDS: readonly Field[] = [
  { id: 'concurrency', path: ['concurrency'], kind: 'number', initial: '4' },
  ...LIMITS,
  { id: 'bandwidth', path: ['bandwidth'], kind: 'text', initial: 'unlimited' },
  { id: 'spread', path: ['spread'], kind: 'yes', initial: 'true' },
  { id: 'grace', path: ['grace'], kind: 'text', initial: '20s' },
  { id: 'parkAfter', path: ['parkAfter'], kind: 'number', initial: '5' },
  { id: 'hours', path: ['hours'], kind: 'lines', initial: 'always', word: 'always' },
];
