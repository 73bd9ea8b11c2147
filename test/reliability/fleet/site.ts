import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { KnownAs } from '../../oracle/evidence.ts';
import { startCluster, type Cluster } from '../../support/postgresCluster.ts';
import { Dice } from '../support/dice.ts';
import { UIDS } from '../support/office.ts';
import { Service } from '../support/service.ts';
import type { Scan } from '../support/scanner.ts';
import { FleetAgent } from './agent.ts';
import { LEASE_MS, nameOf, type Plan } from './plan.ts';
import { readLedger, type World } from './world.ts';

/** Normally an image that can't be sent is copied within a second after it was named; a busy machine takes longer. */
const COPIED_WITHIN_MS = 10_000;

export interface SitePlan extends Pick<
  Plan,
  'seed' | 'agents' | 'perSecond' | 'lostAnswers' | 'answerAfterMs'
> {
  readonly withStandby?: boolean;
}

interface Parts {
  readonly plan: SitePlan;
  readonly dir: string;
  readonly primary: Cluster;
  readonly standby: Cluster | null;
  readonly service: Service;
  readonly agents: readonly FleetAgent[];
}

/** One folder shared by all agents, a service, and a database. */
export class Site {
  readonly dir: string;
  readonly folder: string;
  /** The server of the ledger, reached without a proxy. */
  cluster: Cluster;
  readonly service: Service;
  readonly agents: readonly FleetAgent[];
  /** Monotonic time of the last start or end of a fault. */
  disturbedAt = performance.now();
  /** When each image was first found in the ledger, by hash; monotonic. */
  readonly #knownSince = new Map<string, number>();
  readonly #parts: Parts;
  /** Reused until it fails, since each new connection costs the server a process. */
  #client: Promise<Client> | null = null;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.dir = parts.dir;
    this.folder = join(parts.dir, 'scans');
    this.cluster = parts.primary;
    this.service = parts.service;
    this.agents = parts.agents;
  }

  static async open(plan: SitePlan): Promise<Site> {
    const dir = await mkdtemp(join(tmpdir(), `receiptd-fleet-${plan.seed}-`));
    await mkdir(join(dir, 'scans'));
    // With a standby, commits are synchronous: everything reported to an agent survives a failover.
    const primary = await startCluster(
      plan.withStandby ? { settings: { synchronous_standby_names: '*' } } : {},
    );
    const standby = plan.withStandby
      ? await startCluster({ standbyOf: primary, settings: { synchronous_standby_names: '' } })
      : null;
    const service = await Service.start(join(dir, 'sandbox'), Dice.of(plan.seed, 'service'));
    if (plan.lostAnswers > 0)
      service.sandbox.misbehave({ kind: 'lostAnswer', probability: plan.lostAnswers });
    if (plan.answerAfterMs > 0) service.sandbox.misbehave({ kind: 'delay', delayMs: plan.answerAfterMs });
    const config = configuration(dir, service.sandbox.url, plan);
    const ports = { port: primary.port, standby: standby?.port ?? null };
    const agents: FleetAgent[] = [];
    for (let each = 0; each < plan.agents; each += 1)
      agents.push(await FleetAgent.prepare({ name: nameOf(each), dir, config, leaseMs: LEASE_MS, ...ports }));
    return new Site({ plan, dir, primary, standby, service, agents });
  }

  /**
   * How well the fleet knows an image; null: the ledger can't be queried at the moment. It counts as copied if an agent has a copy, or if
   * there were no faults for long enough that one must have it. An image that is only named is lost with the agent that holds it, as
   * docs/originals.md says.
   */
  async knownAs({ sha256 }: Pick<Scan, 'sha256'>): Promise<KnownAs | null> {
    const text = 'SELECT state FROM receiptd.documents WHERE sha256 = $1';
    const found = await this.#asked((client) => client.query<{ state: string }>(text, [sha256]));
    if (found === null) return null;
    const [document] = found.rows;
    if (document === undefined) return 'unseen';
    if (document.state === 'accepted') return 'accepted';
    const isIn = ({ stateDir }: FleetAgent): boolean =>
      existsSync(join(stateDir, 'spool', sha256.slice(0, 2), sha256));
    if (this.agents.some(isIn)) return 'copied';
    const now = performance.now();
    const since = this.#knownSince.get(sha256) ?? now;
    this.#knownSince.set(sha256, since);
    return now - Math.max(since, this.disturbedAt) > COPIED_WITHIN_MS ? 'copied' : 'named';
  }

  /** What is still unsettled; null if nothing is. */
  async unsettled(due: ReadonlySet<string>): Promise<string | null> {
    const text = 'SELECT sha256, state FROM receiptd.documents';
    const found = await this.#asked((client) => client.query<{ sha256: string; state: string }>(text));
    if (found === null) return 'the database is not answering';
    const known = new Set(found.rows.map(({ sha256 }) => sha256));
    const missing = [...due].filter((sha256) => !known.has(sha256)).length;
    const waiting = found.rows.filter(({ state }) => state === 'queued' || state === 'uploading').length;
    return missing + waiting === 0 ? null : `${missing} images are not in the ledger, ${waiting} are waiting`;
  }

  /** The number of sessions that the agent started, or that were ended for it. */
  async epochOf(agent: string): Promise<number | null> {
    const text = 'SELECT epoch::int FROM receiptd.agents WHERE name = $1';
    const found = await this.#asked((client) => client.query<{ epoch: number }>(text, [agent]));
    return found?.rows[0]?.epoch ?? null;
  }

  /** Crashes the first server permanently and promotes the second. */
  async failOver(): Promise<void> {
    const { standby } = this.#parts;
    if (!standby) throw new Error('this site has no standby');
    await this.cluster.kill();
    await standby.promote();
    this.cluster = standby;
  }

  async world(scans: World['scans']): Promise<World> {
    const client = await this.#connected();
    const { folder, service } = this;
    try {
      const ledger = await readLedger(client);
      return { ...ledger, folder, scans, service, perSecond: this.#parts.plan.perSecond };
    } finally {
      await client.end();
    }
  }

  /** Leaves the directory in place if it is to be `kept`. */
  async close({ kept }: { readonly kept: boolean }): Promise<void> {
    const { primary, standby } = this.#parts;
    for (const agent of this.agents) await agent.close({ kept });
    await this.service.close();
    await this.#hangUp();
    for (const server of [standby, primary]) await server?.remove();
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
    const client = new Client({ connectionString: this.cluster.url });
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
