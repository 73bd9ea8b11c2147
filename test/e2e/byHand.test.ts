import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ask, dial, own, perform, received, signIn, type Answer } from '../console/server/browser.ts';
import { drawReceipt } from '../support/images.ts';
import { OFFICE, prepare, sha256, until, type Site } from './support/agent.ts';
import { attackedForFile } from './support/console.ts';

const attacked = attackedForFile();

interface Sent {
  readonly name: string;
  readonly bytes: Buffer;
  readonly endpoint?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

interface Browser {
  readonly origin: string;
  readonly cookie: string;
}

/** What the page sends for one file. */
function send({ origin, cookie }: Browser, { name, bytes, endpoint, headers }: Sent): Promise<Answer> {
  const query = new URLSearchParams({ name, modified: '1764000000000', ...(endpoint && { endpoint }) });
  return ask(origin, {
    method: 'POST',
    path: `/v1/files?${query.toString()}`,
    headers: own(origin, {
      cookie,
      'content-type': 'application/octet-stream',
      'content-length': String(bytes.length),
      ...headers,
    }),
    body: bytes,
  });
}

/** What the state directory may keep of a file: copies in the spool, and unfinished ones. */
async function copies(site: Site): Promise<string[]> {
  const entries = await readdir(join(site.stateDir, 'spool'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const draw = (seed: string) => drawReceipt({ type: 'jpeg', seed });

test('a file from a browser is admitted and sent under its name; a second time, the answer says under which name it was', async () => {
  const { site } = attacked();
  const bytes = await draw('by hand');
  const first = await send(attacked(), { name: 'taxi.jpg', bytes, endpoint: 'office' });
  expect([first.status, first.json]).toMatchObject([
    200,
    { outcome: 'queued', name: expect.stringMatching(/^taxi-[0-9a-f]{12}$/), waits: null },
  ]);
  await until(() => site.sandbox.received().some((each) => each.sha256 === sha256(bytes)));
  const { name } = first.json as { name: string };
  await until(async () =>
    (await site.list()).some((each) => each.name === name && each.state === 'accepted'),
  );
  const again = await send(attacked(), { name: 'copy.jpg', bytes, endpoint: 'office' });
  expect(again.json).toMatchObject({ outcome: 'duplicate', name, state: 'accepted' });
  const elsewhere = await send(attacked(), { name: 'taxi.jpg', bytes, endpoint: 'depot' });
  expect(elsewhere.json).toMatchObject({ outcome: 'queued' });
  await until(async () => (await copies(site)).length === 0, 'the copies to be removed');
  // Its only copy was the one in the spool.
  const resent = await perform(attacked().origin, attacked().cookie, 'resend', { name, endpoint: 'office' });
  expect([resent.status, resent.json]).toMatchObject([
    422,
    { code: 'BYTES_GONE', params: { why: { is: 'sentByHand' } } },
  ]);
  expect(await site.look('audit')).toMatchObject({ status: 0 });
  expect(await site.quickMust('ledger', 'verify')).toBeTruthy();
  await attacked().stillWell();
});

test('a name from a browser is only a name, wherever it seems to lead', async () => {
  const { site } = attacked();
  const before = await site.list();
  for (const name of ['', '.', '..', '../../x.jpg', '/etc/x.jpg', 'a/b.jpg', 'x'.repeat(1_001)])
    expect((await send(attacked(), { name, bytes: await draw('path'), endpoint: 'office' })).status).toBe(
      400,
    );
  expect(await site.list()).toHaveLength(before.length);
  const bytes = await draw('windows');
  await send(attacked(), { name: '..\\..\\C:\\x.jpg', bytes, endpoint: 'office' });
  const row = (await site.list()).find(({ path }) => path.endsWith('x.jpg'));
  expect(row?.path).toBe(join(site.stateDir, 'by-hand', 'x.jpg'));
  expect(await readdir(site.stateDir)).not.toContain('by-hand');
  await until(async () => (await copies(site)).length === 0, 'the copies to be removed');
});

test('files from a browser that are no images, cut off or too large are rejected, and leave nothing behind', async () => {
  const site = await prepare();
  const folders = [site.folder('inbox', { maxFileSize: '100kB' })];
  await site.configure({ endpoints: { office: { uid: OFFICE } }, folders });
  await site.quickStart();
  const link = (await site.quickMust('console', '--no-open')).trim();
  const browser = { origin: new URL(link).origin, cookie: await signIn(link) };
  const whole = await draw('whole');
  const large = Buffer.concat([whole, Buffer.alloc(20_000_000)]);
  const tries: (readonly [Sent, object])[] = [
    [{ name: 'notes.txt', bytes: Buffer.from('Milk, eggs') }, { is: 'notAnImage' }],
    [{ name: 'empty.jpg', bytes: Buffer.alloc(0) }, { is: 'empty' }],
    [{ name: 'cut.jpg', bytes: whole.subarray(0, 2_000) }, { is: 'incomplete' }],
    [
      { name: 'large.jpg', bytes: large },
      { is: 'fileTooLarge', bytes: large.length, limit: 100_000 },
    ],
    [
      {
        name: 'chunked.jpg',
        bytes: large,
        headers: { 'content-length': undefined, 'transfer-encoding': 'chunked' },
      },
      { is: 'fileTooLarge' },
    ],
  ];
  for (const [sent, fact] of tries)
    expect([(await send(browser, sent)).json]).toMatchObject([
      { outcome: 'rejected', documentId: null, name: null, fact },
    ]);
  const unknown = await send(browser, { name: 'a.jpg', bytes: large, endpoint: 'attic' });
  expect([unknown.status, unknown.json]).toMatchObject([422, { code: 'ENDPOINT_UNKNOWN' }]);
  expect(await site.list()).toEqual([]);
  expect(await copies(site)).toEqual([]);

  // Held back, the file is kept, and the answer says why.
  await site.quickMust('pause', 'office');
  const paused = await send(browser, { name: 'whole.jpg', bytes: whole });
  expect(paused.json).toMatchObject({ outcome: 'queued', waits: { fact: { is: 'paused' } } });
  expect(await copies(site)).toHaveLength(1);

  // Without a spool there is no place that would keep it.
  await site.configure({ endpoints: { office: { uid: OFFICE } }, folders, spool: 'never' });
  await site.quickMust('reload');
  const never = await send(browser, { name: 'never.jpg', bytes: await draw('never') });
  expect(never.json).toMatchObject({ outcome: 'rejected', fact: { is: 'notReadByAgent' } });
});

test('what a browser breaks off, or the agent does not survive, leaves nothing behind', async () => {
  const site = await prepare();
  const agent = await site.start();
  const link = (await site.quickMust('console', '--no-open')).trim();
  const { origin, host } = new URL(link);
  const cookie = await signIn(link);
  const bytes = await draw('broken off');
  const begin = async () => {
    const socket = await dial(origin);
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /v1/files?name=a.jpg&endpoint=office HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\nOrigin: ${origin}\r\nX-Receiptd: console\r\nContent-Type: application/octet-stream\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    socket.write(bytes.subarray(0, -1));
    return socket;
  };
  const first = await begin();
  // Answered after the agent has read what was sent before, so that it is not the system that holds it.
  expect((await perform(origin, cookie, 'status')).status).toBe(200);
  first.destroy();
  expect((await perform(origin, cookie, 'status')).status).toBe(200);
  expect(await site.list()).toEqual([]);
  expect(await copies(site)).toEqual([]);
  const second = await begin();
  expect((await perform(origin, cookie, 'status')).status).toBe(200);
  const answer = received(second);
  await agent.kill();
  expect(String(await answer)).toBe('');
  expect(await copies(site)).toEqual([]);
  await site.quickOnce();
  expect(await site.list()).toEqual([]);
  expect(site.sandbox.received()).toEqual([]);
});

test('a file is refused from other pages, from forms, and from browsers that are not signed in', async () => {
  const { site, origin } = attacked();
  const before = await site.list();
  const bytes = await draw('foreign');
  const status = async (headers: Record<string, string | undefined>) =>
    (await send(attacked(), { name: 'foreign.jpg', bytes, endpoint: 'office', headers })).status;
  expect(await status({ origin: 'https://evil.example' })).toBe(403);
  expect(await status({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await status({ origin: undefined, 'sec-fetch-site': undefined })).toBe(403);
  expect(await status({ 'x-receiptd': undefined })).toBe(403);
  for (const type of ['multipart/form-data; boundary=x', 'text/plain', 'application/json', undefined])
    expect(await status({ 'content-type': type })).toBe(403);
  expect(await status({ host: 'evil.example' })).toBe(421);
  expect(await status({ cookie: undefined })).toBe(401);
  // Nor do other operations take what only this one may.
  const octets = own(origin, { cookie: attacked().cookie, 'content-type': 'application/octet-stream' });
  const pause = { method: 'POST', path: '/v1/pause', headers: octets, body: '{"target":"office"}' };
  expect((await ask(origin, pause)).status).toBe(403);
  const signedOut = await signIn(await attacked().link());
  await ask(origin, { method: 'DELETE', path: '/session', headers: own(origin, { cookie: signedOut }) });
  expect(await status({ cookie: signedOut })).toBe(401);
  expect(await site.list()).toHaveLength(before.length);
  expect(await copies(site)).toEqual([]);
  await attacked().stillWell();
});
