import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAuthority, hasOpenssl, type Authority } from '../api/certificates.ts';
import { memoryDirectory } from './memoryDirectory.ts';
import { ordinaryOwner } from './ordinaryUser.ts';
import { makeOwned } from './ordinaryUser.ts';
import { createCluster } from './postgresCluster.ts';
import { freshDatabase, needsPostgres, startCluster, type Cluster } from './postgres.ts';

describe.skipIf(!needsPostgres())('the PostgreSQL of the tests', () => {
  test('gives each test a database of its own, which is gone when it is removed', async () => {
    const [one, other] = await Promise.all([freshDatabase(), freshDatabase()]);
    await ask(one.url, 'CREATE TABLE mine (a int)');
    expect(await ask(other.url, "SELECT to_regclass('mine') AS there")).toEqual([{ there: null }]);
    await Promise.all([one.remove(), other.remove()]);
    await expect(ask(one.url, 'SELECT 1')).rejects.toThrow('does not exist');
  });

  test('fills a template once, and copies it', async () => {
    let filled = 0;
    const template = {
      name: `numbers_${process.pid}`,
      fill: async (url: string) => {
        filled += 1;
        await ask(url, 'CREATE TABLE numbers AS SELECT generate_series(1, 3) AS n');
      },
    };
    const copies = await Promise.all([
      freshDatabase(template),
      freshDatabase(template),
      freshDatabase(template),
    ]);
    for (const { url } of copies)
      expect(await ask(url, 'SELECT count(*)::int AS n FROM numbers')).toEqual([{ n: 3 }]);
    expect(filled).toBe(1);
    await Promise.all(copies.map((each) => each.remove()));
  });

  describe('a server of its own', () => {
    let authority: Authority | null = null;
    let primary: Cluster;
    const at = (cluster: Cluster, password = 'sesame', query = secure()) =>
      `${cluster.url.replace('@', `:${password}@`)}?${query}`;
    const secure = () => (authority ? `sslmode=verify-full&sslrootcert=${authority.file}` : '');
    beforeAll(async () => {
      if (hasOpenssl) authority = createAuthority();
      const tls = authority?.issue('IP:127.0.0.1,DNS:localhost');
      primary = await startCluster({ password: 'sesame', ...(tls && { tls }) });
    });
    afterAll(async () => {
      await primary?.remove();
      authority?.remove();
    });

    test.skipIf(!hasOpenssl)('lets nobody in without TLS and the password', async () => {
      const seen = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
      expect(await ask(at(primary), seen)).toEqual([{ ssl: true }]);
      await expect(ask(at(primary, 'guess'), 'SELECT 1')).rejects.toThrow('password authentication failed');
      const plain = at(primary, 'sesame', 'sslmode=disable');
      await expect(ask(plain, 'SELECT 1')).rejects.toThrow('no encryption');
    });

    test('keeps what was committed over a stop, a crash and a kill', async () => {
      await ask(at(primary), 'CREATE TABLE kept (n int)');
      for (const end of [() => primary.stop(), () => primary.stop('immediate'), () => primary.kill()]) {
        await ask(at(primary), 'INSERT INTO kept VALUES (1)');
        await end();
        await expect(ask(at(primary), 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
        await primary.start();
      }
      expect(await ask(at(primary), 'SELECT count(*)::int AS n FROM kept')).toEqual([{ n: 3 }]);
    });

    test('has a standby that follows, and takes over when it is promoted', async () => {
      const standby = await startCluster({ standbyOf: primary });
      onTestFinished(() => standby.remove());
      await ask(at(primary), 'CREATE TABLE copied AS SELECT 7 AS n');
      await expect
        .poll(() => ask(at(standby), "SELECT to_regclass('copied')::text AS there"))
        .toEqual([{ there: 'copied' }]);
      await expect(ask(at(standby), 'INSERT INTO copied VALUES (8)')).rejects.toThrow('read-only');
      await primary.kill();
      await standby.promote();
      await ask(at(standby), 'INSERT INTO copied VALUES (8)');
      expect(await ask(at(standby), 'SELECT n FROM copied ORDER BY n')).toEqual([{ n: 7 }, { n: 8 }]);
    });
  });

  test('nothing of a killed run stays', async () => {
    const dir = mkdtempSync(join(memoryDirectory(), 'receiptd-postgres-killed-'));
    const holder = `
      const { spawn } = require('node:child_process');
      spawn('sh', process.argv.slice(1), { detached: true, stdio: ['pipe', 'inherit', 'inherit'] });
      setInterval(() => {}, 1000);`;
    const payloads = fileURLToPath(new URL('postgresKeeper.sh', import.meta.url));
    const run = spawn(process.execPath, ['-e', holder, payloads, dir], { stdio: 'inherit' });
    onTestFinished(() => void run.kill('SIGKILL'));
    await expect.poll(() => existsSync(join(dir, 'keeper'))).toBe(true);
    chownSync(dir, ordinaryOwner().uid, ordinaryOwner().gid);
    await makeOwned(join(dir, 'one'));
    const cluster = await createCluster(join(dir, 'one'), {});
    expect(processesIn(dir)).not.toBe('');
    expect(await ask(cluster.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    run.kill('SIGKILL');
    await expect.poll(() => existsSync(dir)).toBe(false);
    expect(processesIn(dir)).toBe('');
  });
});

async function ask(url: string, query: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.end();
  }
}

function processesIn(dir: string): string {
  return execFileSync('sh', ['-c', `grep -laF "$1/" /proc/[0-9]*/cmdline 2>/dev/null || true`, 'sh', dir], {
    encoding: 'utf8',
  });
}
