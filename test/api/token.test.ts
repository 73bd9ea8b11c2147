import { describe, expect, it } from 'vitest';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import type { CredentialsSource } from '../../src/core/ports/credentials.ts';
import { client, CLIENT_SECRET, never, uploadRequest } from './client.ts';
import { issuer, scriptedServer, sendJson } from './scriptedServer.ts';
import { freePort } from '../support/ports.ts';

describe('a token', () => {
  it('is requested as the interface specifies, and cached', async () => {
    const server = await issuer();
    const { tokens } = client(`${server.baseUrl}/api`);
    expect(await tokens.token()).toBe('token-1');
    expect(await tokens.token()).toBe('token-1');
    expect(server.received).toHaveLength(1);
    const [request] = server.received;
    expect([request?.method, request?.url]).toEqual(['POST', '/api/v2/oauth2/token']);
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers.authorization).toBeUndefined();
    expect(JSON.parse(String(request?.body))).toEqual({
      client_id: 'id',
      client_secret: CLIENT_SECRET,
      grant_type: 'client_credentials',
    });
  });

  it('is requested once for a hundred concurrent callers', async () => {
    const server = await issuer();
    const { tokens } = client(server.baseUrl);
    const all = await Promise.all(Array.from({ length: 100 }, () => tokens.token()));
    expect(new Set(all)).toEqual(new Set(['token-1']));
    expect(server.received).toHaveLength(1);
  });

  it('reaches the other waiting callers if one aborts', async () => {
    const abort = new AbortController();
    const reason = new Error('gave up');
    let answer = (): void => {};
    const server = await scriptedServer((_request, response) => {
      answer = () => sendJson(response, 200, { access_token: 'token', expires_in: 60 });
      abort.abort(reason);
    });
    const { tokens } = client(server.baseUrl);
    const impatient = tokens.token(abort.signal);
    const patient = tokens.token(never);
    await expect(impatient).rejects.toBe(reason);
    answer();
    expect(await patient).toBe('token');
    expect(server.received).toHaveLength(1);
  });

  it('does not keep a caller waiting that has aborted already', async () => {
    const server = await issuer();
    const reason = new Error('gave up');
    await expect(client(server.baseUrl).tokens.token(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.received).toEqual([]);
  });

  it('is replaced once after a refusal; late refusals of the old one have no effect', async () => {
    const server = await issuer();
    const { tokens } = client(server.baseUrl);
    const old = await tokens.token();
    tokens.refused(old);
    tokens.refused(old);
    expect(await tokens.token()).toBe('token-2');
    tokens.refused(old);
    expect(await tokens.token()).toBe('token-2');
    expect(server.received).toHaveLength(2);
  });

  it('does not wait behind hanging uploads', async () => {
    const server = await scriptedServer((request, response) => {
      if (request.url === '/v2/oauth2/token') sendJson(response, 200, { access_token: 'token' });
    });
    // Longer than the test may last: no upload makes room by timing out.
    const timeouts = { connectMs: 60_000, progressMs: 60_000, headersMs: 60_000, bodyMs: 60_000 };
    const { service, tokens } = client(server.baseUrl, { connections: 2, timeouts });
    const abort = new AbortController();
    const uploads = [1, 2].map(() => service.upload(uploadRequest(), abort.signal));
    expect(await tokens.token()).toBe('token');
    abort.abort();
    await Promise.allSettled(uploads);
  });
});

