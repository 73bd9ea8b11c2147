/** When a token is replaced, and how long it may be used. */
import { describe, expect, it } from 'vitest';
import { client } from './client.ts';
import { issuer, scriptedServer, sendJson } from './scriptedServer.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

it.each([
  ['a day', { expires_in: 86_400 }, 86_400 * 0.9],
  ['a day, as text', { expires_in: '86400' }, 86_400 * 0.9],
  ['no lifetime', { expires_in: undefined }, 86_400 * 0.9],
  ['a lifetime of null', { expires_in: null }, 86_400 * 0.9],
  ['a lifetime of 0', { expires_in: 0 }, 86_400 * 0.9],
  ['a negative lifetime', { expires_in: -5 }, 86_400 * 0.9],
  ['a lifetime in words', { expires_in: 'long' }, 86_400 * 0.9],
  ['20 minutes', { expires_in: 1200 }, 900],
  ['10 minutes', { expires_in: 600 }, 540],
  ['2 seconds', { expires_in: 2 }, 1.8],
])('a token with %s is refreshed early', async (_what, fields, seconds) => {
  const { tokens, clock } = client((await issuer(fields)).baseUrl);
  expect(await tokens.token()).toBe('token-1');
  clock.elapsed = seconds * SECOND - 1;
  expect(await tokens.token()).toBe('token-1');
  clock.elapsed = seconds * SECOND + 1;
  expect(await tokens.token()).toBe('token-2');
});

describe('while the token route is down', () => {
  const flaky = async () => {
    const state = { down: false };
    let issued = 0;
    const server = await scriptedServer((_request, response) =>
      state.down
        ? response.writeHead(503).end()
        : sendJson(response, 200, { access_token: `token-${++issued}`, expires_in: 10 * 3600 }),
    );
    return { server, state, ...client(server.baseUrl) };
  };

  it('the old token is used until it expires, and a new one is requested at intervals', async () => {
    const { server, state, tokens, clock, log } = await flaky();
    await tokens.token();
    state.down = true;
    clock.elapsed = 9 * HOUR + 1;
    expect(await tokens.token()).toBe('token-1');
    expect(await tokens.token()).toBe('token-1');
    expect(server.received).toHaveLength(2);
    expect(log.lines.filter((line) => line.startsWith('warn'))).toHaveLength(1);
    clock.elapsed += 31 * SECOND;
    expect(await tokens.token()).toBe('token-1');
    expect(server.received).toHaveLength(3);
    clock.elapsed = 10 * HOUR;
    await expect(tokens.token()).rejects.toMatchObject({ code: 'SERVICE_ANSWER' });
    state.down = false;
    expect(await tokens.token()).toBe('token-2');
  });

  it('a refused token is not used again', async () => {
    const { state, tokens } = await flaky();
    const token = await tokens.token();
    state.down = true;
    tokens.refused(token);
    await expect(tokens.token()).rejects.toMatchObject({ code: 'SERVICE_ANSWER' });
  });
});

describe('a machine that sleeps', () => {
  it('replaces a token that expired during the sleep, although the monotonic clock stood still', async () => {
    const server = await issuer();
    const { tokens, clock } = client(server.baseUrl);
    expect(await tokens.token()).toBe('token-1');
    clock.wall += 25 * HOUR;
    expect(await tokens.token()).toBe('token-2');
  });

  it('replaces an expired token although the wall clock was set back', async () => {
    const { tokens, clock } = client((await issuer()).baseUrl);
    expect(await tokens.token()).toBe('token-1');
    clock.wall -= 400 * 24 * HOUR;
    clock.elapsed = 12 * HOUR;
    expect(await tokens.token()).toBe('token-1');
    clock.elapsed = 24 * HOUR;
    expect(await tokens.token()).toBe('token-2');
  });

  it('requests only one more token if its clock was far behind at first', async () => {
    const server = await issuer();
    const { tokens, clock } = client(server.baseUrl);
    clock.wall = 5_000;
    await tokens.token();
    clock.wall = Date.UTC(2026, 0, 14);
    expect(await tokens.token()).toBe('token-2');
    expect(await tokens.token()).toBe('token-2');
    expect(server.received).toHaveLength(2);
  });
});
