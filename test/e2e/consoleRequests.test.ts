import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ask, dial, own, perform, raw, received } from '../console/server/browser.ts';
import { until } from './support/agent.ts';
import { attackedForFile } from './support/console.ts';

const PAUSE = '{"target":"office"}';

const attacked = attackedForFile();

test('the console streams only to signed-in users, up to a limit, and never as a page', async () => {
  const { origin, host, cookie } = attacked();
  await attacked().stillWell();
  const get = (path: string, headers = { cookie }) => ask(origin, { path, headers });
  const listed = await perform(origin, cookie, 'documents');
  const { rows } = z.object({ rows: z.array(z.object({ documentId: z.number() })) }).parse(listed.json);
  const path = `/v1/documents/${rows[0]?.documentId}/image`;
  const shown = await get(path);
  expect(shown.status).toBe(200);
  expect(shown.headers).toMatchObject({
    'content-type': 'image/jpeg',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
  });
  expect(shown.headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'/);
  for (const each of [
    path,
    '/v1/documents.csv',
    '/v1/events',
    `/v1/documents/${rows[0]?.documentId}/evidence`,
  ])
    expect([each, (await get(each, { cookie: '' })).status]).toEqual([each, 401]);
  // Only the numbers of existing documents.
  for (const id of ['0', '-1', '1e9', '99999999999999999999', 'a', '', '1%2f..', "1'--"])
    expect([id, [400, 404, 422].includes((await get(`/v1/documents/${id}/image`)).status)]).toEqual([
      id,
      true,
    ]);

  const open = async () => {
    const socket = await dial(origin);
    socket.write(`GET /v1/events HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    return { socket, status: first.toString().slice(9, 12) };
  };
  const streams = await Promise.all(Array.from({ length: 16 }, open));
  expect(streams.map(({ status }) => status)).toEqual(streams.map(() => '200'));
  const over = await get('/v1/events');
  expect([over.status, over.json]).toMatchObject([503, { code: 'CONSOLE_REFUSED' }]);
  streams[0]?.socket.destroy();
  await until(async () => {
    const { socket, status } = await open();
    socket.destroy();
    return status === '200';
  }, 'a place to become free');
  for (const { socket } of streams) socket.destroy();
  await attacked().stillWell();
});

test('the console serves no path outside its pages, however it is spelled', async () => {
  const { origin, host, cookie, site } = attacked();
  const steps = [
    '..',
    '%2e%2e',
    '%2E.',
    '.%2e',
    '%252e%252e',
    '..%00',
    '%c0%ae%c0%ae',
    '%uff0e%uff0e',
    '..;',
    '....',
    '．．',
  ];
  const slashes = ['/', '%2f', '%5c', '\\', '%252f', '//', '/./', '%c0%af'];
  const targets = [
    'etc/passwd',
    site.config.slice(1),
    'receiptd.yaml',
    'package.json',
    'main.js',
    'control.sock',
  ];
  // Each step with each slash, then one of the targets.
  const paths = steps.flatMap((step, n) =>
    slashes.map((slash, at) => `${(step + slash).repeat(6)}${targets[(n + at) % targets.length]}`),
  );
  const absolute = [
    '/etc/passwd',
    '//etc/passwd',
    'file:///etc/passwd',
    '\\\\etc\\passwd',
    'C:\\Windows\\win.ini',
  ];
  const requests = [...paths, ...absolute].flatMap((path) => [
    `/${path}`,
    `/assets/${path}`,
    `/v1/${path}`,
    `/v1/documents/${path}/image`,
  ]);
  let answered = '';
  for (let at = 0; at < requests.length; at += 50) {
    const lines = requests.slice(at, at + 50).map((path) => Buffer.from(path).toString('latin1'));
    const texts = await Promise.all(
      lines.map((path) =>
        raw(
          origin,
          `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nConnection: close\r\n\r\n`,
        ),
      ),
    );
    answered += texts.join('\n');
  }
  const statuses = new Set([...answered.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status));
  // 422: not a document number; 503: built without the pages.
  for (const status of statuses) expect(['400', '404', '422', '503']).toContain(status);
  expect(answered.match(/^HTTP\/1\.1 /gm)?.length).toBe(requests.length);
  expect(answered).not.toMatch(/root:|baseUrl|devDependencies|import /);
  await attacked().stillWell();
});

test('the console refuses requests that are too large, malformed or smuggled', async () => {
  const { origin, host, cookie } = attacked();
  const headers = `Host: ${host}\r\nCookie: ${cookie}\r\nOrigin: ${origin}\r\nX-Receiptd: console\r\nContent-Type: application/json\r\n`;
  const smuggled = `POST /v1/pause HTTP/1.1\r\n${headers}Content-Length: ${PAUSE.length}\r\n\r\n${PAUSE}`;
  const post = `POST /v1/tryHeld HTTP/1.1\r\n${headers}`;
  const chunk = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
  const two = [
    `${post}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    `${post}Content-Length: ${chunk.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${post}Content-Length: 2\r\nContent-Length: 0\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: 0, 2\r\n\r\n{}${smuggled}`,
    `${post}Content-Length: +2\r\n\r\n{}${smuggled}`,
    `${post}Content-Length : 0\r\n\r\n${smuggled}`,
    `${post}Transfer-Encoding: xchunked\r\n\r\n${smuggled}`,
    `${post}Transfer-Encoding: chunked, identity\r\n\r\n${chunk}`,
    `${post}Transfer-Encoding:\x0bchunked\r\n\r\n${chunk}`,
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n${smuggled}`,
    `${post}X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n${smuggled.replaceAll('\r\n', '\n')}`,
    `${post}X-A: b\rX: y\r\nContent-Length: 2\r\n\r\n{}${smuggled.replaceAll('\r\n', '\r')}`,
  ];
  for (const text of two) {
    const answer = await raw(origin, text);
    expect([text.slice(post.length, post.length + 60), answer.slice(0, 13)]).toEqual([
      expect.any(String),
      'HTTP/1.1 400 ',
    ]);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  }
  // An unread body is not the next request.
  const unread = `POST /v1/pause HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
  expect((await raw(origin, unread)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403']);

  const broken = [
    '\0\0\0\0\r\n\r\n',
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: ${host}\r\nBad Header\r\n\r\n`,
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ];
  for (const text of broken)
    expect([text, await raw(origin, text)]).toEqual([text, expect.stringMatching(/^HTTP\/1\.1 [45]0\d /)]);
  const large = [
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${host}\r\nX-A: ${'a'.repeat(100_000)}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: ${host}\r\n${'X-A: a\r\n'.repeat(20_000)}\r\n`,
    `GET / HTTP/1.1\r\nHost: ${host}\r\n${'A:\r\n'.repeat(500)}\r\n`,
  ];
  for (const text of large) expect(await raw(origin, text)).toMatch(/^(?:HTTP\/1\.1 431 |$)/);
  const body = (text: string) =>
    ask(origin, { method: 'POST', path: '/v1/retry', headers: own(origin, { cookie }), body: text });
  for (const text of [
    '',
    '{',
    'null',
    '[]',
    '"a"',
    '{"all":"yes"}',
    '\ufeff{}',
    '['.repeat(500_000),
    '{"names":['.repeat(50_000),
  ])
    expect([text.slice(0, 20), (await body(text)).status]).toEqual([text.slice(0, 20), 400]);
  const huge = await body(`{"names":["${'x'.repeat(2_000_000)}"]}`).catch(() => null);
  expect(huge === null || huge.status === 413).toBe(true);
  expect(
    (await ask(origin, { method: 'POST', path: '/session', headers: own(origin), body: 'x'.repeat(20_000) }))
      .status,
  ).toBe(400);
  await attacked().stillWell();
});

test('the console survives requests that never end and too many connections', async () => {
  const { origin, host, cookie } = attacked();
  const begun = await Promise.all(Array.from({ length: 40 }, () => dial(origin)));
  const ends = begun.map((socket) => received(socket));
  const headers = `Host: ${host}\r\nCookie: ${cookie}\r\nOrigin: ${origin}\r\nX-Receiptd: console\r\nContent-Type: application/json\r\n`;
  const partial = [
    '',
    'GET',
    'GET / HTTP/1.1\r\nHost: ',
    `POST /v1/pause HTTP/1.1\r\n${headers}Content-Length: 100\r\n\r\n{`,
  ];
  for (const [at, socket] of begun.entries()) socket.write(partial[at % partial.length] ?? '');
  // Occasional bytes keep none of them open.
  const dripping = setInterval(() => {
    for (const socket of begun) if (socket.writable) socket.write('a');
  }, 1000);
  // The console and the agent work in the meantime.
  await attacked().stillWell();
  await Promise.all(ends);
  clearInterval(dripping);

  // Too many connections: the oldest are ended for the newest, and signed-in users are still answered.
  const many: Socket[] = [];
  let ended = 0;
  for (let hundred = 0; hundred < 6; hundred += 1) {
    for (let n = 0; n < 100; n += 1) {
      const socket = await dial(origin);
      socket.on('error', () => {}).on('close', () => (ended += 1));
      many.push(socket);
    }
    expect((await perform(origin, cookie, 'status')).status).toBe(200);
  }
  await until(() => ended >= 600 - 512, 'the first to be ended');
  expect((await perform(origin, cookie, 'status')).status).toBe(200);
  expect((await attacked().site.look('status')).status).toBe(0);
  for (const socket of many) socket.destroy();
  await attacked().stillWell();
});
