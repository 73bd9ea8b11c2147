import { describe, expect, it } from 'vitest';
import { ask, own, perform, raw } from './browser.ts';
import { signedIn } from './opened.ts';

const REFUSED = expect.objectContaining({ code: 'CONSOLE_REFUSED' }) as unknown;

describe('the Host header', () => {
  it('must be the address of the console, localhost, or a configured name', async () => {
    const { origin, port } = await signedIn({ hosts: ['receipts.example.com', 'nas:9000'] });
    const status = async (host: string) => (await ask(origin, { headers: { host } })).status;
    const good = [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`];
    const named = ['receipts.example.com', `receipts.example.com:${port}`, 'nas:9000'];
    for (const host of [...good, ...named]) expect([host, await status(host)]).toEqual([host, 200]);
    const bad = [
      `evil.example:${port}`,
      '127.0.0.1',
      `127.0.0.1:${Number(port) + 1}`,
      `localhost.:${port}`,
      `127.1:${port}`,
      `0.0.0.0:${port}`,
      `127.0.0.1:${port}@evil.example`,
      `evil.example#127.0.0.1:${port}`,
      `receipts.example.com.evil.example:${port}`,
      'receipts.example.com:1',
      `nas:${port}`,
      'nas',
    ];
    for (const host of bad) {
      const answer = await ask(origin, { headers: { host } });
      expect([host, answer.status]).toEqual([host, 421]);
      expect(answer.json).toEqual(REFUSED);
    }
  });

  it('must occur exactly once', async () => {
    const { origin, port } = await signedIn();
    const end = 'Connection: close\r\n\r\n';
    const host = `Host: 127.0.0.1:${port}\r\n`;
    expect(await raw(origin, `GET / HTTP/1.1\r\n${host}${end}`)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await raw(origin, `GET / HTTP/1.1\r\n${host}Host: evil.example\r\n${end}`)).toMatch(
      /^HTTP\/1\.1 400 /,
    );
    expect(await raw(origin, `GET / HTTP/1.1\r\n${end}`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(await raw(origin, `GET / HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 421 /);
    expect(await raw(origin, `GET http://127.0.0.1:${port}/ HTTP/1.1\r\n${host}${end}`)).toMatch(
      /^HTTP\/1\.1 400 /,
    );
  });
});

describe('a request that changes something', () => {
  it('must come from the page itself', async () => {
    const { origin, port, cookie, performed } = await signedIn();
    expect((await perform(origin, cookie, 'retry', { all: true })).status).toBe(200);
    expect(performed).toHaveLength(1);
    const wrong: Record<string, string | undefined>[] = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { origin: `http://localhost:${port}` },
      { origin: `https://127.0.0.1:${port}` },
      { origin: `${origin}.evil.example` },
      { origin: '' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: undefined, 'sec-fetch-site': undefined },
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-type': 'text/plain; application/json' },
      { 'content-type': undefined },
      { 'x-receiptd': undefined },
      { 'x-receiptd': 'yes' },
    ];
    for (const headers of wrong) {
      const asked = { method: 'POST', headers: own(origin, { cookie, ...headers }), body: '{"all":true}' };
      for (const path of ['/v1/retry', '/session']) {
        const answer = await ask(origin, { ...asked, path });
        expect([headers, answer.status, answer.json]).toEqual([headers, 403, REFUSED]);
      }
      const out = await ask(origin, { ...asked, method: 'DELETE', path: '/session' });
      expect([headers, out.status]).toEqual([headers, 403]);
    }
    expect(performed).toHaveLength(1);
    // Nobody was signed out either.
    expect((await perform(origin, cookie, 'retry', { all: true })).status).toBe(200);
  });

  it('may come through an HTTPS reverse proxy', async () => {
    const { origin, cookie } = await signedIn({ hosts: ['receipts.example.com'] });
    const through = (headers: Record<string, string>) =>
      ask(origin, {
        method: 'POST',
        path: '/v1/tryHeld',
        headers: own(origin, { host: 'receipts.example.com', cookie, ...headers }),
        body: '{}',
      });
    expect((await through({ origin: 'https://receipts.example.com' })).status).toBe(200);
    expect((await through({ origin: 'http://receipts.example.com' })).status).toBe(200);
    expect((await through({ origin: 'https://other.example.com' })).status).toBe(403);
    expect((await through({ origin })).status).toBe(403);
  });

  it('is recorded as made in the console, whatever the page claims', async () => {
    const { origin, cookie, performed } = await signedIn();
    await perform(origin, cookie, 'pause', { target: 'office', by: 'root' });
    expect(performed).toEqual([['pause', { target: 'office', by: 'console' }]]);
  });

  it('is rejected if only the command line may do it', async () => {
    const { origin, cookie, performed } = await signedIn();
    for (const [operation, request] of [
      ['openConsole', {}],
      ['resultsPath', {}],
      ['recordEndpoint', { uid: 'u', name: 'n', verbatim: '{}' }],
      ['backup', { output: '/tmp/anywhere' }],
      ['backup', { output: '' }],
    ] as const) {
      const answer = await perform(origin, cookie, operation, request);
      expect([operation, answer.status, answer.json]).toEqual([operation, 422, REFUSED]);
    }
    expect(performed).toEqual([]);
    expect((await perform(origin, cookie, 'backup')).status).toBe(200);
    expect((await perform(origin, cookie, 'status')).status).toBe(404);
  });
});

describe('a request that only reads', () => {
  it('is rejected if it comes from another site', async () => {
    const { origin, cookie } = await signedIn();
    const status = async (path: string, headers: Record<string, string>) =>
      (await ask(origin, { path, headers: { cookie, ...headers } })).status;
    for (const path of ['/session', '/v1/nothing']) {
      const fine = path === '/session' ? 200 : 404;
      expect(await status(path, {})).toBe(fine);
      expect(await status(path, { 'sec-fetch-site': 'same-origin' })).toBe(fine);
      expect(await status(path, { 'sec-fetch-site': 'none' })).toBe(fine);
      expect(await status(path, { 'sec-fetch-site': 'cross-site' })).toBe(403);
      expect(await status(path, { 'sec-fetch-site': 'same-site' })).toBe(403);
      expect(await status(path, { origin: 'http://evil.example' })).toBe(403);
    }
    // A link in a mail and the redirect file of the browser still lead to the page.
    expect(await status('/', { 'sec-fetch-site': 'cross-site' })).toBe(200);
  });
});

it('the console accepts only known methods, and no method override', async () => {
  const { origin, cookie, performed } = await signedIn();
  const status = async (method: string, path: string) =>
    (await ask(origin, { method, path, headers: own(origin, { cookie }) })).status;
  for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])
    for (const path of ['/', '/v1/retry'])
      expect([method, path, await status(method, path)]).toEqual([method, path, 405]);
  expect(await status('HEAD', '/v1/retry')).toBe(405);
  expect(await status('POST', '/')).toBe(405);
  for (const override of ['x-http-method-override', 'x-http-method', 'x-method-override'])
    await ask(origin, {
      path: '/v1/retry?_method=POST',
      headers: own(origin, { cookie, [override]: 'POST' }),
    });
  expect(performed).toEqual([]);
});

it('the console sends the security headers with every response', async () => {
  const { origin, cookie } = await signedIn();
  const answers = [
    await ask(origin),
    await ask(origin, { path: '/nothing' }),
    await ask(origin, { path: '/session' }),
    await perform(origin, cookie, 'tryHeld'),
    await perform(origin, 'none', 'tryHeld'),
    await ask(origin, { headers: { host: 'evil.example' } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200, 401, 421]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'x-frame-options': 'DENY',
    });
    expect(headers['content-security-policy']).toMatch(/default-src 'none';.*frame-ancestors 'none'/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/);
    for (const name of Object.keys(headers))
      expect(name).not.toMatch(/^access-control|^strict-transport|^server$|powered/);
  }
  expect(answers[3]?.headers['content-security-policy']).toMatch(/^sandbox;/);
});
