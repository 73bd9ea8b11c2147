import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { removePassword, writePassword } from '../../../src/console/server/password.ts';
import type { StreamRoute } from '../../../src/control/streams.ts';
import { ask, cookieOf, dial, own, perform, received, signIn } from './browser.ts';
import { PASSWORD, setKnownPassword } from './knownPassword.ts';
import { open, PAGE, signedIn } from './opened.ts';

const post = (origin: string, body: unknown, headers = {}) =>
  ask(origin, {
    method: 'POST',
    path: '/session',
    headers: own(origin, headers),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const state = async (origin: string, cookie = '') =>
  (await ask(origin, { path: '/session', headers: { cookie } })).json;

describe('a sign-in link', () => {
  it('signs in a browser once', async () => {
    const { url, origin, port } = await open();
    const token = url.split('#token=')[1];
    const first = await post(origin, { token });
    expect(first.status).toBe(204);
    expect(first.headers['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^receiptd-${port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`)),
    ]);
    const cookie = cookieOf(first);
    expect(await state(origin, cookie)).toEqual({ signedIn: true, password: false });
    expect((await perform(origin, cookie, 'tryHeld')).status).toBe(200);

    const second = await post(origin, { token });
    expect(second.status).toBe(401);
    expect(second.json).toMatchObject({ code: 'CONSOLE_SIGNED_OUT' });
    expect(second.headers['set-cookie']).toBeUndefined();
  });
});

describe('a session', () => {
  it('ends on sign-out, together with its streams', async () => {
    const events: StreamRoute = {
      path: '/v1/events',
      says: '',
      types: [],
      query: {},
      async serve({ signal }) {
        async function* body() {
          yield 'data: 1\n\n';
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        }
        return { headers: { 'content-type': 'text/event-stream' }, body: body() };
      },
    };
    const { origin, port, cookie } = await signedIn({}, { streams: [events] });
    const socket = await dial(origin);
    socket.write(`GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`);
    const all = received(socket);
    await new Promise<void>((resolve) => socket.once('data', () => resolve()));
    const out = await ask(origin, { method: 'DELETE', path: '/session', headers: own(origin, { cookie }) });
    expect(out.status).toBe(204);
    expect(out.headers['set-cookie']).toEqual([expect.stringMatching(/=; HttpOnly; .*Max-Age=0$/)]);
    // Long before it would end by itself.
    await expect.poll(() => socket.closed, { timeout: 60_000 }).toBe(true);
    expect(String(await all)).toContain('data: 1');
    expect((await perform(origin, cookie, 'tryHeld')).status).toBe(401);
  });

  it('has a Secure cookie behind an HTTPS reverse proxy', async () => {
    const { url, origin } = await open({ hosts: ['receipts.example.com'] });
    const answer = await post(
      origin,
      { token: url.split('#token=')[1] },
      { host: 'receipts.example.com', origin: 'https://receipts.example.com' },
    );
    expect(answer.headers['set-cookie']).toEqual([expect.stringMatching(/; Secure$/)]);
  });
});

describe('the password', () => {
  it('signs in until it is changed', async () => {
    const { origin, stateDir } = await open();
    expect((await post(origin, { password: PASSWORD })).status).toBe(401);
    await setKnownPassword(stateDir);
    expect(await state(origin)).toEqual({ signedIn: false, password: true });
    const cookie = cookieOf(await post(origin, { password: PASSWORD }));
    expect((await perform(origin, cookie, 'tryHeld')).status).toBe(200);
    await writePassword(stateDir, 'another horse battery');
    expect((await perform(origin, cookie, 'tryHeld')).status).toBe(401);
    await removePassword(stateDir);
    expect((await perform(origin, cookie, 'tryHeld')).status).toBe(401);
    expect(await state(origin)).toEqual({ signedIn: false, password: false });
  });

  it('is protected from fast guessing, with a warning that omits the guess, while links keep working', async () => {
    const { console, origin, stateDir, log } = await open();
    await setKnownPassword(stateDir);
    for (const guess of ['guessed-horse', 'x'.repeat(5000), 'x'.repeat(5000)]) {
      const answer = await post(origin, { password: guess });
      expect([answer.status, answer.json]).toEqual([
        401,
        expect.objectContaining({ code: 'CONSOLE_SIGNED_OUT' }),
      ]);
    }
    // Even the right password must wait now.
    const right = await post(origin, { password: PASSWORD });
    expect([right.status, right.json]).toEqual([429, expect.objectContaining({ code: 'CONSOLE_REFUSED' })]);
    expect(right.headers['retry-after']).toBe('1');
    expect(log.said('Somebody tried').map(({ level, fields }) => [level, fields])).toEqual(
      [1, 2, 3].map(() => ['warn', { address: '127.0.0.1' }]),
    );
    expect(JSON.stringify(log.lines)).not.toMatch(/guessed|xxx/);
    await signIn((await console.open()).url);
  });
});

describe('the static pages', () => {
  it('are served from their directory, with a content type and an ETag', async () => {
    const { origin } = await open();
    const page = await ask(origin);
    expect(page).toMatchObject({ status: 200, text: PAGE });
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    });
    const script = await ask(origin, { path: '/app-4f0c2b1a.js?x=1' });
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const style = await ask(origin, { path: '/assets/main.css' });
    expect(style.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'no-cache',
    });
    const { etag = '' } = style.headers;
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await ask(origin, { path: '/assets/main.css', headers: { 'if-none-match': tag } });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
    }
    expect(
      (await ask(origin, { path: '/assets/main.css', headers: { 'if-none-match': '"other"' } })).status,
    ).toBe(200);
    const head = await ask(origin, { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(PAGE.length)]);
  });

  it('are reported in one sentence if they are not installed', async () => {
    const { origin, statics } = await open();
    await rm(statics, { recursive: true });
    const answer = await ask(origin);
    expect(answer.status).toBe(503);
    expect(answer.text).toMatch(/^.*\[CONSOLE_UNAVAILABLE\]\n$/);
  });
});
