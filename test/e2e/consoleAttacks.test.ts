import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { ask, cookieOf, dial, own, perform, raw, received, signIn } from '../console/server/browser.ts';
import { unzip } from '../support/unzip.ts';
import { sha256, until } from './support/agent.ts';
import { attackedForFile, type Attacked } from './support/console.ts';

const ROWS = z.object({
  rows: z.array(z.object({ documentId: z.number(), name: z.string(), sha256: z.string() })),
});

const PAUSE = '{"target":"office"}';

const attacked = attackedForFile();

/** What the page sends with a request, up to its length. */
const headersOf = ({ origin, host, cookie }: Attacked) =>
  `Host: ${host}\r\nCookie: ${cookie}\r\nOrigin: ${origin}\r\nX-Receiptd: console\r\nContent-Type: application/json\r\n`;

/** A file on its way since before them, which a person sends over a slow line. */
let slow: Socket;
/** A page that somebody has open. */
let events: Socket;
/** Resolves once the console has ended the requests that never end, which begin before all others. */
let endless: Promise<unknown>;
beforeAll(async () => {
  const { origin } = attacked();
  const partial = [
    '',
    'GET',
    'GET / HTTP/1.1\r\nHost: ',
    `POST /v1/pause HTTP/1.1\r\n${headersOf(attacked())}Content-Length: 100\r\n\r\n{`,
  ];
  slow = await dial(origin);
  const type = headersOf(attacked()).replace('application/json', 'application/octet-stream');
  slow.write(
    `POST /v1/files?name=a.txt&endpoint=office HTTP/1.1\r\n${type}Connection: close\r\nContent-Length: 10\r\n\r\nMilk`,
  );
  events = await dial(origin);
  events.write(`GET /v1/events HTTP/1.1\r\n${headersOf(attacked())}\r\n`);
  events.resume();
  const begun = await Promise.all(Array.from({ length: 40 }, () => dial(origin)));
  for (const [at, socket] of begun.entries()) socket.write(partial[at % partial.length] ?? '');
  // Occasional bytes keep none of them open.
  const dripping = setInterval(() => {
    for (const socket of begun) if (socket.writable) socket.write('a');
  }, 1000);
  endless = Promise.all(begun.map(received)).finally(() => clearInterval(dripping));
});

/** The page's request to pause everything, except for headers that an attacker must omit or get wrong. */
function pause({ origin, cookie }: Attacked, headers: Record<string, string | undefined> = {}) {
  return ask(origin, {
    method: 'POST',
    path: '/v1/pause',
    headers: own(origin, { cookie, ...headers }),
    body: PAUSE,
  });
}

test('the console refuses a host name that was rebound to this machine', async () => {
  const { origin, host, cookie } = attacked();
  const port = host.split(':')[1];
  for (const name of [
    `evil.example:${port}`,
    'evil.example',
    `127.0.0.1.evil.example:${port}`,
    '',
    `localhost:${Number(port) - 1}`,
    '127.0.0.1',
    `localhost.:${port}`,
    `127.1:${port}`,
    `0.0.0.0:${port}`,
    `127.0.0.1:${port}@evil.example`,
    `evil.example#127.0.0.1:${port}`,
  ]) {
    for (const path of ['/', '/session', '/v1/events'])
      expect((await ask(origin, { path, headers: { host: name, cookie } })).status).toBe(421);
    // To the browser, a page under that name has the same origin.
    expect((await pause(attacked(), { host: name, origin: `http://${name}` })).status).toBe(421);
  }
  await attacked().stillWell();
});

