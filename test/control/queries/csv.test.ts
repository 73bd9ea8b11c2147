import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DOCUMENTS, type ListRowJson } from '../../../src/control/protocol/documents.ts';
import { dayFormat } from '../../../src/control/queries/facets.ts';
import { csvCell, csvLines, type CsvForm } from '../../../src/control/queries/csv.ts';
import { local } from '../../../src/core/domain/words.ts';
import { FIELDS, type Field } from '../../../src/texts/columns.ts';
import { whyWords } from '../../../src/texts/explain.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import type { Document } from '../../../src/core/domain/document.ts';
import { zipOf } from '../../../src/control/queries/zip.ts';
import { unzip } from '../../support/unzip.ts';
import { OFFICE } from '../../contract/ledger/support.ts';
import { place } from './readingPlace.ts';

describe('a CSV cell', () => {
  it.each([
    [null, ''],
    [0, '0'],
    [-5, '-5'],
    [true, 'true'],
    ['', ''],
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['a "b"', '"a ""b"""'],
    ['a\nb', '"a\nb"'],
    ['a\r\nb', '"a\r\nb"'],
  ])('for %j is %j', (value, text) => {
    expect(csvCell(value)).toBe(text);
  });

  it('that anything could split is quoted', () => {
    for (const text of ['a;b', 'a,b', 'a\tb', 'a|b']) expect(csvCell(text)).toBe(`"${text}"`);
  });

  const parts = fc.constantFrom(
    ...',;\t|\r\n "\'=+-@＝＋－＠a1'.split(''),
    '\u00a0',
    '\ufeff',
    '=1+1',
    '.jpg',
  );
  const text = fc.array(parts, { maxLength: 12 }).map((some) => some.join(''));

  it('never becomes a formula, wherever a spreadsheet splits the line', () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 4 }),
        separators,
        separators,
        (cells, own, other) => {
          const line = cells.map((cell) => csvCell(cell)).join(own);
          const read = [
            parsed(line, other),
            parsed(line, own),
            line.split(other),
            line.split(/[,;|\t\r\n]/),
          ].flat();
          for (const cell of read) expect(cell).not.toMatch(/^["\s]*[=+\-@＝＋－＠]/);
        },
      ),
    );
  });

  it('is read back as it was, apart from apostrophes before formulas', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), separators, (cells, own) => {
        const read = parsed(cells.map((cell) => csvCell(cell)).join(own), own);
        const plain = (some: readonly string[]) => some.map((cell) => cell.replaceAll("'", ''));
        expect(plain(read)).toEqual(plain(cells));
      }),
    );
  });
});

const separators = fc.constantFrom(...([',', ';', '\t'] as const));

/** As spreadsheets read a line: quotes count only where a cell begins. */
function parsed(line: string, separator: string): string[] {
  const cells: string[] = [];
  for (let rest: string | undefined = line; rest !== undefined;) {
    const [whole = '', quoted] = /^(?:"((?:[^"]|"")*)")?/.exec(rest) ?? [];
    const after: string = rest.slice(whole.length);
    const end = after.indexOf(separator);
    cells.push((quoted ?? '').replaceAll('""', '"') + (end < 0 ? after : after.slice(0, end)));
    rest = end < 0 ? undefined : after.slice(end + 1);
  }
  return cells;
}

const ALL: CsvForm = {
  separator: ',',
  byteOrderMark: false,
  texts: null,
  hasAllColumns: true,
  days: dayFormat('Asia/Tokyo'),
  endpoints: [{ alias: '=office', key: OFFICE }],
};

