import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { OFFICE } from '../../contract/ledger/support.ts';
import { place } from './readingPlace.ts';

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
  expect(kept.headers['content-disposition']).toMatch(
    /^attachment; filename="1\.jpeg"; filename\*=UTF-8''doc-a\.jpeg$/,
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
  await expect.poll(() => told, { timeout: 5_000 }).toMatch(/"state":"accepted","count":1/);
});
