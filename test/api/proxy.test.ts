import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, hasOpenssl, tlsServer, type Authority } from './certificates.ts';
import { client, never, TIMEOUTS, UID, uploadRequest } from './client.ts';
import { proxyServer } from './proxy.ts';
import { scriptedServer, sendJson } from './scriptedServer.ts';
import { freePort } from '../support/ports.ts';
import { meaningOf } from './faultMeaning.ts';

const record = { name: 'receipt.jpg', endpointUid: UID, status: 'PROCESSING' };
const LOGIN = 'scan:p@ss w\u00f6rd';
const IN_URL = 'scan:p%40ss%20w%C3%B6rd';
const okay = { kind: 'response', httpStatus: 200 };

describe('a service with http, through a proxy', () => {
  it('gets the request forwarded, without the password of the proxy, over one connection', async () => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const proxy = await proxyServer({ login: LOGIN });
    const { service } = client(`${server.baseUrl}/prefix`, { proxy: `http://${IN_URL}@${proxy.host}` });
    for (const bytes of [Buffer.from('small'), Buffer.alloc(700_000, 7)]) {
      expect(await service.upload(uploadRequest({ bytes }), never)).toMatchObject(okay);
    }
    expect(server.received.map(({ url }) => url)).toEqual(
      [1, 2].map(() => `/prefix/v2/endpoints/${UID}/documents?name=receipt.jpg`),
    );
    expect(server.received[1]?.body.equals(Buffer.alloc(700_000, 7))).toBe(true);
    expect(server.received[0]?.headers.host).toBe(new URL(server.baseUrl).host);
    expect(server.received[0]?.headers.authorization).toBe('Bearer token-for-tests');
    expect(server.received[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(proxy.seen[0]?.line).toBe(
      `POST ${server.baseUrl}/prefix/v2/endpoints/${UID}/documents?name=receipt.jpg`,
    );
  });

  it('names a proxy that requires a password, and counts nothing as sent', async () => {
    const server = await scriptedServer((_request, response) => sendJson(response, 200, record));
    const proxy = await proxyServer({ login: LOGIN });
    const { service, tokens } = client(server.baseUrl, { proxy: `http://scan:wrong-one@${proxy.host}` });
    const answer = await service.upload(uploadRequest(), never);
    expect(answer).toMatchObject({ kind: 'fault', sent: false, code: 'PROXY_HTTP_407' });
    expect(answer).toHaveProperty('fault', expect.objectContaining({ at: 'proxyAnswer', host: proxy.host }));
    await expect(tokens.token()).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' });
    expect(JSON.stringify(answer)).not.toContain('wrong-one');
    expect(server.received).toEqual([]);
  });

  it('names an unreachable proxy', async () => {
    const port = await freePort();
    const { service } = client('http://127.0.0.1:9', { proxy: `http://127.0.0.1:${port}` });
    expect(await service.upload(uploadRequest(), never)).toMatchObject({
      kind: 'fault',
      sent: false,
      fault: { at: 'forward', host: `127.0.0.1:${port}`, code: 'ECONNREFUSED' },
    });
    await expect(service.whoami()).rejects.toMatchObject({
      code: 'SERVICE_UNREACHABLE',
      hint: expect.stringContaining('Check service.proxy'),
    });
  });
});

describe.skipIf(!hasOpenssl)('a service with https, through a proxy', () => {
  let authority: Authority;
  beforeAll(() => {
    authority = createAuthority();
  });
  afterAll(() => authority.remove());

  it('is reached through a reused tunnel, which hides token and image from the proxy', async () => {
    const server = await tlsServer(authority.issue('IP:127.0.0.1'), record);
    const proxy = await proxyServer({ login: LOGIN });
    const { service } = client(`https://127.0.0.1:${server.port}`, {
      proxy: `http://${IN_URL}@${proxy.host}`,
      ca: authority.file,
    });
    const bytes = Buffer.from('image bytes '.repeat(60_000));
    for (let sent = 0; sent < 10; sent += 1) {
      expect(await service.upload(uploadRequest({ bytes }), never)).toMatchObject(okay);
    }
    expect(server.received.map(({ body }) => body.equals(bytes))).toEqual(Array(10).fill(true));
    expect(server.received[0]?.headers.authorization).toBe('Bearer token-for-tests');
    expect(server.received[0]?.headers['content-length']).toBe(String(bytes.length));
    expect(server.received[0]?.headers).not.toHaveProperty('transfer-encoding');
    expect(JSON.stringify(server.received.map(({ headers }) => headers))).not.toContain('proxy-');
    // A second one may be opened where the first is not known to be free yet.
    expect(proxy.seen.length).toBeLessThanOrEqual(2);
    expect(proxy.seen[0]?.line).toBe(`CONNECT 127.0.0.1:${server.port}`);
    expect(JSON.stringify(proxy.seen)).not.toContain('token-for-tests');
    expect(proxy.tunnelled().length).toBeGreaterThan(bytes.length * 10);
    expect(proxy.tunnelled().toString('latin1')).not.toMatch(/token-for-tests|image bytes/);
  });

  it('is reached through a proxy that uses TLS', async () => {
    const server = await tlsServer(authority.issue('IP:127.0.0.1'), record);
    const proxy = await proxyServer({ tls: authority.issue('IP:127.0.0.1') });
    const { service } = client(`https://127.0.0.1:${server.port}`, {
      proxy: `https://${proxy.host}`,
      ca: authority.file,
    });
    const bytes = Buffer.alloc(900_000, 3);
    expect(await service.upload(uploadRequest({ bytes }), never)).toMatchObject(okay);
    expect(proxy.seen).toHaveLength(1);
  });

  it('does not have to be named in the certificate of the proxy', async () => {
    const proxy = await proxyServer({ tls: authority.issue('IP:127.0.0.1'), answer: 403 });
    const { service } = client('https://service.example', {
      proxy: `https://${proxy.host}`,
      ca: authority.file,
    });
    expect(await service.upload(uploadRequest(), never)).toMatchObject({ code: 'PROXY_HTTP_403' });
  });

  it('is reached at its IPv6 address', async () => {
    const server = await tlsServer(authority.issue('IP:::1'), record, '::1');
    const proxy = await proxyServer();
    for (const way of ['direct', `http://${proxy.host}`]) {
      const { service } = client(`https://[::1]:${server.port}`, { proxy: way, ca: authority.file });
      expect(await service.upload(uploadRequest(), never)).toMatchObject(okay);
    }
    expect(proxy.seen.map(({ line }) => line)).toEqual([`CONNECT [::1]:${server.port}`]);
  });

  it.each([
    [407, 'PROXY_HTTP_407', { at: 'proxyAnswer', status: 407 }],
    [403, 'PROXY_HTTP_403', { at: 'proxyAnswer', status: 403, authority: 'service.example:443' }],
    [502, 'PROXY_HTTP_502', { at: 'proxyAnswer', status: 502, authority: 'service.example:443' }],
    ['drop' as const, 'PROXY_ECONNRESET', { at: 'proxy', code: 'ECONNRESET' }],
    ['hang' as const, 'PROXY_TIMEOUT', { at: 'proxy', code: 'TIMEOUT' }],
  ])(
    'CONNECT that ends with %s is trouble of the proxy, told without its password',
    async (answer, code, fault) => {
      const proxy = await proxyServer({ answer });
      const said: string[] = [];
      const { service } = client('https://service.example', {
        proxy: `http://${IN_URL}@${proxy.host}`,
        timeouts: { ...TIMEOUTS, connectMs: 300 },
        addSecret: (value) => said.push(value),
      });
      const result = await service.upload(uploadRequest(), never);
      expect(result).toMatchObject({
        kind: 'fault',
        sent: false,
        code,
        fault: { host: proxy.host, ...fault },
      });
      expect(said).toContain('p@ss w\u00f6rd');
      for (const secret of said) expect(JSON.stringify(result)).not.toContain(secret);
      // Nothing connects again by itself, in a loop.
      expect(proxy.seen).toHaveLength(1);
    },
  );

  it('reports a tunnel that is cut at once, without retrying in a loop', async () => {
    const proxy = await proxyServer({ answer: 'dropAfter' });
    const { service } = client('https://service.example', { proxy: `http://${proxy.host}` });
    expect(await service.upload(uploadRequest(), never)).toMatchObject({ kind: 'fault', sent: false });
    expect(proxy.seen).toHaveLength(1);
  });

  it('sends no request through a proxy that presents its own certificate for the service', async () => {
    const foreign = createAuthority();
    try {
      const eavesdropper = await tlsServer(foreign.issue('DNS:service.example'), record);
      const proxy = await proxyServer({ to: eavesdropper.port });
      const { service } = client('https://service.example', {
        proxy: `http://${proxy.host}`,
        ca: authority.file,
      });
      const answer = await service.upload(uploadRequest(), never);
      expect(answer).toMatchObject({ kind: 'fault', sent: false });
      expect(meaningOf(answer)).toBe('inspected');
      expect(eavesdropper.received).toEqual([]);
      // Trusted explicitly, it is let in.
      const trusting = client('https://service.example', { proxy: `http://${proxy.host}`, ca: foreign.file });
      expect(await trusting.service.upload(uploadRequest(), never)).toMatchObject(okay);
    } finally {
      foreign.remove();
    }
  });
});
