import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DocumentStore } from '../../src/sandbox/store.ts';
import { Client, OFFICE, fields, keptBytes, scratch, sha256, start, ready } from './harness.ts';

test('every upload is stored byte for byte under any name', async () => {
  const { sandbox, client } = await ready();
  const sent = new Map<string, Buffer>();
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
        fc.constantFrom(
          '../../etc/passwd',
          '/',
          '..',
          'a\0b',
          'CON',
          '__proto__',
          'e\u0301.jpg',
          'é.jpg',
          '+ %2F&=',
        ),
      ),
      fc.uint8Array({ minLength: 1, maxLength: 2000 }),
      async (name, bytes) => {
        if (sent.has(name)) return;
        sent.set(name, Buffer.from(bytes));
        const answer = await client.upload(name, Buffer.from(bytes));
        expect(answer.status).toBe(200);
        expect(JSON.parse(answer.text)).toMatchObject({ name, endpointUid: OFFICE, status: 'PROCESSING' });
      },
    ),
    { numRuns: 60 },
  );
  expect(await keptBytes(sandbox)).toEqual(sent);
  expect((await readdir(sandbox.dir)).sort()).toEqual([
    OFFICE,
    'documents.jsonl',
    'endpoints.json',
    'incoming',
  ]);
});

test('a large body arrives complete, with a length or in chunks', async () => {
  const { sandbox, client } = await ready();
  const bytes = randomBytes(9_000_001);
  await client.upload('with length', bytes, {
    headers: { authorization: `Bearer ${client.token}`, 'content-type': 'image/png' },
  });
  await client.pool.request({
    method: 'POST',
    path: `/v2/endpoints/${OFFICE}/documents?name=chunked`,
    headers: { authorization: `Bearer ${client.token}` },
    body: Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]),
  });
  const documents = sandbox.received();
  expect(documents.map((document) => [document.name, document.contentType, document.bytes])).toEqual([
    ['with length', 'image/png', bytes.length],
    ['chunked', null, bytes.length],
  ]);
  for (const document of documents) expect(sha256(await readFile(document.file))).toBe(sha256(bytes));
});

test('a body over the limit gets 413, leaves nothing, and keeps the connection open', async () => {
  const sandbox = await start({ maxBodyBytes: 1000 });
  const client = await new Client(sandbox.url, 1).login();
  expect((await client.upload('limit', Buffer.alloc(1000))).status).toBe(200);
  expect((await client.upload('beyond', Buffer.alloc(5_000_000))).status).toBe(413);
  expect((await client.upload('after', 'bytes')).status).toBe(200);
  expect(sandbox.received().map((document) => document.name)).toEqual(['limit', 'after']);
  expect(await readdir(join(sandbox.dir, 'incoming'))).toEqual([]);
});

test('a repeat with the same bytes gets the same record and is counted', async () => {
  const { sandbox, client } = await ready();
  const first = await client.upload('x', 'bytes');
  const second = await client.upload('x', 'bytes');
  expect(second).toMatchObject({ status: 200, text: first.text });
  expect(sandbox.received()).toMatchObject([{ name: 'x', tries: 2 }]);
  expect(sandbox.stats()).toMatchObject({ stored: 1, repeats: 1, repeatsWithOtherBytes: 0, quotaUsed: 2 });
});

test.each(['accept', 'conflict'] as const)(
  'a repeat with different bytes is kept and counted (%s)',
  async (onRepeat) => {
    const { sandbox, client } = await ready({ onRepeat });
    await client.upload('x', 'one');
    const answer = await client.upload('x', 'two');
    expect(answer.status).toBe(onRepeat === 'accept' ? 200 : 409);
    const bytes = await Promise.all(sandbox.received().map((document) => readFile(document.file, 'utf8')));
    expect(bytes).toEqual(['one', 'two']);
    expect(sandbox.stats()).toMatchObject({ stored: 2, repeats: 1, repeatsWithOtherBytes: 1 });
  },
);

