import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ask, own, perform } from '../console/server/browser.ts';
import { drawReceipt } from '../support/images.ts';
import { unzip } from '../support/unzip.ts';
import { until } from './support/agent.ts';
import { underAttack } from './support/console.ts';

const ROWS = z.object({
  rows: z.array(z.object({ documentId: z.number(), name: z.string(), sha256: z.string() })),
});

test('signed-in users download exactly the requested images, alone or as a ZIP, and compare a watched folder with the ledger, but no other directory', async () => {
  const { site, origin, cookie } = await underAttack();
  for (const name of ['one.jpg', 'two.jpg'])
    await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
  await until(async () => (await site.list('--state', 'accepted')).length === 2, 'two to be accepted');
  const { rows } = ROWS.parse((await perform(origin, cookie, 'documents')).json);
  const [first] = rows;
  if (first === undefined) throw new Error('no document');
  const bytes = async (path: string) => (await ask(origin, { path, headers: { cookie } })).bytes;

  const all = unzip(await bytes('/v1/documents.zip?states=accepted'));
  expect([...all.keys()].sort()).toEqual(rows.map(({ name }) => `${name}.jpg`).sort());
  const one = unzip(await bytes(`/v1/documents.zip?ids=${first.documentId}`));
  expect([...one.keys()]).toEqual([`${first.name}.jpg`]);
  expect(one.get(`${first.name}.jpg`)).toEqual(all.get(`${first.name}.jpg`));
  const scanned = await Promise.all(['one.jpg', 'two.jpg'].map((name) => readFile(site.file('inbox', name))));
  expect(scanned.some((scan) => scan.equals(one.get(`${first.name}.jpg`) ?? Buffer.alloc(0)))).toBe(true);
  // Unknown numbers return nothing.
  expect(unzip(await bytes('/v1/documents.zip?ids=999999,0')).size).toBe(0);
  const csv = String(await bytes(`/v1/documents.csv?ids=${first.documentId}`));
  expect(csv.split('\r\n')).toHaveLength(3);
  for (const ids of ['../../etc/passwd', '1;2', '1,', '-1', '1e9', '9'.repeat(30)]) {
    const answer = await ask(origin, {
      path: `/v1/documents.zip?ids=${encodeURIComponent(ids)}`,
      headers: { cookie },
    });
    expect([ids, answer.status]).toEqual([ids, 422]);
  }

  const compare = (folder: string) => perform(origin, cookie, 'compareFolder', { folder });
  expect((await compare(site.file('inbox'))).json).toMatchObject({
    listed: 2,
    known: 2,
    unaccounted: [],
    unaccountedCount: 0,
    notLookedAt: [],
  });
  for (const other of ['/etc', site.stateDir, `${site.file('inbox')}/..`, ''])
    expect([other, (await compare(other)).status]).toEqual([other, 422]);
  const span = { since: new Date(0).toISOString(), until: new Date(Date.now() + 60_000).toISOString() };
  expect((await perform(origin, cookie, 'seenCounts', span)).json).toEqual({
    counts: [{ folder: site.file('inbox'), state: 'accepted', count: 2 }],
  });

  const id = first.documentId;
  const routes = [
    '/v1/documents.zip',
    `/v1/documents.zip?ids=${id}`,
    `/v1/documents.csv?ids=${id}`,
    ...['image', 'thumbnail', 'preview', 'evidence'].map((what) => `/v1/documents/${id}/${what}`),
    `/v1/documents/${id}/thumbnail?of=${first.sha256.slice(0, 16)}`,
  ];
  const statuses = async (headers: Record<string, string>) =>
    Promise.all(routes.map(async (path) => (await ask(origin, { path, headers })).status));
  // No answer is a page, runs a script, or is cached where others find it. Only an answer whose address names its bytes is cached.
  for (const path of routes) {
    const { status, headers } = await ask(origin, { path, headers: { cookie } });
    const kept = path.includes('?of=')
      ? /^private, max-age=86400, immutable$/
      : /^(?:no-store|private, no-cache)$/;
    expect([path, status]).toEqual([path, 200]);
    expect(headers['cache-control']).toMatch(kept);
    expect(headers['content-type']).toMatch(/^(?:application\/(?:zip|json)|text\/csv|image\/(?:jpeg|webp))/);
    expect(headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
    expect(headers['x-content-type-options']).toBe('nosniff');
  }
  // Another page that makes a signed-in browser request them.
  for (const foreign of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
  ])
    expect(new Set(await statuses({ cookie, ...foreign }))).toEqual(new Set([403]));
  expect(new Set(await statuses({}))).toEqual(new Set([401]));
  // A known ETag does not replace a session either.
  expect(new Set(await statuses({ 'if-none-match': `"${first.sha256.slice(0, 16)}-thumbnail"` }))).toEqual(
    new Set([401]),
  );
  const left = await ask(origin, { method: 'DELETE', path: '/session', headers: own(origin, { cookie }) });
  expect([left.status, left.headers['clear-site-data']]).toEqual([204, '"cache"']);
  expect(new Set(await statuses({ cookie }))).toEqual(new Set([401]));
  expect((await perform(origin, cookie, 'actOnMany', { act: 'resend', filter: {} })).status).toBe(401);
});
