/**
 * Measures how a PostgreSQL on this machine copes with a thousand agents: connecting, idling, a burst of scans, and a tenth of them
 * dying at once. docs/fleet.md quotes these figures. Starts its own server:
 *
 *   npm run trials:build && node build/bench/fleetCrowd.js [--agents N] [--seconds N] [--each N]
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startCluster, type Cluster } from '../test/support/postgresCluster.ts';
import type { CrowdOptions, Order, Told } from './world/crowd.ts';
import { databaseProcessorSeconds, freshDatabase } from './world/fleetDatabase.ts';
import { openLedgerAgent } from './world/ledgerAgent.ts';
import { quantile } from './world/measure.ts';

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    each: { type: 'string', default: '10' },
  },
});
const [AGENTS, SECONDS, EACH] = [Number(values.agents), Number(values.seconds), Number(values.each)];
const PARTS = 10;
const OFFICES = Math.ceil(AGENTS / 10);
const SERVICE_MS = 100;
const LOOK_EVERY_MS = 100;

class Part {
  readonly #child: ChildProcess;

  constructor(options: CrowdOptions) {
    const program = fileURLToPath(new URL('world/crowd.js', import.meta.url));
    this.#child = fork(program, [JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  async told<K extends Told['kind']>(kind: K): Promise<Extract<Told, { kind: K }>> {
    for (;;) {
      const [told] = (await once(this.#child, 'message')) as [Told];
      if (told.kind === kind) return told as Extract<Told, { kind: K }>;
    }
  }

  order(order: Order): void {
    this.#child.send(order);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Samples the server's sessions and keeps the peaks. */
class Watch {
  readonly #admin: Client;
  readonly #over = new AbortController();
  readonly #running: Promise<void>;
  active = 0;
  waiting = 0;
  /** Number of samples of each activity or wait event of the server. */
  readonly #events = new Map<string, number>();

  constructor(admin: Client) {
    this.#admin = admin;
    this.#running = this.#run();
  }

  async end() {
    this.#over.abort();
    await this.#running;
    const events = [...this.#events].sort(([, one], [, other]) => other - one).slice(0, 3);
    return {
      active: this.active,
      waitingForLocks: this.waiting,
      mostOften: events.map(([event, seen]) => `${event} (${seen})`),
    };
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) {
      const { rows } = await this.#admin.query<{ active: number; waiting: number }>(
        `SELECT count(*) FILTER (WHERE state = 'active')::integer AS active,
                count(*) FILTER (WHERE wait_event_type = 'Lock')::integer AS waiting
           FROM pg_stat_activity WHERE application_name LIKE 'receiptd%'`,
      );
      this.active = Math.max(this.active, rows[0]?.active ?? 0);
      this.waiting = Math.max(this.waiting, rows[0]?.waiting ?? 0);
      const events = await this.#admin.query<{ event: string; count: number }>(
        `SELECT coalesce(wait_event, 'processor') || ': ' || left(regexp_replace(query, '[[:space:]]+', ' ', 'g'), 50) AS event,
                count(*)::integer AS count
           FROM pg_stat_activity WHERE application_name LIKE 'receiptd%' AND state = 'active' GROUP BY 1`,
      );
      for (const { event, count: seen } of events.rows)
        this.#events.set(event, (this.#events.get(event) ?? 0) + seen);
      await sleep(LOOK_EVERY_MS);
    }
  }
}

