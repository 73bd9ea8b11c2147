import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Client } from 'pg';
import { startSandbox, type Sandbox } from '../../../src/sandbox/server.ts';
import { startCluster, type Cluster } from '../../support/postgresCluster.ts';
import { Dice } from '../support/dice.ts';
import { CLIENT, ENDPOINTS, UIDS } from '../support/office.ts';
import { FleetAgent } from './agent.ts';
import { LEASE_MS, nameOf, type Plan } from './plan.ts';
import { readLedger, type World } from './world.ts';

const DATABASE = 'postgres';
/** Normally an image that can't be sent is copied within a second after it was named; a busy machine takes longer. */
const COPIED_WITHIN_MS = 10_000;

export interface SitePlan extends Pick<
  Plan,
  'seed' | 'agents' | 'perSecond' | 'lostAnswers' | 'answerAfterMs'
> {
  readonly withStandby?: boolean;
}

/** One folder shared by all agents, a service, and a database. */
export class Site {
  readonly dir: string;
  readonly folder: string;
  /** The server of the ledger, reached without a proxy. */
  cluster: Cluster;
  /** A second server that replicates the first. */
  readonly standby: Cluster | null;
  readonly sandbox: Sandbox;
  readonly agents: readonly FleetAgent[];
  readonly requests: World['requests'][number][];
  /** Monotonic time of the last start or end of a fault. */
  disturbedAt = performance.now();
  /** When each image was first found in the ledger, by hash; monotonic. */
  readonly #knownSince = new Map<string, number>();
  readonly #perSecond: number | null;
  readonly #servers: readonly Cluster[];
  readonly #stalls = monitorEventLoopDelay({ resolution: 5 });
  /** Reused until it fails, since each new connection costs the server a process. */
  #client: Promise<Client> | null = null;

  private constructor(
    { perSecond }: SitePlan,
    dir: string,
    { primary, standby }: Servers,
    sandbox: Sandbox,
    agents: readonly FleetAgent[],
    requests: Site['requests'],
  ) {
    this.#perSecond = perSecond;
    this.dir = dir;
    this.folder = join(dir, 'scans');
    this.cluster = primary;
    this.standby = standby;
    this.#servers = standby === null ? [primary] : [standby, primary];
    this.sandbox = sandbox;
    this.agents = agents;
    this.requests = requests;
    this.#stalls.enable();
  }

  static async open(plan: SitePlan): Promise<Site> {
    const dir = await mkdtemp(join(tmpdir(), `receiptd-fleet-${plan.seed}-`));
    await mkdir(join(dir, 'scans'));
    const servers = await startServers(plan.withStandby === true);
    const requests: Site['requests'] = [];
    const dice = Dice.of(plan.seed, 'service');
    const sandbox = await startSandbox({
      dir: join(dir, 'sandbox'),
      credentials: CLIENT,
      endpoints: ENDPOINTS,
      random: () => dice.next(),
      onRequest: ({ route, name, ending, tookMs, fault }) => {
        if (route !== 'upload' || name === null) return;
        const now = performance.now();
        const status = typeof ending === 'number' ? ending : null;
        requests.push({ name, arrivedAt: now - tookMs, status, refusedAt: fault === 'status' ? now : null });
      },
    });
    if (plan.lostAnswers > 0) sandbox.misbehave({ kind: 'lostAnswer', probability: plan.lostAnswers });
    if (plan.answerAfterMs > 0) sandbox.misbehave({ kind: 'delay', delayMs: plan.answerAfterMs });
    const config = configuration(dir, sandbox.url, plan);
    const database = {
      name: DATABASE,
      port: servers.primary.port,
      standby: servers.standby?.port ?? null,
    };
    const agents: FleetAgent[] = [];
    for (let each = 0; each < plan.agents; each += 1)
      agents.push(await FleetAgent.prepare({ name: nameOf(each), dir, config, leaseMs: LEASE_MS, database }));
    return new Site(plan, dir, servers, sandbox, agents, requests);
  }

  /**
   * Whether these bytes may leave the folder: the service has them, an agent has a copy, or there were no faults for long enough that an
   * agent must have one. An image that is only named is lost with the agent that holds it, as docs/originals.md says. Null: the ledger
   * can't be queried at the moment.
   */
  isSafe = async (sha256: string): Promise<boolean | null> => {
    const text = 'SELECT state FROM receiptd.documents WHERE sha256 = $1';
    const found = await this.#asked((client) => client.query<{ state: string }>(text, [sha256]));
    if (found === null) return null;
    const [document] = found.rows;
    if (document === undefined) return false;
    if (document.state === 'accepted') return true;
    const isIn = ({ stateDir }: FleetAgent): boolean =>
      existsSync(join(stateDir, 'spool', sha256.slice(0, 2), sha256));
    if (this.agents.some(isIn)) return true;
    const now = performance.now();
    const since = this.#knownSince.get(sha256) ?? now;
    this.#knownSince.set(sha256, since);
    return now - Math.max(since, this.disturbedAt) > COPIED_WITHIN_MS;
  };

