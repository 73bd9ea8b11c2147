/** A real PgBouncer in front of a test's database, run as an ordinary user. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { cleanUp } from './cleanUp.ts';
import { ordinaryOwner } from './ordinaryUser.ts';
import { requirement } from './requires.ts';
import { freePort } from './ports.ts';

const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));

export const hasPgbouncer = PROGRAM !== undefined;

/** For `describe.skipIf(!needsPgbouncer())`. */
export function needsPgbouncer(): boolean {
  return requirement('PgBouncer', hasPgbouncer, 'apt-get install pgbouncer');
}

export interface Pooler {
  /** URL of the database through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a pooler until the end of the test. @returns the URL of the database through the pooler */
export async function pooled(url: string, mode: 'session' | 'transaction'): Promise<string> {
  const pooler = await startPooler(url, mode);
  cleanUp(() => pooler.close());
  return pooler.url;
}

export async function startPooler(url: string, mode: 'session' | 'transaction'): Promise<Pooler> {
  const [dir, port, own] = [
    mkdtempSync(join(tmpdir(), 'receiptd-pooler-')),
    await freePort(),
    ordinaryOwner(),
  ];
  const { port: server, username } = new URL(url);
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${server}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    'ignore_startup_parameters = extra_float_digits',
    `logfile = ${join(dir, 'log')}`,
  ];
  // Every client is mapped to this user, without authentication.
  settings[1] += ` user=${username}`;
  const file = join(dir, 'pgbouncer.ini');
  writeFileSync(file, `${settings.join('\n')}\n`);
  for (const path of [dir, file]) chownSync(path, own.uid, own.gid);
  const program = spawn(PROGRAM ?? '', [file], { ...own, stdio: 'ignore' });
  const kill = (): void => void program.kill('SIGKILL');
  // A test process that ends early must leave no process behind.
  process.once('exit', kill);
  const close = async (): Promise<void> => {
    process.off('exit', kill);
    const ended = once(program, 'exit');
    kill();
    await ended;
    rmSync(dir, { recursive: true });
  };
  const through = new URL(url);
  through.port = String(port);
  await untilItAnswers(through.href);
  return { url: through.href, close };
}

async function untilItAnswers(url: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (tries > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
