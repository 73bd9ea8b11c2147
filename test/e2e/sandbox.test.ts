/** Each option of `receiptd sandbox` changes what the practice service does. Every case is named for its option (test/inventory). */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cleanUp } from '../support/cleanUp.ts';
import { drawReceipt } from '../support/images.ts';
import { OFFICE, prepare, temporaryDirectory } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';
import { Resident } from './support/inProcess.ts';

const SECRET = 'of the environment';

/** A practice service with these options, and a client of it. */
async function practice(...options: readonly string[]) {
  const cwd = await temporaryDirectory();
  const env = { SECRET_OF_TEST: SECRET, TMPDIR: cwd };
  const dir = join(cwd, 'kept');
  const args = ['--port', '0', '--json', '--dir', dir, ...options];
  const service = new Resident(args, { cwd, env }, 'sandbox');
  cleanUp(() => service.stop());
  const said = JSON.parse(await service.printed(/^\{.*\}$/m)) as Record<string, string>;
  const { url = '', clientId, clientSecret, endpointUid = '' } = said;
  const login = await fetch(`${url}/v2/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: 'client_credentials',
    }),
  });
  const token = (await login.json()) as Record<string, string>;
  const upload = async (name = 'a') => {
    const { status } = await fetch(`${url}/v2/endpoints/${endpointUid}/documents?name=${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token['access_token']}` },
      body: new Uint8Array(await drawReceipt({ type: 'jpeg', seed: name })),
    });
    return status;
  };
  expect(existsSync(dir)).toBe(true);
  return { said, token, upload };
}

type Practice = Awaited<ReturnType<typeof practice>>;
const twice = async ({ upload }: Practice) => [await upload(), await upload()];

const CASES: Record<string, readonly [option: string, (of: Practice) => unknown, expected: unknown]> = {
  'sandbox --host': ['127.0.0.2', ({ said }) => new URL(said['url'] ?? '').hostname, '127.0.0.2'],
  'sandbox --endpoint-uid': [
    OFFICE,
    async ({ said, upload }) => [said['endpointUid'], await upload()],
    [OFFICE, 200],
  ],
  'sandbox --client-id': [
    'ann',
    async ({ said, upload }) => [said['clientId'], await upload()],
    ['ann', 200],
  ],
  'sandbox --client-secret-env': [
    'SECRET_OF_TEST',
    async ({ said, upload }) => [said['clientSecret'], await upload()],
    [SECRET, 200],
  ],
  'sandbox --token-lifetime': ['60', ({ token }) => token['expires_in'], 60],
  'sandbox --quota': ['1', twice, [200, 429]],
  'sandbox --no-plan': ['', twice, [403, 403]],
  'sandbox --on-repeat': ['conflict', twice, [200, 409]],
  'sandbox --fault': ['status=503*1', twice, [503, 200]],
};

test.each(Object.entries(CASES))(
  '%s changes what the practice service does',
  async (id, [value, effect, expected]) => {
    const option = id.replace('sandbox ', '');
    expect(await effect(await practice(option, ...(value === '' ? [] : [value])))).toEqual(expected);
  },
);

test('--results and --results-after say what is posted to --outgoing-url, and when', async () => {
  const posted: string[] = [];
  const handler = createServer((request, response) => {
    request
      .setEncoding('utf8')
      .on('data', (text: string) =>
        posted.push(`${request.url} ${(JSON.parse(text) as { status: string }).status}`),
      );
    request.on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  cleanUp(() => void handler.close());
  await once(handler, 'listening');
  const to = `http://127.0.0.1:${(handler.address() as AddressInfo).port}`;
  const late = await practice(
    '--outgoing-url',
    `${to}/late`,
    '--results',
    'READ',
    '--results-after',
    '3600000',
  );
  const soon = await practice(
    '--outgoing-url',
    `${to}/soon`,
    '--results',
    'READ,DONE',
    '--results-after',
    '1',
  );
  for (const { upload } of [late, soon]) expect(await upload()).toBe(200);
  await expect.poll(() => posted.length, { timeout: 30_000 }).toBeGreaterThan(1);
  expect(posted).toEqual(['/soon READ', '/soon DONE']);
});

test('the sandbox reports that its port is in use', async () => {
  const site = await prepare();
  const { port } = new URL(site.sandbox.url);
  const ended = await quickly(site, ['sandbox', '--port', port, '--dir', site.file('practice')]);
  expect(ended).toBeRefused(1, 'PORT_IN_USE', port, '--port');
});