  /** What is still unsettled; null if nothing is. */
  async unsettled(due: ReadonlySet<string>): Promise<string | null> {
    const asked = await this.#asked(async (client) => {
      const { rows } = await client.query<{ sha256: string; state: string }>(
        'SELECT sha256, state FROM receiptd.documents',
      );
      const known = new Map(rows.map(({ sha256, state }) => [sha256, state]));
      const missing = [...due].filter((sha256) => !known.has(sha256)).length;
      const waiting = rows.filter(({ state }) => state === 'queued' || state === 'uploading').length;
      if (missing > 0 || waiting > 0)
        return `${missing} images are not in the ledger, ${waiting} are waiting`;
      return '';
    });
    if (asked === null) return 'the database is not answering';
    return asked === '' ? null : asked;
  }

  /** The number of sessions that the agent started, or that were ended for it. */
  async epochOf(agent: string): Promise<number | null> {
    const text = 'SELECT epoch::int FROM receiptd.agents WHERE name = $1';
    const found = await this.#asked((client) => client.query<{ epoch: number }>(text, [agent]));
    return found?.rows[0]?.epoch ?? null;
  }

  /** Crashes the first server permanently and promotes the second. */
  async failOver(): Promise<void> {
    if (!this.standby) throw new Error('this site has no standby');
    await this.cluster.kill();
    await this.standby.promote();
    this.cluster = this.standby;
  }

  async world(scans: World['scans']): Promise<World> {
    const ledger = await readLedgerOf(this.cluster);
    return {
      ...ledger,
      folder: this.folder,
      scans,
      stored: this.sandbox.received(),
      requests: this.requests,
      perSecond: this.#perSecond,
      stallMs: this.#stalls.max / 1e6,
    };
  }

  /** Leaves the directory in place if it is to be `kept`. */
  async close({ kept }: { readonly kept: boolean }): Promise<void> {
    this.#stalls.disable();
    for (const agent of this.agents) await agent.close();
    await this.sandbox.close();
    await this.#hangUp();
    for (const server of this.#servers) await server.remove();
    if (!kept) await rm(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Queries the database without a proxy; null if it is down. */
  async #asked<T>(work: (client: Client) => Promise<T>): Promise<T | null> {
    const asked = (this.#client ??= this.#connected());
    try {
      return await work(await asked);
    } catch {
      if (this.#client === asked) await this.#hangUp();
      return null;
    }
  }

  async #connected(): Promise<Client> {
    const client = new Client({ connectionString: this.cluster.urlOf(DATABASE) });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    return client;
  }

  async #hangUp(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.then((each) => each.end()).catch(() => {});
  }
}

interface Servers {
  readonly primary: Cluster;
  readonly standby: Cluster | null;
}

async function readLedgerOf(cluster: Cluster): ReturnType<typeof readLedger> {
  const client = new Client({ connectionString: cluster.urlOf(DATABASE) });
  await client.connect();
  try {
    return await readLedger(client);
  } finally {
    await client.end();
  }
}

/** With a standby, commits are synchronous: everything reported to an agent survives a failover. */
async function startServers(withStandby: boolean): Promise<Servers> {
  if (!withStandby) return { primary: await startCluster(), standby: null };
  const primary = await startCluster({ settings: { synchronous_standby_names: '*' } });
  const standby = await startCluster({ standbyOf: primary, settings: { synchronous_standby_names: '' } });
  return { primary, standby };
}

function configuration(dir: string, baseUrl: string, { perSecond }: SitePlan): Record<string, unknown> {
  return {
    service: { baseUrl, proxy: 'direct', timeouts: { headers: '10s', body: '10s' } },
    endpoints: { office: { uid: UIDS.office, ...(perSecond !== null && { rate: `${perSecond}/s` }) } },
    folders: [
      {
        path: join(dir, 'scans'),
        share: 'scans',
        endpoint: 'office',
        settle: { short: '50ms', long: '200ms', patience: '5s' },
      },
    ],
    delivery: { concurrency: 4, grace: '500ms' },
    intake: { reconcileEvery: '2s' },
    spool: 'always',
    storage: { reserve: '1MB' },
  };
}
