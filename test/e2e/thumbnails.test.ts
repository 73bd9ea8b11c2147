import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ask, perform, signIn } from '../console/server/browser.ts';
import { drawReceipt } from '../support/images.ts';
import { pdfOf } from '../support/pdf.ts';
import { prepare, until } from './support/agent.ts';

const ROWS = z.object({
  rows: z.array(
    z.object({
      documentId: z.number().nullable(),
      sha256: z.string(),
      path: z.string(),
      name: z.string().nullable(),
    }),
  ),
});

test('thumbnails of images and pages are drawn on demand, removed by an erasure, and shown only to signed-in users', async () => {
  const site = await prepare();
  await site.configure({
    folders: [
      { path: site.file('inbox'), endpoint: 'office', settle: { long: '250ms' }, accept: ['jpeg', 'tiff'] },
    ],
  });
  const agent = await site.quickStart();
  const [width, height] = [600, 900];
  const receipt = (seed: string, type: 'jpeg' | 'tiff') => drawReceipt({ type, seed, width, height });
  await writeFile(site.file('inbox', 'one.jpg'), await receipt('one', 'jpeg'));
  await writeFile(site.file('inbox', 'fax.tif'), await receipt('fax', 'tiff'));
  const page = { jpeg: await receipt('page', 'jpeg'), width, height };
  await writeFile(site.file('inbox', 'feeder.pdf'), pdfOf([page]));
  await until(async () => (await site.list('--state', 'accepted')).length === 3, 'three to be accepted');

  const link = (await site.quickMust('console', '--no-open')).trim();
  const { origin } = new URL(link);
  const cookie = await signIn(link);
  const listed = await perform(origin, cookie, 'documents');
  const rows = ROWS.parse(listed.json).rows.filter(({ documentId }) => documentId !== null);
  expect(rows).toHaveLength(3);
  const get = async (path: string, headers: Record<string, string> = { cookie }) =>
    ask(origin, { path, headers });
  const thumbnailOf = ({ documentId, sha256 }: (typeof rows)[number]) =>
    `/v1/documents/${documentId}/thumbnail?of=${sha256.slice(0, 16)}`;
  expect(existsSync(join(site.stateDir, 'thumbnails'))).toBe(false);
  for (const row of rows) {
    const shown = await get(thumbnailOf(row));
    expect([row.path, shown.status, shown.headers['content-type']]).toEqual([row.path, 200, 'image/webp']);
    expect(Number(shown.headers['content-length'])).toBeLessThan(20_000);
    expect((await get(thumbnailOf(row), {})).status).toBe(401);
    const known = { cookie, 'if-none-match': String(shown.headers.etag) };
    expect((await get(thumbnailOf(row), known)).status).toBe(304);
  }
  const kept = () => readdir(join(site.stateDir, 'thumbnails'));
  expect((await kept()).sort()).toEqual(rows.map(({ sha256 }) => `${sha256}.webp`).sort());

  const fax = rows.find(({ path }) => path.endsWith('fax.tif'));
  const preview = await get(`/v1/documents/${fax?.documentId}/preview`);
  expect([preview.status, preview.headers['receiptd-pages']]).toEqual([200, '1']);
  expect((await get(`/v1/documents/${fax?.documentId}/preview?page=2`)).status).toBe(404);

  const one = rows.find(({ path }) => path.endsWith('one.jpg'));
  if (!one?.name) throw new Error('one.jpg has no name');
  await rm(site.file('inbox', 'one.jpg'));
  expect(await site.quickMust('erase', one.name, '--yes')).toContain('of 1 document.');
  expect(await kept()).not.toContain(`${one.sha256}.webp`);
  expect((await get(thumbnailOf(one))).status).toBe(404);
  expect(await kept()).toHaveLength(2);

  // Even without an agent.
  await agent.stop();
  await rm(site.file('inbox', 'fax.tif'));
  await site.quickOnce();
  await site.quickMust('erase', fax?.name ?? '', '--yes');
  expect(await kept()).toHaveLength(1);
});
