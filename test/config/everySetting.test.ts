import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { assemble } from '../../src/config/assemble.ts';
import { draftOf } from '../../src/config/draft.ts';
import { configSchema, endpointSchema } from '../../src/config/schema.ts';
import { folderSchema } from '../../src/config/schemaFolder.ts';
import { context, FILE } from './support.ts';

/** Whatever is switched off hides its settings, so nothing is. */
const DATA = {
  service: { baseUrl: 'https://api.example.com' },
  endpoints: { office: { uid: 'u-1' } },
  folders: [{ path: '/srv/scans' }],
  ledger: {
    kind: 'postgres',
    url: 'postgres://db.example.com/receiptd?sslmode=require&application_name=scans',
  },
  console: { tls: { cert: 'a.pem', key: 'b.pem' } },
  results: { tls: { cert: 'a.pem', key: 'b.pem' } },
  alerts: {
    webhook: { url: 'https://example.com' },
    email: { server: 'smtp://mail', to: ['a@example.com'] },
  },
};
/** draft.ts resolves these; `assemble` gets them from there. */
const RESOLVED = new Set([
  'stateDir',
  'credentials.file',
  'folders.path',
  'folders.archiveTo',
  'folders.needsAttention',
]);
/** Parsed into functions, which can't be compared. */
const TEMPLATES = new Set(['folders.name']);

type Values = Record<string, unknown>;

/** Paths of all settings below this schema, those without a default included. */
function settingsOf(schema: z.ZodType): string[][] {
  let inner: unknown = schema;
  while (inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) inner = inner.unwrap();
  if (!(inner instanceof z.ZodObject)) return [[]];
  return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([key, value]) =>
    settingsOf(value).map((path) => [key, ...path]),
  );
}

const { accounts: _, endpoints: __, folders: ___, ...others } = configSchema.shape;
const SETTINGS = [
  ...settingsOf(z.object(others)),
  ...settingsOf(endpointSchema).map((path) => ['endpoints', ...path]),
  ...settingsOf(folderSchema).map((path) => ['folders', ...path]),
];

/** Something else, which need not make sense. */
function other(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return [...(value as unknown[]), 'other'];
  return typeof value === 'string' ? `${value}other` : 'other';
}

function change(values: Values, [key = '', ...rest]: readonly string[]): void {
  if (rest.length > 0) change(values[key] as Values, rest);
  else values[key] = other(values[key]);
}

/** With one setting changed, at its path. */
function assembled(path?: readonly string[]): unknown {
  const parsed = configSchema.parse(DATA);
  const draft = draftOf(DATA, FILE, context());
  const [section, ...below] = path ?? [];
  if (section === 'endpoints') change(draft.endpoints[0]!.settings, below);
  else if (section === 'folders') change(draft.folders[0]!.settings, below);
  else if (path) change(parsed, path);
  const { folders, ...rest } = assemble(parsed, draft, FILE, context());
  return { ...rest, folders: folders.map(({ template: _template, ...folder }) => folder) };
}

it('every setting that the schema has is in the configuration that the program uses', () => {
  const before = assembled();
  expect(assembled()).toEqual(before);
  const lost = SETTINGS.filter((path) => {
    if (RESOLVED.has(path.join('.')) || TEMPLATES.has(path.join('.'))) return false;
    try {
      return isDeepStrictEqual(assembled(path), before);
    } catch {
      // It was looked at, and refused.
      return false;
    }
  });
  expect(lost.map((path) => path.join('.'))).toEqual([]);
  expect(SETTINGS.length).toBeGreaterThan(80);
});
