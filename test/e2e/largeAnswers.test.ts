/** A service whose records contain megabytes of additional fields. */
import { createHash } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { sendJson, scriptedServer } from '../api/scriptedServer.ts';
import { drawReceipt } from '../support/images.ts';
import { OFFICE, prepare } from './support/agent.ts';

const TOKEN = { access_token: 'token', expires_in: 86_400, scope: '', token_type: 'Bearer' };
const IMAGES = 2;

test('answers of several megabytes are accepted, and the ledger keeps their beginning', async () => {
  const more = 'x'.repeat(15_500_000);
  const hashes: string[] = [];
  const server = await scriptedServer((request, response) => {
    if (request.url === '/v2/oauth2/token') return sendJson(response, 200, TOKEN);
    const name = new URL(request.url, 'http://x').searchParams.get('name');
    const body = JSON.stringify({ more, name, endpointUid: OFFICE, status: 'PROCESSING' });
    hashes.push(createHash('sha256').update(body).digest('hex'));
    return response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  const site = await prepare();
  await site.configure({ service: { baseUrl: server.baseUrl } });
  for (let n = 0; n < IMAGES; n += 1)
    await writeFile(site.file('inbox', `${n}.jpg`), await drawReceipt({ type: 'jpeg', seed: `${n}` }));
  expect(await site.once()).toMatchObject({ status: 0 });
  expect(hashes.length).toBe(IMAGES);
  const rows = await site.list('--state', 'accepted');
  expect(rows.length).toBe(IMAGES);
  expect((await stat(site.file('state', 'ledger.db'))).size).toBeLessThan(2_000_000);

  const { name } = rows[0] as { name: string };
  const shown = (await site.look('show', name, '--json')).stdout;
  const [detail] = JSON.parse(shown) as [
    { status: string; response: string; responseCut: { bytes: number; sha256: string } },
  ];
  expect(detail.status).toBe('PROCESSING');
  expect(detail.response).toMatch(/^\{"more":"x+$/);
  expect(detail.response.length).toBe(64_000);
  expect(hashes).toContain(detail.responseCut.sha256);
  const text = (await site.look('show', name)).stdout;
  expect(text.length).toBeLessThan(4_000);
  expect(text).toContain('(--json shows more of it)');
  expect(text).toContain(
    `(the ledger keeps the beginning of 16 MB; SHA-256 of all: ${detail.responseCut.sha256})`,
  );
});
