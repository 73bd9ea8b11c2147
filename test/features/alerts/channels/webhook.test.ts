import { randomBytes } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';
import { readSecretFile } from '../../../../src/features/alerts/channels/secretFile.ts';
import { createWebhookChannel } from '../../../../src/features/alerts/channels/webhook.ts';
import { systemClock } from '../../../../src/system/systemClock.ts';
import { createTransport } from '../../../../src/api/transport.ts';
import { NEVER, OPENED } from './anAlert.ts';
import { hookServer } from './receivers.ts';
import { tempDir } from '../../../support/tempDir.ts';
import { alertJson } from '../../../../src/features/alerts/channels/json.ts';
import type { WordedCause } from '../../../../src/core/ports/alert.ts';

const STEP_MS = 2_000;
const TIMEOUTS = { connectMs: STEP_MS, progressMs: STEP_MS, headersMs: STEP_MS, bodyMs: STEP_MS };

function channel(url: string, secret: string | null = null) {
  const transport = createTransport({
    baseUrl: new URL(url).origin,
    timeouts: TIMEOUTS,
    connections: 1,
    clock: systemClock,
  });
  onTestFinished(() => transport.close());
  return createWebhookChannel({
    url,
    secret: secret === null ? null : async () => secret,
    now: Date.now,
    exchange: (request, signal) => transport.exchange(request, signal),
  });
}

it('a library for Standard Webhooks verifies a posted alert, and rejects a changed one', async () => {
  const { hooks, url } = await hookServer();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await channel(`${url}/hook/a?b=c`, secret).send(OPENED, NEVER);
  const [hook] = hooks;
  expect(hook?.url).toBe('/hook/a?b=c');
  const { body = '', headers = {} } = hook ?? {};
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({
    type: 'alert.opened',
    data: { id: OPENED.id, code: 'FOLDER_UNREACHABLE', since: '2026-01-31T09:40:00.000Z', until: null },
  });
  expect(headers['webhook-id']).toBe(OPENED.id);
  expect(() => new Webhook(secret).verify(body.replace('scans', 'other'), headers)).toThrow('signature');
});

it('a webhook without a secret is unsigned; an invalid secret is refused before anything is sent', async () => {
  const { hooks, url } = await hookServer();
  await channel(url).send(OPENED, NEVER);
  expect(hooks[0]?.headers).not.toHaveProperty('webhook-signature');
  for (const secret of ['whsec_short', 'no base64 at all, that is for sure']) {
    await expect(channel(url, secret).send(OPENED, NEVER)).rejects.toMatchObject({
      key: 'ALERT_UNDELIVERED.webhookSecret',
    });
  }
  expect(hooks).toHaveLength(1);
});

it('a webhook follows no redirect, counts a refusal as a failure, and never shows the full address', async () => {
  const elsewhere = await hookServer();
  const { url } = await hookServer(({ url: path }) =>
    path === '/moved?key=hidden' ? [307, { location: elsewhere.url }] : 503,
  );
  const { host } = new URL(url);
  await expect(channel(`${url}/moved?key=hidden`).send(OPENED, NEVER)).rejects.toMatchObject({
    key: 'ALERT_UNDELIVERED.webhookRedirect',
    params: { host, httpStatus: 307 },
  });
  await expect(channel(`${url}/?key=hidden`).send(OPENED, NEVER)).rejects.toMatchObject({
    key: 'ALERT_UNDELIVERED.webhookAnswer',
    params: { host, httpStatus: 503 },
  });
  await expect(channel('http://127.0.0.1:1/?key=hidden').send(OPENED, NEVER)).rejects.toMatchObject({
    message: expect.not.stringContaining('hidden'),
  });
  expect(elsewhere.hooks).toEqual([]);
});

it('a secret file is read only if it is private to its owner', async () => {
  const dir = tempDir('secret');
  const file = join(dir, 'secret');
  const read = () => readSecretFile(file, 'alerts.email.passwordFile');
  const key = 'ALERT_UNDELIVERED.secretFile';
  await expect(read()).rejects.toMatchObject({ key, params: { file, system: 'ENOENT' } });
  await writeFile(file, ' pass word \r\nsecond line', { mode: 0o600 });
  expect(await read()).toBe('pass word');
  await chmod(file, 0o640);
  await expect(read()).rejects.toMatchObject({ code: 'CREDENTIALS_INSECURE' });
  await writeFile(file, '\n');
  await chmod(file, 0o600);
  await expect(read()).rejects.toMatchObject({ key, params: { file, flaw: 'empty' } });
});

const CAUSE: WordedCause = {
  key: 'folder /mnt/scans',
  condition: { code: 'FOLDER_UNREACHABLE', params: { folder: '/mnt/scans', detail: 'No answer.' } },
  message: 'It is gone.',
  hint: 'Bring it back.',
  since: 0,
  until: 1,
  count: null,
};

/** Every key with its path. */
function namesIn(value: unknown, under = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => namesIn(each, `${under}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${under}.${name}`,
    ...namesIn(inner, `${under}.${name}`),
  ]);
}

it('docs/alerts.md shows the input of programs with every field, and no other', async () => {
  const text = await readFile(join(import.meta.dirname, '../../../../docs/alerts.md'), 'utf8');
  const [, shown = ''] = /```json\n([^]*?)```/.exec(text) ?? [];
  const given: unknown = JSON.parse(alertJson({ ...OPENED, causes: [CAUSE] }));
  expect(namesIn(JSON.parse(shown))).toEqual(namesIn(given));
  expect(given).toMatchObject({
    data: { causes: [{ since: '1970-01-01T00:00:00.000Z', until: expect.any(String) }] },
  });
});
