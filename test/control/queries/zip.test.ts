import { expect, it } from 'vitest';
import type { Document } from '../../../src/core/domain/document.ts';
import { zipOf } from '../../../src/control/queries/zip.ts';
import { unzip } from '../../support/unzip.ts';

const documentOf = (id: number, name: string, more: Partial<Document> = {}) =>
  ({ id, name, type: 'jpeg', path: `${id}.jpg`, createdAt: 1_790_000_000_000, ...more }) as Document;

async function zipped(
  documents: readonly Document[],
  gone: readonly number[] = [],
): Promise<Map<string, Buffer>> {
  async function* each() {
    yield* documents;
  }
  const parts: Uint8Array[] = [];
  const zip = zipOf({
    documents: each(),
    locateBytes: async ({ id }) =>
      gone.includes(id)
        ? { kind: 'gone', newestSeen: 0, message: 'Its file is gone.' }
        : { kind: 'bytes', bytes: Buffer.from(`image ${id}`) },
  });
  for await (const part of zip) parts.push(part);
  return unzip(Buffer.concat(parts));
}

it('a ZIP download contains each image under its document name, and lists missing ones', async () => {
  const files = await zipped(
    [documentOf(1, 'Beleg München'), documentOf(2, 'lost'), documentOf(3, 'fax', { type: 'tiff' })],
    [2],
  );
  expect([...files.keys()]).toEqual(['Beleg München.jpg', 'fax.tiff', 'MISSING.txt']);
  expect(String(files.get('Beleg München.jpg'))).toBe('image 1');
  expect(String(files.get('MISSING.txt'))).toBe('lost: Its file is gone.\n');
});

it('a ZIP download gives every file a unique, valid name without path traversal', async () => {
  const names = [
    '../../etc/cron.d/x',
    '..\\..\\x',
    'C:\\x',
    'con',
    'a\u0000b',
    '..',
    '',
    'Same',
    'same',
    'MISSING',
  ];
  const files = await zipped(
    [...names.map((name, id) => documentOf(id, name)), documentOf(99, 'gone')],
    [99],
  );
  const keys = [...files.keys()];
  expect(keys).toHaveLength(names.length + 1);
  for (const key of keys) expect(key).toMatch(/^[^/\\:\u0000]+$/);
  expect(keys.filter((key) => key.startsWith('.') || /^con\./i.test(key))).toEqual([]);
  expect(keys.slice(-5)).toEqual(['_ (2).jpg', 'Same.jpg', 'same (2).jpg', 'MISSING.jpg', 'MISSING.txt']);
});
