import { describe, expect, it } from 'vitest';
import { ask, own, perform, raw } from './browser.ts';
import { signedIn } from './opened.ts';

describe('the Host header', () => {
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
