import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ask, cookieOf, own, perform, signIn } from '../console/server/browser.ts';
import { attackedForFile, type Attacked } from './support/console.ts';

const PAUSE = '{"target":"office"}';

const attacked = attackedForFile();

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
