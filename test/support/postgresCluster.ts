/** A PostgreSQL server for one test, from the machine's binaries, run as an ordinary user. */
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeOwned, ordinaryOwner, writeOwned } from './ordinaryUser.ts';
import { runDirectory } from './postgresRun.ts';
import { binary, LIMIT_MS, run, Server } from './postgresServer.ts';

export interface ClusterOptions {
  /** Whether writes reach the disk (fsync): for crash tests and measurements. Default: no. */
  readonly durable?: boolean;
  /** Password of the user `postgres` for TCP connections; if left out, no password is required. */
  readonly password?: string;
  /** Requires TLS for TCP connections, with this key and certificate (PEM). */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Makes this a hot standby of that cluster, which it follows until `promote`. */
  readonly standbyOf?: Cluster;
  /** Additional settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Cluster {
  /** URL of the database `postgres` as superuser, over TCP on 127.0.0.1, without the password. */
  readonly url: string;
  readonly port: number;
  /** The directory of the Unix socket. */
  readonly socketDir: string;
  readonly dir: string;
  /** URL of another database, for the same user. */
  urlOf(database: string): string;
  /** `fast` ends connections and shuts down cleanly; `immediate` simulates a server crash. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Starts it on the same port. Resolves when it answers. */
  start(): Promise<void>;
  /** Sends SIGKILL to all its processes. */
  kill(): Promise<void>;
  /** Promotes a standby to primary. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

const LOOK_EVERY_MS = 20;
/** Below the ephemeral port range, so that no outgoing connection takes the port between a stop and a start. */
const [LOWEST_PORT, PORTS] = [15_000, 15_000];

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const dir = await mkdtemp(join(runDirectory(), 'own-'));
  const { uid, gid } = ordinaryOwner();
  await chown(dir, uid, gid);
  return await createCluster(dir, options);
}

/** Creates a cluster in `dir`, which the ordinary user owns. */
export async function createCluster(dir: string, options: ClusterOptions): Promise<Cluster> {
  const data = join(dir, 'data');
  const port = await freePort();
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const server = new Server(dir, port);
  if (options.standbyOf) await copyOf(options.standbyOf, data);
  else await initialise(dir, options);
  await configure(dir, port, options);
  await server.start();
  return {
    url: urlOf('postgres'),
    urlOf,
    port,
    socketDir: dir,
    dir,
    start: () => server.start(),
    stop: (mode = 'fast') => server.stop(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    kill: () => server.stop('SIGKILL'),
    promote: async () => {
      await run(binary('pg_ctl'), ['promote', '-D', data, '-w', '-t', String(LIMIT_MS / 1000)]);
    },
    remove: async () => {
      await server.stop('SIGQUIT');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The first cluster of the run is copied for the others: to initialise one takes ten times as long. */
async function initialise(dir: string, options: ClusterOptions): Promise<void> {
  if (options.password !== undefined || options.durable === true) return await initdb(dir, options);
  const first = join(runDirectory(), 'first');
  await onceARun(first, async () => {
    await initdb(first, options);
    return '';
  });
  await run('cp', ['-a', join(first, 'data'), dir]);
}

async function initdb(dir: string, { password, durable }: ClusterOptions): Promise<void> {
  const options = [
    '-D',
    join(dir, 'data'),
    '-U',
    'postgres',
    '--no-locale',
    '-E',
    'UTF8',
    '-N',
    '--no-instructions',
  ];
  // Small segments are created faster; clusters for measurements use the default size.
  if (durable !== true) options.push('--wal-segsize=1');
  if (password === undefined) return await run(binary('initdb'), [...options, '-A', 'trust']);
  const file = join(dir, 'password');
  await writeOwned(file, password);
  const methods = ['--auth-local=trust', '--auth-host=scram-sha-256', '--pwfile', file];
  await run(binary('initdb'), [...options, ...methods]);
}

async function copyOf(primary: Cluster, data: string): Promise<void> {
  const from = ['-h', primary.socketDir, '-p', String(primary.port), '-U', 'postgres'];
  await run(binary('pg_basebackup'), [...from, '-D', data, '-R', '-X', 'stream', '-c', 'fast', '--no-sync']);
}

async function configure(dir: string, port: number, options: ClusterOptions): Promise<void> {
  const data = join(dir, 'data');
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: dir,
    max_connections: '200',
    // Its log stays small: it lies in memory. Vacuuming would visit each of hundreds of databases all the time.
    ...(options.durable === true
      ? {}
      : { fsync: 'off', full_page_writes: 'off', max_wal_size: '64MB', autovacuum: 'off' }),
    ...(options.tls ? await tlsSettings(data, options.tls) : {}),
    ...options.settings,
  };
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  );
  await writeOwned(join(data, 'postgresql.auto.conf'), await kept(data, lines.join('')));
  if (!options.tls) return;
  const method = options.password === undefined ? 'trust' : 'scram-sha-256';
  const rules = ['local all all trust', 'local replication all trust', `hostssl all all all ${method}`];
  await writeOwned(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`);
}

/** Keeps the primary's address that the base backup wrote. Of duplicate settings, the last one wins. */
async function kept(data: string, lines: string): Promise<string> {
  return (await readFile(join(data, 'postgresql.auto.conf'), 'utf8')) + lines;
}

async function tlsSettings(data: string, tls: { readonly key: string; readonly cert: string }) {
  await writeOwned(join(data, 'server.key'), tls.key);
  await writeOwned(join(data, 'server.crt'), tls.cert);
  return { ssl: 'on' };
}

/**
 * The first caller of all processes makes something in `dir`; the others wait for it.
 * @returns what it returned
 */
export async function onceARun(dir: string, make: () => Promise<string>): Promise<string> {
  const [ready, failed] = [join(dir, 'ready'), join(dir, 'failed')];
  const isFirst = await makeOwned(dir).then(
    () => true,
    () => false,
  );
  if (isFirst) {
    try {
      await writeFile(`${ready}.new`, await make());
      await rename(`${ready}.new`, ready);
    } catch (error) {
      await mkdir(failed);
      throw error;
    }
  }
  const until = Date.now() + LIMIT_MS;
  for (;;) {
    if (existsSync(failed)) throw new Error(`${dir} could not be made; see the first failure.`);
    if (existsSync(ready)) return await readFile(ready, 'utf8');
    if (Date.now() > until) throw new Error(`${dir} is not ready in time.`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST_PORT + Math.floor(Math.random() * PORTS);
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer().once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
