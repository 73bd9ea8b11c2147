/**
 * Measures the cost of a shared ledger: bytes, WAL and commits a document, and the load of idle agents. docs/fleet.md quotes these
 * figures. Takes the URL of a superuser on an empty PostgreSQL on this machine, where it creates its own database:
 *
 *   npm run trials:build && node build/bench/fleetCosts.js postgres://postgres@127.0.0.1:5432/postgres
 */
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Ledger } from '../src/core/ports/ledger.ts';
import { openLedgerAgent } from './world/ledgerAgent.ts';
import { begin, finish } from '../test/support/uploads.ts';
import { nextOf } from '../test/support/uploads.ts';

const [server, ...options] = process.argv.slice(2);
if (server === undefined) throw new Error('usage: fleetCosts URL [--documents N] [--agents N] [--seconds N]');
const DOCUMENTS = option('documents', 200_000);
const AGENTS = option('agents', 50);
const SECONDS = option('seconds', 60);
/** Documents sent one by one through the adapter; the others are copies of their rows. */
const REAL = 2_000;
const ENDPOINT = { baseUrl: 'https://service.example/api/v1', uid: '11111111-2222-4333-8444-555555555555' };

function option(name: string, otherwise: number): number {
  const at = options.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(options[at + 1]);
}

const NAME = `fleet_costs_${randomUUID().slice(0, 8)}`;
const url = new URL(server);
url.pathname = `/${NAME}`;

async function send(ledger: Ledger, n: number): Promise<void> {
  const path = `2026/Scan_2026-01-${String((n % 28) + 1).padStart(2, '0')}_${n}.jpg`;
  const { document } = await ledger.admit({
    endpoint: ENDPOINT,
    file: {
      folder: '/srv/scans/front-desk',
      path,
      identity: {
        size: 345_678 + n,
        mtimeNs: 1_767_225_600_000_000_000n + BigInt(n),
        ctimeNs: 1_767_225_601_000_000_000n,
        inode: BigInt(n),
      },
    },
    sha256: createHash('sha256').update(path).digest('hex'),
    type: 'jpeg',
    lane: 'fresh',
    at: Date.now(),
    naming: [`Scan_2026-01-01_${n}-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`],
  });
  const query = {
    endpoint: ENDPOINT,
    lane: 'fresh' as const,
    exceptFolders: [],
    freshSince: 0,
    longestWaitMs: 86_400_000,
  };
  await nextOf(ledger, { ...query, limit: 1, now: Date.now() });
  const attempt = await begin(ledger, document.id, Date.now(), 345_678);
  const response = `{"uid":"${randomUUID()}","name":"${document.name}","status":"PROCESSING","createdAt":"2026-01-01T08:00:00Z"}`;
  const transition = { state: 'accepted' as const, serviceStatus: 'PROCESSING', response };
  await finish(ledger, attempt, {
    at: Date.now(),
    outcome: 'accepted',
    httpStatus: 201,
    message: null,
    transition,
  });
}

interface Measures {
  readonly wal: number;
  readonly commits: number;
  /** CPU seconds of the server. */
  readonly cpu: number;
}