test('the console refuses requests of another page that carry the cookie of the browser', async () => {
  const { origin, cookie } = attacked();
  const evil = 'https://evil.example';
  const tries: Record<string, string | undefined>[] = [
    // A form.
    {
      origin: evil,
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/x-www-form-urlencoded',
      'x-receiptd': undefined,
    },
    { origin: evil, 'sec-fetch-site': 'cross-site', 'content-type': 'text/plain', 'x-receiptd': undefined },
    {
      origin: 'null',
      'sec-fetch-site': 'cross-site',
      'content-type': 'multipart/form-data; boundary=a',
      'x-receiptd': undefined,
    },
    // A script that somehow passed the preflight.
    { origin: evil, 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    // A page on another port of this host.
    { origin: 'http://127.0.0.1:9', 'sec-fetch-site': 'same-site' },
    // An old browser, which sends no Sec-Fetch-Site.
    { origin: evil, 'sec-fetch-site': undefined },
    { origin: undefined, 'sec-fetch-site': undefined },
    // A beacon, or a link with `ping`.
    { 'content-type': 'text/ping', 'sec-fetch-site': 'cross-site', origin: evil },
    // The right origin, but without the headers that only a script of the page can add.
    { 'x-receiptd': undefined },
    { 'x-receiptd': 'yes' },
    ...['text/plain;charset=UTF-8', 'text/plain; application/json', undefined].map((type) => ({
      'content-type': type,
    })),
    ...['cross-site', 'same-site', 'none'].map((site) => ({ 'sec-fetch-site': site })),
    // Nearly the right origin.
    ...['', origin.replace('http:', 'https:'), origin.replace('127.0.0.1', 'localhost')].map((near) => ({
      origin: near,
    })),
    { origin: `${origin}.evil.example` },
  ];
  for (const headers of tries) {
    const answer = await pause(attacked(), headers);
    expect([headers, answer.status]).toEqual([headers, 403]);
    for (const method of ['POST', 'DELETE'])
      expect(
        (await ask(origin, { method, path: '/session', headers: own(origin, { cookie, ...headers }) }))
          .status,
      ).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  // The preflight of a script.
  const preflight = await ask(origin, {
    method: 'OPTIONS',
    path: '/v1/pause',
    headers: {
      origin: evil,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-receiptd',
    },
  });
  expect([
    preflight.status,
    Object.keys(preflight.headers).filter((name) => name.startsWith('access-control')),
  ]).toEqual([403, []]);
  // A GET never changes anything, whatever its headers say.
  for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override'])
    expect(
      (
        await ask(origin, {
          path: '/v1/pause',
          headers: own(origin, { cookie, [name]: 'POST' }),
          body: PAUSE,
        })
      ).status,
    ).not.toBe(200);
  for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
    const answer = await ask(origin, {
      method,
      path: '/v1/pause',
      headers: own(origin, { cookie }),
      body: PAUSE,
    });
    expect([method, answer.status, answer.text.includes('receiptd-')]).toEqual([method, 405, false]);
  }
  await attacked().stillWell();
});

test('the console refuses tokens and cookies that were used, stolen, invented or planted', async () => {
  const { origin, host, cookie } = attacked();
  const post = (body: object, headers = {}) =>
    ask(origin, {
      method: 'POST',
      path: '/session',
      headers: own(origin, headers),
      body: JSON.stringify(body),
    });
  const used = await attacked().link();
  const token = used.split('#token=')[1];
  await signIn(used);
  for (const wrong of [token, '', 'A'.repeat(43), `${token}=`, '../../state', '{}'])
    expect((await post({ token: wrong })).status).toBe(401);
  for (const wrong of [
    { token: [token] },
    { token: { length: 43 } },
    { password: 1 },
    { __proto__: { token } },
    {},
  ])
    expect((await post(wrong)).status).toBe(400);
  expect((await post({ password: 'no password is set' })).status).toBe(401);

  const secret = cookie.split('=')[1] ?? '';
  const port = Number(host.split(':')[1]);
  for (const wrong of [
    '',
    `receiptd-${port + 1}=${secret}`,
    `receiptd=${secret}`,
    `receiptd-${port}=${secret}x`,
    `receiptd-${port}=`,
  ])
    expect((await pause(attacked(), { cookie: wrong })).status).toBe(401);

  // After signing in, the browser has a new session, not one that somebody planted.
  const planted = await signIn(await attacked().link());
  const answer = await post({ token: (await attacked().link()).split('#token=')[1] }, { cookie: planted });
  expect(cookieOf(answer)).not.toBe(planted);
  expect((await pause(attacked(), { cookie: planted })).status).toBe(401);

  // The log contains nothing that signs anyone in.
  const log =
    attacked().agent.stderr + (await readFile(attacked().site.file('state', 'logs', 'receiptd.log'), 'utf8'));
  for (const known of [token ?? '', secret]) expect(log).not.toContain(known);
  await attacked().stillWell();
});

test('the console refuses operations that only the command line may request', async () => {
  const { origin, cookie, site } = attacked();
  const asked = [
    ['openConsole', {}],
    ['resultsPath', {}],
    ['backup', { output: site.file('inbox', 'stolen.jpg') }],
    ['recordEndpoint', { uid: 'u', name: 'n', verbatim: '{}' }],
  ] as const;
  for (const [operation, request] of asked) {
    const answer = await perform(origin, cookie, operation, request);
    expect([operation, answer.status, answer.json]).toMatchObject([
      operation,
      422,
      { code: 'CONSOLE_REFUSED' },
    ]);
  }
  await expect(readFile(site.file('inbox', 'stolen.jpg'))).rejects.toThrow('ENOENT');
  await attacked().stillWell();
});

test('the console streams only to signed-in users, up to a limit, and never as a page', async () => {
  const { origin, host, cookie } = attacked();
  await attacked().stillWell();
  const get = (path: string, headers = { cookie }) => ask(origin, { path, headers });
  const listed = await perform(origin, cookie, 'documents');
  const { rows } = ROWS.parse(listed.json);
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
  // One is open already.
  const streams = await Promise.all(Array.from({ length: 15 }, open));
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
  const headers = headersOf(attacked());
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

test('the console ends requests that never end, and survives too many connections', async () => {
  const { origin, cookie } = attacked();
  await endless;
  expect(events.closed).toBe(false);
  events.destroy();
  const answer = received(slow);
  slow.write(', eggs');
  expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 [^]*"outcome":"rejected"/);

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

test('signed-in users download exactly the requested images, alone or as a ZIP, and compare a watched folder with the ledger, but no other directory', async () => {
  const { site, origin } = attacked();
  await attacked().stillWell();
  const cookie = await signIn(await attacked().link());
  const { rows } = ROWS.parse((await perform(origin, cookie, 'documents')).json);
  const [first, second] = rows;
  if (first === undefined || second === undefined) throw new Error('no two documents');
  const bytes = async (path: string) => (await ask(origin, { path, headers: { cookie } })).bytes;

  const all = unzip(await bytes('/v1/documents.zip?states=accepted'));
  expect(all.size).toBeGreaterThan(1);
  expect([...all.keys()].sort()).toEqual(rows.map(({ name }) => `${name}.jpg`).sort());
  const one = unzip(await bytes(`/v1/documents.zip?ids=${first.documentId}`));
  expect([...one.keys()]).toEqual([`${first.name}.jpg`]);
  expect(one.get(`${first.name}.jpg`)).toEqual(all.get(`${first.name}.jpg`));
  expect(sha256(one.get(`${first.name}.jpg`) ?? Buffer.alloc(0))).toBe(first.sha256);
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
    listed: rows.length,
    known: rows.length,
    unaccounted: [],
    unaccountedCount: 0,
    notLookedAt: [],
  });
  for (const other of ['/etc', site.stateDir, `${site.file('inbox')}/..`, ''])
    expect([other, (await compare(other)).status]).toEqual([other, 422]);
  const span = { since: new Date(0).toISOString(), until: new Date(Date.now() + 60_000).toISOString() };
  expect((await perform(origin, cookie, 'seenCounts', span)).json).toEqual({
    counts: [
      { folder: site.file('inbox'), state: 'accepted', count: rows.length, newest: expect.any(String) },
    ],
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
