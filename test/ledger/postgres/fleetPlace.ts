import type { Client } from 'pg';
import { afterEach, beforeEach } from 'vitest';
import { systemClock } from '../../../src/system/systemClock.ts';
import { openPostgresLedger, type PostgresLedgerOptions } from '../../../src/ledger/postgres/open.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { LedgerFleet } from '../../../src/core/ports/fleet.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { Admission } from '../../../src/core/ports/ledgerIntake.ts';
import type { RecordedResult } from '../../../src/core/ports/results.ts';
import { freshDatabase, type FreshDatabase, type Kept } from '../../support/postgres.ts';
import { admission, OFFICE, seen } from '../../contract/ledger/support.ts';
import { agentOptions, connected, UNUSED } from './place.ts';

export type Agent = Ledger & { readonly fleet: LedgerFleet };

/** Agents that share a database and one folder, each under its own path. */
export class FleetPlace {
  readonly #open = new Set<Agent>();
  #database: FreshDatabase | null = null;
  /** For all questions, until the database is copied. */
  #asking: Promise<Client> | null = null;

  private constructor() {}

  static async create(): Promise<FleetPlace> {
    const place = new FleetPlace();
    place.#database = await freshDatabase(UNUSED);
    return place;
  }

  /** With an empty database in each test. */
  static ofEachTest(): FleetPlace {
    const place = new FleetPlace();
    beforeEach(async () => {
      place.#database = await freshDatabase(UNUSED);
    });
    afterEach(() => place.remove());
    return place;
  }

  get #of(): FreshDatabase {
    if (this.#database === null) throw new Error('there is no database');
    return this.#database;
  }

  get url(): string {
    return this.#of.url;
  }

  async open(name: string, more: Partial<PostgresLedgerOptions> = {}): Promise<Agent> {
    const shares = new Map([[`/mnt/${name}`, 'scans']]);
    const options = agentOptions(this.url, name, { shares, clock: systemClock, ...more });
    const ledger = await openPostgresLedger(options);
    if (!ledger.fleet) throw new Error('a shared ledger has a fleet');
    const agent = { ...ledger, fleet: ledger.fleet };
    this.#open.add(agent);
    return agent;
  }

  /** Documents in the shared folder as an agent would have admitted them; their numbers. */
  async documents(admittedBy: string, count: number, place = 'share:scans', path = ''): Promise<number[]> {
    await this.ask(`INSERT INTO endpoints (base_url, uid) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
      OFFICE.baseUrl,
      OFFICE.uid,
    ]);
    await this.ask(`INSERT INTO folders (place, path) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [place, path]);
    const rows = await this.ask<{ id: string }>(
      `INSERT INTO documents (endpoint_id, folder_id, agent_id, path, name, sha256, type, size, lane, line, created_at, updated_at)
       SELECT e.id, f.id, a.id, 'p' || n, gen_random_uuid(), gen_random_uuid(), 'jpeg', 1, 'fresh', n, 1, 1
         FROM endpoints e, folders f, agents a, generate_series(1, $4::integer) n
        WHERE f.place = $1 AND f.path = $2 AND a.name = $3 RETURNING id`,
      [place, path, admittedBy, count],
    );
    return rows.map(({ id }) => Number(id));
  }

  async keep(): Promise<Kept> {
    await this.#hangUp();
    const kept = await this.#of.keep();
    return {
      restore: async () => {
        await this.#hangUp();
        await kept.restore();
      },
    };
  }

  async ask<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const client = await (this.#asking ??= connected(this.url));
    return (await client.query(text, values)).rows as Row[];
  }

  /** The state of a document. */
  async standing(id: number) {
    const [row] = await this.ask<{ state: string; reason: string | null; claimed_by: number | null }>(
      'SELECT state, reason, answer_lost, claimed_by FROM documents WHERE id = $1',
      [id],
    );
    return row;
  }

  async #hangUp(): Promise<void> {
    const asking = this.#asking;
    this.#asking = null;
    await (await asking)?.end();
  }

  async remove(): Promise<void> {
    await Promise.all([...this.#open].map((agent) => agent.close()));
    this.#open.clear();
    await this.#hangUp();
    await this.#database?.remove();
    this.#database = null;
  }
}

export function imageIn(folder: string, path: string, content: string): Admission {
  return admission('', content, { file: seen(path, 1, folder) });
}

/** A result of no document. */
export function postResult(agent: Agent, status: string): Promise<RecordedResult> {
  const of = { baseUrl: OFFICE.baseUrl, uid: OFFICE.uid, name: 'unknown' };
  return agent.recordResult({ at: 6_000, ...of, status, payload: Buffer.from(JSON.stringify({ status })) });
}

/** Sleeps last until it is thawed, as in a stopped process. */
export class FrozenClock implements Clock {
  #thaw: () => void = () => {};
  readonly #thawed = new Promise<void>((resolve) => (this.#thaw = resolve));
  readonly now = () => systemClock.now();
  readonly monotonic = () => systemClock.monotonic();

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await Promise.race([this.#thawed, aborted(signal)]);
    await systemClock.sleep(ms, signal);
  }

  thaw(): void {
    this.#thaw();
  }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}
