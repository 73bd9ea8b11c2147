import { expect, it } from 'vitest';
import { History } from '../../../src/control/queries/history.ts';
import { overview } from '../../../src/control/queries/overview.ts';
import { admission, OFFICE } from '../../contract/ledger/support.ts';
import { awayLedger } from '../../support/awayLedger.ts';
import { MINUTE, place, STATUS } from './readingPlace.ts';

it('the overview reports the backlog, the pace, and when the backlog will be empty', async () => {
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
  expect(seen.problems).toEqual([]);
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
    message: 'somebody',
    since: now,
    until: null,
    demandedUntil: null,
  });
  const paused = await ask('overview', {});
  expect(paused.backlog).toMatchObject({ waiting: 6, held: 6, emptyInMs: 0 });
  expect(paused.endpoints[0]?.paused).toBe(true);
  expect(paused.problems).toMatchObject([
    { code: 'UPLOADS_PAUSED', params: { waiting: 6 }, actions: [{ operation: 'resume', target: 'office' }] },
  ]);
});

it('the history has no gaps, and reads settled periods once', async () => {
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

it('documents are paged newest first, and shown by number and by name', async () => {
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

it('the overview shows the agent’s state while a shared ledger is offline, and marks the rest as unknown', async () => {
  const { ledger, clock } = await place();
  const away = awayLedger(ledger, true);
  const history = new History(away.ledger, clock);
  const deps = {
    ledger: away.ledger,
    clock,
    history,
    status: () => STATUS,
    around: () => ({ incidents: [], folders: [] }),
    endpoints: () => [],
    columns: () => [],
  };
  const seen = await overview(deps);
  expect(seen.status).toEqual({
    ...STATUS,
    notes: [{ text: expect.any(String), fact: { is: 'ledgerAway' }, about: { kind: 'ledgerAway' } }],
  });
  expect(seen).toMatchObject({ counts: [], holds: [], backlog: { waiting: 0, oldest: null } });
  away.comeBack();
  await ledger.admit(admission('a.jpg', 'a', { at: clock.now() }));
  const back = await overview(deps);
  expect([back.status, back.backlog.waiting]).toEqual([STATUS, 1]);
});

it('facets count what a filter lists by state, folder, status and day, and the export has named values of results', async () => {
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
  // It is half past midnight there, so the next day has begun.
  expect(all.periods.toSorted((x, y) => x.value.localeCompare(y.value))).toEqual([
    { value: '2026-05-14', count: 1 },
    { value: '2026-05-15', count: 1 },
  ]);
  // Days in India begin at half past an hour of UTC.
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