async function measures(admin: Client): Promise<Measures> {
  await admin.query('SELECT pg_stat_force_next_flush()').catch(() => {});
  const { rows } = await admin.query<{ wal: string; commits: string; pid: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS wal, xact_commit AS commits, pg_backend_pid() AS pid
       FROM pg_stat_database WHERE datname = $1`,
    [NAME],
  );
  const [row] = rows;
  return { wal: Number(row?.wal), commits: Number(row?.commits), cpu: cpuOf(parentOf(row?.pid ?? 0)) };
}

function statOf(pid: number | string): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** CPU seconds of the server and all its processes, including those that have ended. */
function cpuOf(postmaster: number): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = statOf(pid);
      if (Number(pid) === postmaster)
        ticks += [11, 12, 13, 14].reduce((sum, at) => sum + Number(stat[at]), 0);
      else if (Number(stat[1]) === postmaster) ticks += Number(stat[11]) + Number(stat[12]);
    } catch {
      // It has ended in the meantime.
    }
  }
  return ticks / 100;
}

function since(before: Measures, after: Measures): Measures {
  return {
    wal: after.wal - before.wal,
    commits: after.commits - before.commits,
    cpu: after.cpu - before.cpu,
  };
}

/** Copies the existing rows under new ids until there are `documents` documents. */
async function multiply(admin: Client, documents: number): Promise<void> {
  const copies = Math.ceil(documents / REAL) - 1;
  await admin.query(`SET search_path = receiptd`);
  await admin.query(`SET session_replication_role = replica`);
  const copied = (table: string, change: Readonly<Record<string, string>>): string => `
DO $$ DECLARE columns text; BEGIN
  SELECT string_agg(format('%I', attname), ', ' ORDER BY attnum) INTO columns FROM pg_attribute
   WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped;
  EXECUTE format('INSERT INTO ${table} (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM (SELECT * FROM ${table}) t, generate_series(1, ${copies}) c',
    columns, ${Object.entries(change).reduce((text, [column, value]) => `regexp_replace(${text}, '\\m${column}\\M', '${value.replaceAll("'", "''")}')`, 'columns')});
END $$`;
  const digest = `encode(sha256((t.id * 1000000 + c)::text::bytea), 'hex')`;
  await admin.query(
    copied('documents', {
      id: `t.id + c * 1000000`,
      sha256: digest,
      name: `t.name || c`,
      line: 't.line + c * 1000000',
    }),
  );
  await admin.query(
    copied('attempts', { id: `t.id + c * 1000000`, document_id: `t.document_id + c * 1000000` }),
  );
  await admin.query(
    copied('files', {
      id: `t.id + c * 1000000`,
      document_id: `t.document_id + c * 1000000`,
      name: `t.name || c`,
      sha256: digest,
    }),
  );
  await admin.query(
    copied('history', { seq: `t.seq + c * 1000000`, document_id: `t.document_id + c * 1000000` }),
  );
}

const first = new Client({ connectionString: server });
await first.connect();
await first.query(`CREATE DATABASE ${NAME}`);
try {
  const ledger = await openLedgerAgent(url.href, 'bench');
  const admin = new Client({ connectionString: url.href });
  await admin.connect();
  await send(ledger, 0);
  await sleep(2_000);
  let before = await measures(admin);
  for (let n = 1; n < REAL / 2; n += 1) await send(ledger, n);
  await sleep(2_000);
  const alone = since(before, await measures(admin));
  before = await measures(admin);
  const [lanes, each] = [8, REAL / 16];
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let n = 0; n < each; n += 1) await send(ledger, REAL / 2 + lane * each + n);
    }),
  );
  await sleep(2_000);
  const together = since(before, await measures(admin));
  const per = ({ wal, commits, cpu }: Measures, count: number) => ({
    wal: Math.round(wal / count),
    commits: Number((commits / count).toFixed(2)),
    cpuMs: Number(((cpu * 1000) / count).toFixed(2)),
  });
  console.log('one after the other', per(alone, REAL / 2 - 1));
  console.log('eight at a time    ', per(together, REAL / 2));
  const { rows: connections } = await admin.query(
    `SELECT application_name, count(*)::integer FROM pg_stat_activity WHERE application_name LIKE 'receiptd%' GROUP BY 1 ORDER BY 1`,
  );
  console.log('connections of a busy agent', connections);
  await ledger.close();

  await multiply(admin, DOCUMENTS);
  await admin.query('VACUUM ANALYZE');
  const { rows: sizes } = await admin.query<{ name: string; kind: string; bytes: string }>(
    `SELECT c.relname AS name, c.relkind AS kind, pg_relation_size(c.oid)::text AS bytes
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'receiptd' AND c.relkind IN ('r', 'i') AND pg_relation_size(c.oid) > 200000 ORDER BY pg_relation_size(c.oid) DESC`,
  );
  let total = 0;
  for (const { name, kind, bytes } of sizes) {
    total += Number(bytes);
    console.log(
      kind === 'i' ? '  index' : 'table  ',
      name.padEnd(40),
      (Number(bytes) / DOCUMENTS).toFixed(0).padStart(6),
    );
  }
  console.log('bytes per document', (total / DOCUMENTS).toFixed(0));

  const agents: Ledger[] = [];
  for (let n = 0; n < AGENTS; n += 1) agents.push(await openLedgerAgent(url.href, `idle-${n}`));
  await sleep(15_000);
  before = await measures(admin);
  const own = process.cpuUsage();
  await sleep(SECONDS * 1000);
  const idle = since(before, await measures(admin));
  const { user, system } = process.cpuUsage(own);
  const rate = (value: number) => Number((value / AGENTS / SECONDS).toFixed(5));
  console.log(`${AGENTS} idle agents, for each and second`, {
    wal: rate(idle.wal),
    commits: rate(idle.commits),
    serverCpuMs: rate(idle.cpu * 1000),
    agentCpuMs: rate((user + system) / 1000),
  });
  await Promise.all(agents.map((agent) => agent.close()));
  await admin.end();
} finally {
  await first.query(`DROP DATABASE ${NAME} WITH (FORCE)`);
  await first.end();
}
