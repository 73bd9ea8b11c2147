/** Commands on a ledger in PostgreSQL. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAuthority, hasOpenssl } from '../api/certificates.ts';
import { drawReceipt } from '../support/images.ts';
import { freshDatabase, needsPostgres, startCluster } from '../support/postgres.ts';
import { prepare, storedOnce, until, type Site } from './support/agent.ts';
import { freePort } from '../support/ports.ts';

let away: number;
beforeAll(async () => {
  away = await freePort();
});

function site(): Promise<Site> {
  return prepare({
    ledger: { kind: 'postgres', url: `postgres://receiptd@127.0.0.1:${away}/ledger`, agent: 'front' },
  });
}

test('backups and restores of a shared ledger are refused with the reason', async () => {
  const own = await prepare();
  expect((await own.quickOnce()).status).toBe(0);
  const archive = own.file('office.receiptd');
  await own.quickMust('backup', archive);
  const here = await site();
  for (const [words, sentence] of [
    [
      ['backup'],
      /^error: This receiptd has no ledger of its own to back up: .*pg_dump\. .* \[LEDGER_SHARED\]$/,
    ],
    [['backup', 'x'], /\[LEDGER_SHARED\]$/],
    [
      ['backup', '--final', 'x'],
      /start an agent there with the same `ledger\.url` and `ledger\.agent`\. \[LEDGER_SHARED\]$/,
    ],
    [['restore', archive], /^error: .*office\.receiptd can't be restored: .* \[LEDGER_SHARED\]$/],
  ] as const) {
    const { status, stdout, stderr } = await here.look(...words);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd()).toMatch(sentence);
  }
  expect(await readdir(here.stateDir).catch(() => [])).toEqual([]);
});

test('commands report an unreachable ledger at once', async () => {
  const here = await site();
  for (const words of [['status'], ['list'], ['pause'], ['retry', '--all']]) {
    const { status, stderr } = await here.look(...words);
    expect(stderr).toMatch(
      /^error: The ledger at 127\.0\.0\.1:\d+\/ledger can't be reached: .*\[LEDGER_UNREACHABLE\]$/m,
    );
    expect(status).not.toBe(0);
  }
});

test('a local ledger is not forgotten when a shared one is configured', async () => {
  const here = await site();
  await mkdir(here.stateDir, { mode: 0o700 });
  await writeFile(here.file('state', 'ledger.db'), '');
  const { status, stderr } = await here.look('pause');
  expect(status).toBe(1);
  expect(stderr).toContain('ledger.db is a separate ledger whose contents are not in the shared one.');
  expect(stderr).toContain('[LEDGER_EXISTS]');
});

describe.skipIf(!needsPostgres())('on a real database', () => {
  test('two agents know each other’s documents, and commands work with and without a running agent', async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.remove());
    const ledger = { kind: 'postgres', url: database.url };
    const front = await prepare({ ledger: { ...ledger, agent: 'front' } });
    const back = await prepare({
      ledger: { ...ledger, agent: 'back' },
      service: { baseUrl: front.sandbox.url },
    });
    await drop(front, 'a.jpg', 'b.jpg');
    expect(await front.quickOnce()).toMatchObject({ status: 0, stdout: '2 accepted.\n' });
    expect(await front.quickOnce()).toMatchObject({ status: 0 });
    await drop(back, 'a.jpg', 'c.jpg');
    const agent = await back.quickStart();
    const states = async (site: Site) => (await site.list()).map(({ state }) => state).toSorted();
    const all = ['accepted', 'accepted', 'accepted', 'duplicate'];
    await until(async () => isDeepStrictEqual(await states(front), all), 'the images of the other agent');
    expect((await storedOnce(front)).size).toBe(3);

    // A machine whose agent does not run uses the database; the agent's own machine uses its socket.
    for (const here of [front, back]) {
      expect(await here.look('pause', 'office')).toMatchObject({
        status: 0,
        stdout: 'Paused office.\n',
      });
      expect((await here.look('status')).stdout).toContain('aused');
      expect(await here.look('resume', 'office')).toMatchObject({ status: 0 });
      expect(await states(here)).toEqual(all);
      expect(JSON.parse((await here.look('ledger', 'head', '--json')).stdout)).toMatchObject({
        seq: expect.any(Number),
      });
    }
    expect(agent.alive).toBe(true);
    expect(existsSync(front.file('state', 'ledger.db'))).toBe(false);
    const check = await front.look('check', '--offline');
    expect(check.stdout).toContain(
      `ok    ledger: It is the database ${database.name} at 127.0.0.1 and works (PostgreSQL `,
    );
    const doctor = await front.look('doctor', '--offline', '--list');
    expect(doctor.stdout).toMatch(/ok {4}ledger: It can be read and contains 3 documents\./);
    expect(await agent.stop()).toMatchObject({ status: 0 });
  });

  test('an agent whose database went back to an earlier state reports it, and its images keep their names', async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.remove());
    const site = await prepare({ ledger: { kind: 'postgres', url: database.url, agent: 'front' } });
    await drop(site, 'a.jpg');
    await site.quickOnce();
    const kept = await database.keep();
    await drop(site, 'b.jpg');
    await site.quickOnce();
    await kept.restore();
    expect((await site.quickOnce()).stderr).toContain('LEDGER_WENT_BACK');
    expect((await storedOnce(site)).size).toBe(2);
  });

  test.skipIf(!hasOpenssl)('password and certificate are read from the configured files', async () => {
    const authority = createAuthority();
    onTestFinished(() => authority.remove());
    const tls = authority.issue('IP:127.0.0.1');
    const cluster = await startCluster({ password: 'open sesame', tls });
    onTestFinished(() => cluster.remove());
    const url = `${cluster.url}?sslmode=verify-full`;
    const here = await prepare();
    const [passwordFile, ca] = [here.file('password'), authority.file];
    const configured = async (more: Record<string, unknown>) => {
      await here.configure({ ledger: { kind: 'postgres', url, agent: 'front', ...more } });
      return here;
    };
    await writeFile(passwordFile, 'open sesame\n', { mode: 0o600 });
    expect(await (await configured({ passwordFile, ca })).look('pause')).toMatchObject({ status: 0 });
    expect((await here.look('status')).stdout).toContain('aused');
    const to = ['--to', url, '--password-file', passwordFile, '--ca', ca];
    expect(await here.look('ledger', 'prepare', ...to)).toMatchObject({ status: 0 });

    const refused = async (more: Record<string, unknown>): Promise<string> => {
      const { status, stderr } = await (await configured(more)).look('status');
      expect(status).toBe(1);
      expect(stderr).not.toContain('sesame');
      return stderr.trimEnd();
    };
    expect(await refused({ passwordFile })).toMatch(/certificate.*\[LEDGER_REFUSED\]$/);
    await writeFile(passwordFile, 'open barley\n');
    expect(await refused({ passwordFile, ca })).toMatch(
      /password authentication failed.*\[LEDGER_REFUSED\]$/,
    );
    await chmod(passwordFile, 0o644);
    expect(await refused({ passwordFile, ca })).toMatch(
      /can be read by users other than its owner\..*\[CREDENTIALS_INSECURE\]$/,
    );
  });
});

async function drop(site: Site, ...names: string[]): Promise<void> {
  for (const name of names)
    await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
}