const settings = { shared_buffers: '512MB', max_connections: String(3 * AGENTS + 50) };
const cluster = await startCluster({ durable: true, settings });
const parts: Part[] = [];
try {
  const { url } = await freshDatabase(cluster, 'crowd');
  await (await openLedgerAgent(url, 'first')).close();
  const [admin, watching] = [new Client({ connectionString: url }), new Client({ connectionString: url })];
  await Promise.all([admin.connect(), watching.connect()]);
  const number = async (text: string): Promise<number> => {
    const { rows } = await admin.query<{ number: string }>(`SELECT (${text}) AS number`);
    return Number(rows[0]?.number);
  };
  const until = async (text: string): Promise<void> => {
    while ((await number(text)) !== 0) await sleep(LOOK_EVERY_MS);
  };
  const count = Math.ceil(AGENTS / PARTS);

  let watch = new Watch(watching);
  let startedAt = performance.now();
  for (let part = 0; part < PARTS; part += 1)
    parts.push(new Part({ url, first: part * count, count, offices: OFFICES }));
  await Promise.all(parts.map((part) => part.told('opened')));
  console.log(`${AGENTS} agents start at once`, { seconds: seconds(startedAt), ...(await watch.end()) });

  await sleep(20_000);
  const ours = `FROM pg_stat_activity WHERE application_name LIKE 'receiptd%'`;
  console.log('idle', {
    connections: await number(`SELECT count(*) ${ours}`),
    privateMB: Math.round(privateBytes(cluster) / 1e6),
  });
  const commits = () => number(`SELECT xact_commit FROM pg_stat_database WHERE datname = 'crowd'`);
  const wal = () => number(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')`);
  const before = [await commits(), await wal(), await databaseProcessorSeconds(cluster)] as const;
  await sleep(SECONDS * 1000);
  const after = [await commits(), await wal(), await databaseProcessorSeconds(cluster)] as const;
  const rate = (at: 0 | 1 | 2): number => (after[at] - before[at]) / SECONDS;
  console.log('idle, each second', {
    commits: rate(0).toFixed(0),
    walKB: (rate(1) / 1e3).toFixed(0),
    processors: rate(2).toFixed(3),
  });

  const of = (all: readonly (readonly number[])[]) => {
    const each = all.flat();
    return { median: Math.round(quantile(each, 0.5)), p99: Math.round(quantile(each, 0.99)) };
  };
  for (const [what, each] of [
    ['a first image for each agent at once', 1],
    ['an image for each agent at once', 1],
    [`${EACH} images for each agent at once`, EACH],
  ] as const) {
    watch = new Watch(watching);
    startedAt = performance.now();
    for (const part of parts) part.order({ kind: 'scan', each, serviceMs: SERVICE_MS });
    const usedBefore = await databaseProcessorSeconds(cluster);
    const sent = await Promise.all(parts.map((part) => part.told('sent')));
    const took = seconds(startedAt);
    console.log(what, {
      seconds: took,
      perSecond: Math.round((AGENTS * each) / took),
      processorMsEach: Math.round(
        (((await databaseProcessorSeconds(cluster)) - usedBefore) / AGENTS / each) * 1000,
      ),
      admitMs: of(sent.map(({ admitMs }) => admitMs)),
      beginAndFinishMs: of(sent.map(({ finishMs }) => finishMs)),
      repeated: sent.reduce((sum, { repeated }) => sum + repeated, 0),
      lostTheirLease: await number(
        `SELECT count(*) FROM receiptd.agents WHERE epoch > 1 AND name <> 'first'`,
      ),
      ...(await watch.end()),
    });
  }

  const [dead] = parts;
  dead?.order({ kind: 'hold' });
  await dead?.told('held');
  const held = await number(`SELECT count(*) FROM receiptd.documents WHERE state = 'uploading'`);
  watch = new Watch(watching);
  startedAt = performance.now();
  const usedAlive = await databaseProcessorSeconds(cluster);
  dead?.kill();
  const theirs = `name < 'agent-${String(count).padStart(4, '0')}' AND name <> 'first'`;
  await until(`SELECT count(*) FROM receiptd.agents WHERE ${theirs} AND lease_until IS NOT NULL`);
  const takenOver = seconds(startedAt);
  await until(`SELECT count(*) FROM receiptd.documents WHERE state <> 'accepted'`);
  console.log(`${count} are killed at once`, {
    underWay: held,
    takenOverAfterSeconds: takenOver,
    sentAgainAfterSeconds: seconds(startedAt),
    processorSeconds: Number(((await databaseProcessorSeconds(cluster)) - usedAlive).toFixed(1)),
    othersLostTheirLease: await number(
      `SELECT count(*) FROM receiptd.agents WHERE epoch > 1 AND name <> 'first' AND NOT (${theirs})`,
    ),
    ...(await watch.end()),
  });
  await Promise.all([admin.end(), watching.end()]);
} finally {
  for (const part of parts) part.kill();
  await cluster.remove();
}

function seconds(startedAt: number): number {
  return Math.round((performance.now() - startedAt) / 100) / 10;
}

/** Private memory of the server's processes. */
function privateBytes({ dir }: Cluster): number {
  const [postmaster = ''] = readFileSync(join(dir, 'data', 'postmaster.pid'), 'utf8').split('\n');
  let bytes = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      if (stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] !== postmaster) continue;
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
      for (const [, kB] of text.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm))
        bytes += Number(kB) * 1024;
    } catch {
      // It has ended in the meantime.
    }
  }
  return bytes;
}