describe('without a token', () => {
  const failure = async (baseUrl: string, source?: CredentialsSource): Promise<ReceiptdError> => {
    const { tokens, log } = client(baseUrl, source ? { credentials: source } : {});
    const error: unknown = await tokens.token().catch((thrown: unknown) => thrown);
    if (!(error instanceof ReceiptdError)) throw new Error(`expected a ReceiptdError, got ${String(error)}`);
    expect(`${error.sentence()} ${String(error.cause)} ${log.lines.join(' ')}`).not.toContain(CLIENT_SECRET);
    return error;
  };

  it.each<[number, string]>([
    ...[400, 401, 403].map((status): [number, string] => [status, 'CREDENTIALS_REFUSED']),
    ...[200, 204, 302, 404, 418, 429, 500].map((status): [number, string] => [status, 'SERVICE_ANSWER']),
  ])(
    'HTTP %d is %s, and quotes neither the secret nor a token in a field that nobody knows',
    async (status, code) => {
      const granted = 'a-token-that-is-in-no-field-known';
      const server = await scriptedServer((request, response) =>
        response
          .writeHead(status)
          .end(status === 204 ? '' : `${String(request.body)} {"token":"${granted}"}`),
      );
      const error = await failure(server.baseUrl);
      expect(error.code).toBe(code);
      const told = JSON.stringify([error.message, error.hint, String(error.cause), error.stack]);
      for (const secret of [granted, CLIENT_SECRET]) expect(told).not.toContain(secret);
    },
  );

  it.each([
    '<html>Welcome</html>',
    '{"expires_in":60}',
    '{"access_token":7}',
    '{"access_token":""}',
    '{"access_token":"a b"}',
    JSON.stringify({ access_token: 'a\r\nx-evil: 1' }),
    // Longer than any header may be.
    JSON.stringify({ access_token: 'x'.repeat(100_000) }),
    '{"access_token":"t\u00f6ken"}',
    'null',
  ])('the answer %.40s makes no sense', async (body) => {
    const server = await scriptedServer((_request, response) => response.writeHead(200).end(body));
    expect((await failure(server.baseUrl)).code).toBe('SERVICE_ANSWER');
  });

  it.each([
    [429, '120', 120_000],
    [503, '7', 7000],
    [503, undefined, null],
  ])('HTTP %d with Retry-After %s says how long to wait', async (status, header, retryAfterMs) => {
    const server = await scriptedServer((_request, response) =>
      response.writeHead(status, header === undefined ? {} : { 'retry-after': header }).end(),
    );
    expect(await failure(server.baseUrl)).toMatchObject({ code: 'SERVICE_ANSWER', retryAfterMs });
  });

  it('an unreachable service is reported as unreachable', async () => {
    const port = await freePort();
    const error = await failure(`http://127.0.0.1:${port}`);
    expect(error.code).toBe('SERVICE_UNREACHABLE');
  });

  it('an error of the credentials source is passed on, and the next caller tries again', async () => {
    const missing = new ReceiptdError({ code: 'CREDENTIALS_MISSING', message: 'none' });
    let there = false;
    const source: CredentialsSource = {
      get: async () => {
        if (!there) throw missing;
        return { clientId: 'id', clientSecret: 'x', store: 'file' };
      },
    };
    const { tokens } = client((await issuer()).baseUrl, { credentials: source });
    await expect(tokens.token()).rejects.toBe(missing);
    there = true;
    expect(await tokens.token()).toBe('token-1');
  });
});

describe('credentials that were rotated', () => {
  /** A service that accepts only this secret. */
  async function takes(secret: string) {
    return scriptedServer((request, response) => {
      if (request.method === 'GET') return sendJson(response, 200, { company: 'Branch', message: 'Hello.' });
      const { client_secret: given } = JSON.parse(String(request.body)) as { client_secret: string };
      if (given === secret) sendJson(response, 200, { access_token: 'token-1', expires_in: 60 });
      else response.writeHead(401).end();
    });
  }

  const inTurn = (secrets: string[]): CredentialsSource => ({
    get: async () => ({
      clientId: 'id',
      clientSecret: secrets.length > 1 ? secrets.shift()! : secrets[0]!,
      store: 'file',
    }),
  });

  it('during the request are tried once more, and never unchanged ones', async () => {
    const server = await takes('new');
    const { tokens } = client(server.baseUrl, { credentials: inTurn(['old', 'new']) });
    expect(await tokens.token()).toBe('token-1');
    const same = client(server.baseUrl, { credentials: inTurn(['old', 'old', 'old']) });
    await expect(same.tokens.token()).rejects.toMatchObject({ code: 'CREDENTIALS_REFUSED' });
    const worse = client(server.baseUrl, { credentials: inTurn(['old', 'worse', 'new']) });
    await expect(worse.tokens.token()).rejects.toMatchObject({ code: 'CREDENTIALS_REFUSED' });
    expect(server.received).toHaveLength(5);
  });

  it('are those of one account, which the refusal names', async () => {
    const server = await takes('branch');
    const accounts = new Map([
      ['branch', inTurn(['branch'])],
      ['depot', inTurn(['wrong'])],
    ]);
    const { service } = client(server.baseUrl, { credentials: inTurn(['wrong']), accounts });
    for (const account of [undefined, 'depot'])
      await expect(service.whoami(never, account)).rejects.toMatchObject({
        code: 'CREDENTIALS_REFUSED',
        params: { account: account ?? null, store: 'file' },
      });
    expect(await service.whoami(never, 'branch')).toEqual({ company: 'Branch', message: 'Hello.' });
  });
});

it('closing ends a hanging token request', async () => {
  let arrived = (): void => {};
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  const server = await scriptedServer(() => arrived());
  const { service, tokens } = client(server.baseUrl);
  const token = tokens.token();
  await arrival;
  await Promise.all([expect(token).rejects.toThrow('closed'), service.close()]);
});

it('closing ends a hanging read of the credentials', async () => {
  const source: CredentialsSource = {
    get: (signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  };
  const { service, tokens } = client('http://127.0.0.1:9', { credentials: source });
  await Promise.all([expect(tokens.token()).rejects.toThrow('closed'), service.close()]);
});
