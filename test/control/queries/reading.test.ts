/** Queries of the daemon: a real ledger behind the real control socket. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { callControl } from '../../../src/control/client.ts';
import type { StatusResponse } from '../../../src/control/protocol/protocol.ts';
import { startControlServer } from '../../../src/control/server/server.ts';
import { controlSocketPath } from '../../../src/control/socketPath.ts';
import { eventStream } from '../../../src/control/queries/events.ts';
import { History } from '../../../src/control/queries/history.ts';
import { overview, type OverviewDeps } from '../../../src/control/queries/overview.ts';
import { readingOperations } from '../../../src/control/queries/reading.ts';
import { readingStreams } from '../../../src/control/queries/streams.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/open.ts';
import type { Document } from '../../../src/core/domain/document.ts';
import type { DocumentPictures, LocateImage, Shown } from '../../../src/core/ports/pictures.ts';
import type { AttemptResult } from '../../../src/core/ports/ledgerQueue.ts';
import { RecentLines } from '../../../src/logs/recentLines.ts';
import { admission, OFFICE } from '../../contract/ledger.ts';
import { awayLedger } from '../../support/awayLedger.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';

const MINUTE = 60_000;
const ACCEPTED = { state: 'accepted', serviceStatus: 'PROCESSING', response: '{"a":1}' } as const;
const COLUMNS = [
  { name: 'total', pointer: '/total' },
  { name: 'merchant', pointer: '/merchant/name' },
];

const STATUS: StatusResponse = {
  pid: 1,
  startedAt: '2026-01-01T00:00:00.000Z',
  version: '1',
  folders: [],
  inFlight: 0,
  limitedBy: [],
  incidents: [],
  notes: [],
  spool: { mode: 'auto', used: 0, limit: 1, images: 0 },
};

async function place() {
  const dir = mkdtempSync(join(memoryDirectory(), 'receiptd-reading-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const clock = new FakeClock();
  const log = new RecordedLog();
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  onTestFinished(() => ledger.close());
  const lines = new RecentLines();
  const images = new Map<string, Buffer>();
  const shown: { kind: 'picture' | 'none' | 'busy' } = { kind: 'picture' };
  const draw = async (document: Document, what: string, locate: LocateImage): Promise<Shown> => {
    const bytes = Buffer.from(`${what} of ${String(await locate(document))}`);
    return shown.kind === 'picture' ? { kind: 'picture', bytes, pages: 7 } : { kind: shown.kind };
  };
  const pictures: DocumentPictures = {
    thumbnail: (document, locate) => draw(document, 'thumbnail', locate),
    preview: (document, page, locate) => draw(document, `page ${page}`, locate),
    forget: async () => {},
  };
  const endpoints = [
    {
      key: OFFICE,
      alias: 'office',
      limits: { concurrency: 2, rate: { count: 5, intervalMs: 1_000 }, perDay: null, perMonth: 90 },
    },
  ];
  const deps: OverviewDeps = {
    ledger,
    clock,
    history: new History(ledger, clock),
    status: () => STATUS,
    endpoints: () => endpoints,
    columns: () => COLUMNS,
  };
  const server = await startControlServer({
    socketPath: controlSocketPath(dir),
    operations: readingOperations(deps),
    streams: [
      ...readingStreams({
        ledger,
        clock,
        pictures,
        columns: () => COLUMNS,
        locateBytes: async ({ sha256 }) => {
          const bytes = images.get(sha256);
          return bytes
            ? { kind: 'bytes', bytes }
            : { kind: 'gone', newestSeen: 0, message: 'Nobody has it.' };
        },
      }),
      // Real time, because the reader's time limits are measured in it.
      eventStream({ overview: () => overview(deps), lines, clock: systemClock, log }),
    ],
    log,
  });
  onTestFinished(() => server.close());

  async function upload(content: string, at: number, ms: number, result: Partial<AttemptResult> = {}) {
    const { document } = await ledger.admit(admission(`${content}.jpg`, content, { at }));
    const attempt = await ledger.begin(document.id, at, 100);
    const ended = {
      at: at + ms,
      outcome: 'accepted',
      httpStatus: 200,
      message: null,
      transition: ACCEPTED,
    } as const;
    await ledger.finish(attempt, { ...ended, ...result });
    return document;
  }

  function get(path: string, headers: http.OutgoingHttpHeaders = {}): Promise<http.IncomingMessage> {
    const request = http.get({ socketPath: controlSocketPath(dir), path, headers, agent: false });
    onTestFinished(() => void request.destroy());
    return once(request, 'response').then(([answer]) => answer as http.IncomingMessage);
  }

  async function text(path: string, headers: http.OutgoingHttpHeaders = {}) {
    const answer = await get(path, headers);
    let body = '';
    answer.setEncoding('latin1').on('data', (part: string) => (body += part));
    await once(answer, 'end');
    return { status: answer.statusCode, headers: answer.headers, body };
  }

  const ask = ((operation, request) => callControl(dir, operation, request)) as <
    O extends Parameters<typeof callControl>[1],
  >(
    operation: O,
    request: Parameters<typeof callControl<O>>[2],
  ) => ReturnType<typeof callControl<O>>;
  return { ledger, clock, lines, images, shown, upload, ask, get, text, dir };
}

it('reports what waits, the pace, and when the backlog will be empty', async () => {
  const { ledger, clock, upload, ask } = await place();
  const now = clock.now();
  for (let n = 0; n < 10; n += 1) await upload(`sent${n}`, now - n * 20_000, 50);
  await upload('long ago', now - 10 * MINUTE, 50);
  for (let n = 0; n < 6; n += 1)
    await ledger.admit(admission(`w${n}.jpg`, `w${n}`, { at: now - MINUTE + n }));
  const seen = await ask('overview', {});
  expect(seen.backlog).toEqual({
    waiting: 6,
    held: 0,
    oldest: new Date(now - MINUTE).toISOString(),
    perMinute: 2,
    emptyInMs: 3 * MINUTE,
  });
  expect(seen.shared).toBe(false);
  expect(seen.troubles).toEqual([]);
  expect(seen.endpoints).toEqual([
    {
      alias: 'office',
      account: null,
      endpoint: OFFICE,
      paused: false,
      concurrency: 2,
      rate: '5/s',
      perDay: null,
      perMonth: 90,
    },
  ]);

  await ledger.putHold({
    scope: 'endpoint',
    key: `${OFFICE.baseUrl}#${OFFICE.uid}`,
    reason: 'PAUSED',
    message: 'By somebody.',
    since: now,
    until: null,
    demandedUntil: null,
  });
  const paused = await ask('overview', {});
  expect(paused.backlog).toMatchObject({ waiting: 6, held: 6, emptyInMs: 0 });
  expect(paused.endpoints[0]?.paused).toBe(true);
  expect(paused.troubles).toMatchObject([
    { person: true, about: { kind: 'hold', waiting: 6 }, remedy: { kind: 'resume', target: 'office' } },
  ]);
});

it('returns a history without gaps, and reads settled periods once', async () => {
  const { ledger, clock, upload } = await place();
  const now = Math.floor(clock.now() / MINUTE) * MINUTE;
  for (const [n, ms] of [10, 20, 30, 40, 1_000].entries()) await upload(`a${n}`, now - 20 * MINUTE + n, ms);
  const refused = { state: 'failed', reason: 'HTTP_422', message: 'No.' } as const;
  await upload('r', now - 20 * MINUTE + 9, 5, { outcome: 'refused', httpStatus: 422, transition: refused });
  await upload('new', now + 1, 7);
  const asked: number[] = [];
  const history = new History(
    { ...ledger, uploads: (from, to) => (asked.push(from), ledger.uploads(from, to)) },
    clock,
  );
  const { everyMs, buckets } = await history.last(30);
  expect(everyMs).toBe(MINUTE);
  expect(buckets.map(({ at }) => Date.parse(at) - now)).toEqual(
    Array.from({ length: 30 }, (_, n) => (n - 29) * MINUTE),
  );
  expect(buckets[9]).toEqual({
    at: new Date(now - 20 * MINUTE).toISOString(),
    accepted: 5,
    requests: 6,
    refused: 1,
    limited: 0,
    trouble: 0,
    bytes: 500,
    medianMs: 30,
    slowestMs: 1_000,
  });
  expect(buckets[10]).toMatchObject({ accepted: 0, requests: 0, medianMs: null, slowestMs: null });
  expect(buckets.at(-1)).toMatchObject({ accepted: 1, medianMs: 7 });
  asked.length = 0;
  expect(await history.last(30)).toEqual({ everyMs, buckets });
  expect(Math.min(...asked)).toBe(now - 10 * MINUTE);
  expect((await history.last(1440)).buckets).toHaveLength(120);
});

it('pages documents newest first, and shows one by number and by name', async () => {
  const { upload, ask } = await place();
  const first = await upload('a', 1_000, 5);
  await upload('b', 2_000, 5);
  await upload('c', 3_000, 5);
  const one = await ask('documents', { limit: 2 });
  expect(one.rows.map(({ name }) => name)).toEqual(['doc-c', 'doc-b']);
  const two = await ask('documents', { limit: 2, cursor: one.next ?? '' });
  expect([two.rows.map(({ name }) => name), two.next]).toEqual([['doc-a'], null]);
  expect((await ask('documents', { search: 'b.jp' })).rows.map(({ name }) => name)).toEqual(['doc-b']);
  expect(
    (await ask('documents', { since: '1970-01-01T00:00:02Z', until: '1970-01-01T00:00:03Z' })).rows,
  ).toHaveLength(1);

  const { documents } = await ask('document', { id: first.id });
  expect(documents).toMatchObject([
    {
      name: 'doc-a',
      state: 'accepted',
      attemptCount: 1,
      response: '{"a":1}',
      attempts: [{ httpStatus: 200 }],
    },
  ]);
  expect((await ask('document', { name: 'doc-a' })).documents).toEqual(documents);
  await expect(ask('document', { name: 'nobody' })).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
  await expect(ask('document', { id: 99 })).rejects.toMatchObject({ code: 'DOCUMENT_UNKNOWN' });
  await expect(ask('document', {})).rejects.toMatchObject({ code: 'USAGE' });
  await expect(ask('documents', { limit: 501 })).rejects.toMatchObject({ code: 'USAGE' });
});

it('serves thumbnails of a document, which a browser may cache by the hash of the image', async () => {
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

it('serves the image of a document and nothing else', async () => {
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
  expect(kept.headers['content-disposition']).toMatch(
    /^attachment; filename="1\.jpeg"; filename\*=UTF-8''doc-a\.jpeg$/,
  );
  for (const other of ['0', '99', '1e3', '-1', '%2e%2e', '1%00', '..%2f..%2fetc%2fpasswd'])
    expect(await text(`/v1/documents/${other}/image`)).toMatchObject({ status: 422 });
  for (const other of ['/v1/documents/1/../1/image', '//', '/v1/documents/1/image/'])
    expect(await text(other)).toMatchObject({ status: 404 });
});

it('exports a filtered view, and the evidence of a document', async () => {
  const { upload, text } = await place();
  await upload('a', 1_000, 5);
  const { id } = await upload('b', 2_000, 5);
  const all = await text('/v1/documents.csv');
  expect(all.headers['content-type']).toMatch(/^text\/csv/);
  expect(all.body.trimEnd().split('\r\n')).toHaveLength(3);
  const some = await text(
    `/v1/documents.csv?search=b.jpg&states=accepted,failed&endpoint=${encodeURIComponent(`${OFFICE.baseUrl}#${OFFICE.uid}`)}`,
  );
  expect(some.body.split('\r\n').map((line) => line.split(',')[0])).toEqual(['name', 'doc-b', '']);
  const excel = await text('/v1/documents.csv?search=b.jpg&separator=%3B&bom=1');
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

it('streams the log and the overview, and reads nothing once nobody listens', async () => {
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
  await expect.poll(() => told, { timeout: 5_000 }).toMatch(/"state":"accepted","count":1/);
});

it('shows the agent’s state while a shared ledger is offline, and that the rest is unknown', async () => {
  const { ledger, clock } = await place();
  const away = awayLedger(ledger, true);
  const history = new History(away.ledger, clock);
  const deps = {
    ledger: away.ledger,
    clock,
    history,
    status: () => STATUS,
    endpoints: () => [],
    columns: () => [],
  };
  const seen = await overview(deps);
  expect(seen.status).toEqual({
    ...STATUS,
    notes: [
      {
        text: 'Until the ledger is reachable again, its contents and the number of waiting documents are unknown.',
        about: { kind: 'ledgerAway' },
      },
    ],
  });
  expect(seen).toMatchObject({ counts: [], holds: [], backlog: { waiting: 0, oldest: null } });
  away.comeBack();
  await ledger.admit(admission('a.jpg', 'a', { at: clock.now() }));
  const back = await overview(deps);
  expect([back.status, back.backlog.waiting]).toEqual([STATUS, 1]);
});

it('counts what a filter lists by state, folder, status and day, and exports named values of results', async () => {
  const { ledger, upload, ask, text } = await place();
  const late = Date.UTC(2026, 4, 14, 22, 30);
  await upload('a', late, 5);
  await upload('b', late - 60 * MINUTE, 5);
  await ledger.admit(admission('c.jpg', 'c', { at: late + 1 }));
  const payload = Buffer.from(JSON.stringify({ total: 12.5, merchant: { name: 'Hotel <Ärger>' } }));
  const result = {
    at: late + 9,
    baseUrl: OFFICE.baseUrl,
    uid: OFFICE.uid,
    name: 'doc-a',
    status: 'DONE',
    payload,
  };
  await ledger.recordResult(result);
  const zone = 'Europe/Berlin';
  const all = await ask('facets', { zone, by: 'day', states: ['accepted'] });
  expect(all).toMatchObject({ total: 2, next: null });
  expect(all.states).toEqual(
    expect.arrayContaining([
      { value: 'accepted', count: 2 },
      { value: 'queued', count: 1 },
    ]),
  );
  // Half past midnight there is already the next day.
  expect(all.periods.toSorted((x, y) => x.value.localeCompare(y.value))).toEqual([
    { value: '2026-05-14', count: 1 },
    { value: '2026-05-15', count: 1 },
  ]);
  // India's days begin at half past an hour of UTC.
  for (const [n, minute] of [15, 45].entries())
    await ledger.admit(admission(`d${n}.jpg`, `d${n}`, { at: Date.UTC(2026, 4, 14, 18, minute) }));
  const { periods } = await ask('facets', { zone: 'Asia/Kolkata', by: 'day', states: ['queued'] });
  expect(periods.toSorted((x, y) => x.value.localeCompare(y.value))).toEqual([
    { value: '2026-05-14', count: 1 },
    { value: '2026-05-15', count: 2 },
  ]);
  const found = await ask('facets', { zone, by: 'month', search: 'arger hotel 12,50' });
  expect(found).toMatchObject({ total: 1, statuses: [{ value: 'DONE', count: 1 }] });
  await expect(ask('facets', { zone: 'Nowhere/Town', by: 'day' })).rejects.toMatchObject({ code: 'USAGE' });
  const values = encodeURIComponent(JSON.stringify([{ pointer: '/total', from: '12', to: '13' }]));
  const csv = (await text(`/v1/documents.csv?values=${values}`)).body;
  expect(csv.split('\r\n')[0]).toMatch(/,total,merchant$/);
  expect(csv.split('\r\n')).toHaveLength(3);
  const json = (await text(`/v1/documents.json?values=${values}`)).body;
  expect(JSON.parse(json)).toMatchObject([{ name: 'doc-a', fields: { total: 12.5 } }]);
  expect(await text('/v1/documents.csv?values=%7B')).toMatchObject({ status: 422 });
});
