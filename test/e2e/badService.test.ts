import { describe, expect, test } from 'vitest';
import { OFFICE, prepare, until } from './support/agent.ts';
import { expectNoTrace, quickly } from './support/commandLine.ts';
import { drop } from './support/changing.ts';

describe('a service', () => {
  test('that refuses the secret leaves all documents waiting', async () => {
    const site = await prepare();
    await drop(site, 'inbox', 'a.jpg');
    site.env = { ...site.env, RECEIPTD_CLIENT_SECRET: 'wrong-secret-1234' };
    expect(await site.look('whoami')).toBeRefused(
      1,
      'CREDENTIALS_REFUSED',
      '127.0.0.1',
      'environment',
      'receiptd login',
    );
    const once = await site.quickOnce();
    expect(once.status).toBe(4);
    expectNoTrace(once);
    const checked = await site.look('check');
    expect(checked.status).toBe(1);
    expect(checked.stdout).toMatch(/^FAIL +service: .*\[CREDENTIALS_REFUSED\]$/m);
    expect((await site.list())[0]).toMatchObject({ state: 'held' });
    expect(JSON.stringify([once, checked])).not.toContain('wrong-secret');
    site.env = { ...site.env, RECEIPTD_CLIENT_SECRET: 'e2e-secret' };
    expect((await site.quickOnce()).status).toBe(0);
    expect(site.sandbox.received()).toHaveLength(1);
  });

  test('that is unreachable leaves all documents waiting', async () => {
    const site = await prepare();
    await drop(site, 'inbox', 'a.jpg');
    await site.sandbox.close();
    expect(await site.look('whoami')).toBeRefused(
      5,
      'SERVICE_UNREACHABLE',
      '127.0.0.1',
      'ECONNREFUSED',
      'service.baseUrl',
    );
    expect(await site.look('endpoint', 'create', 'x')).toBeRefused(5, 'SERVICE_UNREACHABLE');
    const once = await site.quickOnce('--wait', '1s');
    expect(once.status).toBe(5);
    expect(once.stdout).toContain('could not be reached');
    expectNoTrace(once);
    expect((await site.list())[0]).toMatchObject({ state: 'queued', attempts: expect.any(Number) as number });
  });
});

test('an agent without credentials keeps running, says what to do, and continues once it has them', async () => {
  const site = await prepare();
  await drop(site, 'inbox', 'a.jpg');
  const { RECEIPTD_CLIENT_ID = '', RECEIPTD_CLIENT_SECRET = '' } = site.env;
  site.env = {};
  await site.writeConfig({
    folders: [{ path: site.file('inbox'), endpoint: 'office' }],
    credentials: { store: 'file' },
  });
  const agent = await site.quickStart();
  await agent.logged('On hold');
  await until(async () => (await site.look('status')).stdout.includes('The credentials have not worked'));
  const status = await site.quickMust('status');
  expect(status).toContain('Running');
  expect(status).toMatch(/The credentials have not worked .*receiptd login/);
  expect((await site.list())[0]).toMatchObject({ state: 'held', endpointUid: OFFICE });
  const login = await quickly(site, ['login', '--client-id', RECEIPTD_CLIENT_ID, '--config', site.config], {
    input: `${RECEIPTD_CLIENT_SECRET}\n`,
  });
  expect(login).toMatchObject({ status: 0, stderr: '' });
  await site.quickMust('retry', '--all');
  await until(() => site.sandbox.received().length === 1);
  await until(async () => (await site.list())[0]?.state === 'accepted');
  expectNoTrace(await agent.stop());
});