describe('a CSV export', () => {
  async function* none() {}
  const head = async (form: CsvForm) => (await csvLines(none(), form).next()).value as string;

  it('for a person has days where they are, the alias and the status, all guarded against formulas', async () => {
    const texts = await textsIn('de', local);
    const row = { path: '=a.jpg', name: '+a', status: '-1', state: 'accepted', message: 'x', posted: [] };
    const times = { sentAt: '2026-10-31T14:59:59.999Z', acceptedAt: '2026-10-31T15:00:00.000Z' };
    async function* rows() {
      yield { ...row, ...times, baseUrl: OFFICE.baseUrl, endpointUid: OFFICE.uid } as never;
      yield {
        ...row,
        sentAt: null,
        acceptedAt: null,
        status: null,
        state: 'failed',
        endpointUid: '@x',
      } as never;
      yield { ...row, sentAt: null, acceptedAt: null, state: 'duplicate', endpointUid: 'y' } as never;
    }
    const lines: string[] = [];
    for await (const line of csvLines(rows(), { ...ALL, texts, hasAllColumns: false })) lines.push(line);
    const { path, name, sentAt, acceptedAt, endpoint } = texts.columns;
    const { status } = texts.accountantColumns;
    expect(lines).toEqual([
      `${[path, name, sentAt, acceptedAt, endpoint, status].join(',')}\r\n`,
      "'=a.jpg,'+a,2026-10-31,2026-11-01,'=office,'-1\r\n",
      "'=a.jpg,'+a,,,'@x,failed\r\n",
      "'=a.jpg,'+a,,,y,duplicate\r\n",
    ]);
  });

  it('begins with the names of all fields of a row, except these', async () => {
    const names = (await head(ALL)).trimEnd().split(',');
    expect([names[0], names.at(-1)]).toEqual(['name', 'updatedAt']);
    const fields = Object.keys(DOCUMENTS.documents.response.shape.rows.element.shape);
    const none = ['documentId', 'fileId', 'baseUrl', 'fact', 'needsPerson', 'notBefore', 'posted'];
    const dismissed = ['dismissedBy', 'dismissedAt'];
    expect([...names, ...none, ...dismissed].sort()).toEqual(fields.sort());
  });

  it('begins with a byte order mark for Excel', async () => {
    const form = { ...ALL, separator: ';', byteOrderMark: true } as const;
    expect(await head(form)).toMatch(/^\uFEFFname;state;.*updatedAt\r\n$/);
  });

  it('has the heads and explanations of a person in their language', async () => {
    const texts = await textsIn('de', local);
    async function* rows() {
      yield { message: 'It is empty.', fact: { is: 'empty' }, posted: [] } as unknown as ListRowJson;
    }
    const lines: string[] = [];
    for await (const line of csvLines(rows(), { ...ALL, separator: ';', texts })) lines.push(line);
    const heads = (Object.keys(FIELDS) as Field[]).map((field) => texts.columns[field]);
    expect(lines[0]).toBe(`${heads.join(';')}\r\n`);
    const explanation = whyWords(texts, { message: '', fact: { is: 'empty' } });
    expect(explanation).not.toBe('');
    expect(lines[1]).toContain(explanation);
  });

  it('contains the latest named values of results, guarded against formulas', async () => {
    const columns = [
      { name: 'total', pointer: '/total' },
      { name: 'Händler, Ort', pointer: '/merchant' },
    ];
    async function* rows() {
      yield { posted: [{ '/total': 1, '/merchant': '=1+1' }, { '/total': 12.5 }] } as unknown as ListRowJson;
      yield { posted: [] } as unknown as ListRowJson;
    }
    const lines: string[] = [];
    for await (const line of csvLines(rows(), ALL, columns)) lines.push(line);
    expect(lines[0]).toMatch(/updatedAt,total,"Händler, Ort"\r\n$/);
    expect(lines[1]).toMatch(/,12\.5,'=1\+1\r\n$/);
    expect(lines[2]).toMatch(/,,\r\n$/);
  });
});

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
    texts: await textsIn('en', String),
    locateBytes: async ({ id }) =>
      gone.includes(id)
        ? { kind: 'gone', newestSeen: 0, why: { is: 'fileGone', file: '/scans/a.jpg' } }
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
  expect(String(files.get('MISSING.txt'))).toBe(
    'lost: Its file /scans/a.jpg is gone, and there is no other copy of the image.\n',
  );
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

it('the daemon serves thumbnails of a document, which a browser may cache by the hash of the image', async () => {
  const { ledger, clock, upload, images, shown, text } = await place();
  const { id, sha256 } = await upload('one', 5, 1);
  images.set(sha256, Buffer.from('one'));
  const digits = sha256.slice(0, 16);
  const thumbnail = `/v1/documents/${id}/thumbnail`;
  const first = await text(`${thumbnail}?of=${digits}`);
  expect(first).toMatchObject({ status: 200, body: 'thumbnail of one' });
  expect(first.headers).toMatchObject({
    'content-type': 'image/webp',
    'cache-control': 'private, max-age=86400, immutable',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
  const again = await text(thumbnail, { 'if-none-match': `"other", W/${first.headers.etag}` });
  expect(again).toMatchObject({ status: 304, body: '', headers: { 'cache-control': 'private, no-cache' } });
  expect((await text(`${thumbnail}?of=${'0'.repeat(16)}`)).status).toBe(404);

  const third = await text(`/v1/documents/${id}/preview?page=3`, { 'if-none-match': first.headers.etag });
  expect(third).toMatchObject({ status: 200, body: 'page 3 of one', headers: { 'receiptd-pages': '7' } });
  expect((await text(`/v1/documents/${id}/preview?page=0`)).body).toContain('page takes a number');

  shown.kind = 'none';
  expect(await text(thumbnail)).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } });
  shown.kind = 'busy';
  expect(await text(thumbnail)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  shown.kind = 'picture';
  await ledger.erase([id], clock.now());
  const known = { 'if-none-match': first.headers.etag };
  expect(await text(thumbnail, known)).toMatchObject({
    status: 404,
    body: expect.stringContaining('This document has no preview'),
  });
});

it('the daemon serves the image of a document and nothing else', async () => {
  const { upload, images, text } = await place();
  const { id, sha256 } = await upload('a', 1_000, 5);
  expect(await text(`/v1/documents/${id}/image`)).toMatchObject({ status: 422 });
  images.set(sha256, Buffer.from('JPEG'));
  const shown = await text(`/v1/documents/${id}/image`);
  expect(shown).toMatchObject({ status: 200, body: 'JPEG' });
  expect(shown.headers).toMatchObject({
    'content-type': 'image/jpeg',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
  });
  expect(shown.headers['content-disposition']).toMatch(/^inline;/);
  const kept = await text(`/v1/documents/${id}/image?download=1`);
  expect(kept.headers['content-disposition']).toBe(
    `attachment; filename="${id}.jpeg"; filename*=UTF-8''doc-a.jpeg`,
  );
  for (const other of ['0', '99', '1e3', '-1', '%2e%2e', '1%00', '..%2f..%2fetc%2fpasswd'])
    expect(await text(`/v1/documents/${other}/image`)).toMatchObject({ status: 422 });
  for (const other of ['/v1/documents/1/../1/image', '//', '/v1/documents/1/image/'])
    expect(await text(other)).toMatchObject({ status: 404 });
});

it('the daemon exports a filtered view, and the evidence of a document', async () => {
  const { upload, text } = await place();
  await upload('a', 1_000, 5);
  const { id } = await upload('b', 2_000, 5);
  const all = await text('/v1/documents.csv');
  expect(all.headers['content-type']).toMatch(/^text\/csv/);
  expect(all.body.trimEnd().split('\r\n')).toHaveLength(3);
  expect(all.body.split('\r\n')[1]).toBe('/scans/a.jpg,doc-a,1970-01-01,1970-01-01,office,PROCESSING,,');
  const some = await text(
    `/v1/documents.csv?columns=all&search=b.jpg&states=accepted,failed&endpoint=${encodeURIComponent(`${OFFICE.baseUrl}#${OFFICE.uid}`)}`,
  );
  expect(some.body.split('\r\n').map((line) => line.split(',')[0])).toEqual(['name', 'doc-b', '']);
  const excel = await text('/v1/documents.csv?columns=all&search=b.jpg&separator=%3B&bom=1');
  const german = await text('/v1/documents.csv?columns=all&language=de');
  expect(german.body).toMatch(/^Name,Zustand,/);
  expect(excel.body).toMatch(/^(?:\uFEFF|\u00EF\u00BB\u00BF)name;state;/);
  expect(await text('/v1/documents.csv?separator=x')).toMatchObject({ status: 422 });
  expect(await text('/v1/documents.csv?states=odd')).toMatchObject({ status: 422 });

  const evidence = JSON.parse((await text(`/v1/documents/${id}/evidence`)).body) as Record<string, unknown>;
  expect(evidence).toMatchObject({
    document: {
      name: 'doc-b',
      sha256: createHash('sha256').update('b').digest('hex'),
      files: [{ verdict: 'document' }],
    },
    journalHead: { seq: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
});

it.each([
  ['csv', '2026-09-30T15:00:00Z', '2026-10-31T15:00:00Z', 'documents-2026-10.csv'],
  ['json', '2026-10-31T15:00:00Z', '2026-11-30T15:00:00Z', 'documents-2026-11.json'],
  ['zip', '2026-11-28T15:00:00Z', '2026-11-29T15:00:00Z', 'receipts-2026-11-29.zip'],
  ['csv', '2026-09-30T15:00:00Z', '2026-11-30T15:00:00Z', 'documents-2026-10-01_2026-11-30.csv'],
  ['csv', '', '2026-10-31T15:00:00Z', 'documents-2026-10-31.csv'],
])('a %s download from %s until %s, of a reader in Tokyo, is called %s', async (kind, since, until, name) => {
  const { text } = await place();
  const { headers } = await text(`/v1/documents.${kind}?since=${since}&until=${until}&timeZone=Asia%2FTokyo`);
  expect(headers['content-disposition']).toBe(`attachment; filename="${name}"`);
});

it('a download without a period is called after today, and an unknown time zone is refused', async () => {
  const { clock, text } = await place();
  const { headers } = await text('/v1/documents.csv?timeZone=UTC');
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  expect(headers['content-disposition']).toBe(`attachment; filename="documents-${today}.csv"`);
  expect((await text('/v1/documents.csv?timeZone=Nowhere')).status).toBe(422);
});

it('the daemon streams the log and the overview, and reads nothing once nobody listens', async () => {
  const { lines, get, upload } = await place();
  lines.add('{"message":"before"}');
  const answer = await get('/v1/events');
  expect(answer.headers['content-type']).toBe('text/event-stream');
  let told = '';
  answer.setEncoding('utf8').on('data', (part: string) => (told += part));
  await expect.poll(() => told).toContain('event: log\ndata: {"message":"before"}\n\n');
  await expect.poll(() => told).toMatch(/event: overview\ndata: \{.*"waiting":0/);
  lines.add('{"message":"now"}');
  await expect.poll(() => told).toContain('data: {"message":"now"}\n\n');
  await upload('a', Date.now() - 1_000, 5);
  await expect.poll(() => told, { timeout: 60_000 }).toMatch(/"state":"accepted","count":1/);
});
