import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { once } from '../../../src/control/streams.ts';
import { ask, own } from './browser.ts';
import { signedIn } from './opened.ts';

const STYLE = 'body { color: teal; }\n'.repeat(500);

async function opened() {
  const { statics, origin, cookie } = await signedIn(
    {},
    {
      operations: { retry: async () => ({ queued: 0, names: Array<string>(500).fill('scan'), next: null }) },
      streams: [
        {
          path: '/v1/documents/{id}/image',
          says: '',
          types: ['image/png'],
          query: {},
          serve: async () => ({ headers: { 'content-type': 'image/png' }, body: once('p'.repeat(9_000)) }),
        },
      ],
    },
  );
  await writeFile(join(statics, 'app.css'), STYLE);
  await writeFile(join(statics, 'app.css.br'), brotliCompressSync(STYLE));
  await writeFile(join(statics, 'app.css.gz'), gzipSync(STYLE));
  const get = (path: string, encoding: string, method = 'GET', body = '') =>
    ask(origin, { path, method, body, headers: own(origin, { cookie, 'accept-encoding': encoding }) });
  return { get };
}

describe('the compression of responses', () => {
  it('offers files with compressed copies in brotli, gzip or uncompressed, each with its own ETag', async () => {
    const { get } = await opened();
    const br = await get('/app.css', 'gzip, deflate, br');
    const gz = await get('/app.css', 'gzip');
    const plain = await get('/app.css', 'br;q=0, identity');
    expect(brotliDecompressSync(br.bytes).toString()).toBe(STYLE);
    expect(gunzipSync(gz.bytes).toString()).toBe(STYLE);
    expect(plain.bytes.toString()).toBe(STYLE);
    expect([br, gz, plain].map(({ headers }) => headers['content-encoding'])).toEqual([
      'br',
      'gzip',
      undefined,
    ]);
    expect(new Set([br, gz, plain].map(({ headers }) => headers['etag'])).size).toBe(3);
    for (const { headers } of [br, gz, plain]) expect(headers['vary']).toBe('accept-encoding');
    expect(br.bytes.length).toBeLessThan(STYLE.length / 10);
    const head = await get('/app.css', 'br', 'HEAD');
    expect([head.headers['content-encoding'], head.headers['content-length'], head.bytes.length]).toEqual([
      'br',
      String(br.bytes.length),
      0,
    ]);
  });

  it('covers JSON that is large enough, but never an image', async () => {
    const { get } = await opened();
    const small = await get('/v1/tryHeld', 'br', 'POST', '{}');
    expect([small.status, small.headers['content-encoding'], small.bytes.toString()]).toEqual([
      200,
      undefined,
      '{}',
    ]);
    const large = await get('/v1/retry', 'gzip', 'POST', '{}');
    expect(large.headers['content-encoding']).toBe('gzip');
    const { names } = JSON.parse(gunzipSync(large.bytes).toString()) as { names: string[] };
    expect(names).toHaveLength(500);
    expect(large.headers['content-length']).toBe(String(large.bytes.length));
    const image = await get('/v1/documents/1/image', 'br, gzip');
    expect([image.headers['content-encoding'], image.bytes.length]).toEqual([undefined, 9_000]);
  });
});