test('exactly one of many concurrent uploads of one name is the first', async () => {
  const { sandbox, client } = await ready({ onRepeat: 'conflict' });
  const bodies = Array.from({ length: 20 }, (_, index) => `bytes ${index}`);
  const answers = await Promise.all(bodies.map((body) => client.upload('x', body)));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  expect(sandbox.stats()).toMatchObject({ stored: 20, repeats: 19, repeatsWithOtherBytes: 19, quotaUsed: 1 });
});

test('a restart keeps endpoints, documents, counts and names', async () => {
  const dir = await scratch();
  const before = await start({ dir, endpoints: [{ uid: OFFICE, name: 'Office' }] });
  const client = await new Client(before.url).login();
  const created = await client.call('POST', '/v2/endpoints', { body: '{"name":"Depot"}' });
  const uid = String(fields(created.text)['uid']);
  const first = await client.upload('日本語 🧾', 'bytes');
  await client.upload('日本語 🧾', 'other bytes');
  const odd = 'a\u2028b\u2029c\rd\ne\0f"\\';
  await client.upload(odd, 'bytes', { uid });
  await client.upload(odd, 'bytes', { uid });
  const was = { received: before.received(), endpoints: before.endpoints(), stats: before.stats() };
  await before.close();

  const after = await start({ dir, endpoints: [{ uid: OFFICE, name: 'Renamed' }] });
  expect(after.received()).toEqual(was.received);
  expect(after.endpoints()).toEqual(was.endpoints);
  const { stored, repeats, repeatsWithOtherBytes, quotaUsed } = was.stats;
  expect([stored, repeats, repeatsWithOtherBytes, quotaUsed]).toEqual([3, 2, 1, 4]);
  expect(after.stats()).toMatchObject({ stored, repeats, repeatsWithOtherBytes, quotaUsed });
  const again = await new Client(after.url).login();
  expect((await again.upload('日本語 🧾', 'bytes')).text).toBe(first.text);
});

test('a restart clears or skips what a killed run left half done, and later lines are whole', async () => {
  const dir = await scratch();
  const before = await start({ dir });
  await (await new Client(before.url).login()).upload('x', 'bytes');
  await before.close();
  await writeFile(join(dir, 'incoming', 'dead.part'), 'half');
  await appendFile(join(dir, 'documents.jsonl'), '{"uid":"torn","endpointU');

  const after = await start({ dir });
  expect(await readdir(join(dir, 'incoming'))).toEqual([]);
  expect(after.received().map((document) => document.name)).toEqual(['x']);
  await (await new Client(after.url).login()).upload('y', 'bytes');
  await after.close();
  const third = await start({ dir });
  expect(third.received().map((document) => document.name)).toEqual(['x', 'y']);
});

test('a disk failure gets 500 with the reason, and the next upload succeeds', async () => {
  const { sandbox, client } = await ready();
  await rm(join(sandbox.dir, 'incoming'), { recursive: true });
  const answer = await client.upload('x', Buffer.alloc(2_000_000));
  expect([answer.status, answer.text]).toEqual([500, expect.stringContaining('ENOENT')]);
  await mkdir(join(sandbox.dir, 'incoming'));
  expect((await client.upload('x', 'bytes')).status).toBe(200);
  expect(sandbox.stats()).toMatchObject({ stored: 1, quotaUsed: 1, repeats: 0 });
});

test('an aborted body leaves no file behind', async () => {
  const dir = await scratch();
  const store = await DocumentStore.open(dir);
  const broken = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from('half');
    throw new Error('gone');
  };
  await expect(store.receive(broken(), 100)).rejects.toThrow('gone');
  expect(await readdir(join(dir, 'incoming'))).toEqual([]);
  await store.close();
});

test('a port in use is a system error, and the directory stays untouched', async () => {
  const running = await start();
  const dir = join(await scratch(), 'untouched');
  await expect(start({ dir, port: running.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await expect(readdir(dir)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('an endpoint uid that is no UUID is refused at startup, and the port is released', async () => {
  const dir = await scratch();
  await expect(start({ dir, endpoints: [{ uid: '../up', name: 'x' }] })).rejects.toThrow('UUID');
  await mkdir(join(dir, 'documents.jsonl'));
  await expect(start({ dir })).rejects.toMatchObject({ code: 'EISDIR' });
});
