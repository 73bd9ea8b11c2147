import type { FolderKey, MoveItem } from '../../core/messages.ts';
import { BYTES_ELSEWHERE } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FleetAgent, FleetSignal, LedgerFleet, Retired, SilentAgent } from '../../core/ports/fleet.ts';
import type { Hold, HoldScope } from '../../core/domain/hold.ts';
import type { Log } from '../../core/ports/log.ts';
import type { NamedParams, Sql, SqlParams } from '../postgres/statements.ts';
import { IS_RUNNING, IS_SILENT, isTakenBy, NOW, TELL } from '../postgres/tables.ts';
import { CHAIN, folderIdOf } from '../entries.ts';
import { fromRow, type Others } from '../reads/holds.ts';
import type { Places } from '../reads/view.ts';
import type { Beat, Member } from './member.ts';
import { toMessage } from '../../core/domain/why.ts';
import { elsewhere } from '../../core/domain/elsewhere.ts';

/** Documents that one transaction moves. */
const BATCH = 500;
/** How often agents look for bytes that only an agent that is not running may have. */
const LOOK_AGAIN_MS = 10 * 60_000;
const ELSEWHERE = {
  move: 'postpone',
  reason: BYTES_ELSEWHERE,
  message: toMessage({ is: 'onlyItsAgent' }),
} as const;

/* ---- Statements ---- */

const OVERDUE = `SELECT a.id, a.name FROM agents a WHERE a.lease_until <= ${NOW} AND a.id <> :agent AND NOT ${isTakenBy(':agent')} ORDER BY a.id`;
/** What an agent left that was killed before this, the next one takes over. */
const TAKEN = `UPDATE agents a SET lease_until = NULL, taken_by = NULL WHERE a.id = :agent AND NOT ${IS_RUNNING}`;
const PAUSED_BY = `SELECT paused_by AS "pausedBy" FROM agents WHERE id = :agent`;
const NAMES = `SELECT id, name, ${NOW} AS now FROM agents`;

/** If the lead is free, this agent's, or of a session that is over. The lock keeps this agent from being taken over meanwhile. */
const LEAD = `
WITH led AS (
  INSERT INTO leads (folder, agent, epoch) SELECT :folder::bigint, a.id, a.epoch FROM agents a WHERE a.id = :agent AND a.epoch = :epoch FOR KEY SHARE
  ON CONFLICT (folder) DO UPDATE SET agent = excluded.agent, epoch = excluded.epoch
   WHERE leads.agent = excluded.agent OR NOT EXISTS (SELECT FROM agents a WHERE a.id = leads.agent AND a.epoch = leads.epoch)
  RETURNING folder)
SELECT pg_notify('receiptd', 'agents ' || folder) FROM led`;
const END_LEAD = `
WITH ended AS (DELETE FROM leads WHERE folder = :folder AND agent = :agent AND epoch = :epoch RETURNING folder)
SELECT pg_notify('receiptd', 'agents ' || folder) FROM ended`;

/** Excludes agents for which only commands have acted. */
const AGENTS = `
SELECT a.id, a.name, a.host, a.version, a.started_at AS "startedAt", a.seen_at AS "lastSeenAt", a.paused_by AS "pausedBy", a.paused_at AS "pausedAt",
       CASE WHEN NOT a.running THEN 'stopped' WHEN ${IS_RUNNING} THEN 'running' ELSE 'silent' END AS state,
       coalesce(q.n, 0) AS queued, coalesce(u.n, 0) AS uploading,
       ARRAY(SELECT f.owner FROM leads l JOIN folders f ON f.id = l.folder WHERE l.agent = a.id AND l.epoch = a.epoch ORDER BY 1) AS leads
  FROM agents a
  LEFT JOIN (SELECT d.id / ${CHAIN} AS agent, count(*) AS n FROM documents d WHERE d.state <> 'accepted' AND d.state = 'queued' GROUP BY 1) q
         ON q.agent = a.id
  LEFT JOIN (SELECT coalesce(d.attempt, d.id) / ${CHAIN} AS agent, count(*) AS n FROM documents d
              WHERE d.state <> 'accepted' AND d.state = 'uploading' GROUP BY 1) u ON u.agent = a.id
 WHERE a.started_at IS NOT NULL
 ORDER BY a.name`;
const HOLDS_OF_AGENTS = `
SELECT agent, scope, key, reason, message, since, until, demanded_until AS "demandedUntil"
  FROM holds WHERE open = 1 AND paused = 0 ORDER BY since, scope, key`;

const SILENT = `
SELECT a.name, a.host, a.seen_at AS "lastSeenAt", ${NOW} - a.seen_at AS "silentMs"
  FROM agents a
 WHERE ${IS_SILENT} AND a.id <> :agent AND a.seen_at BETWEEN ${NOW} - :atMostMs::bigint AND ${NOW} - :atLeastMs::bigint
 ORDER BY a.name`;

/** Whether only this agent `a` can send a document `d` of a folder `f`. */
const ONLY = `(f.owner = 'agent:' || a.name OR (d.reason = '${BYTES_ELSEWHERE}' AND d.id / ${CHAIN} = a.id))`;
const WAITING_FOR = `
SELECT count(*) AS n FROM documents d JOIN folders f ON f.id = d.folder_id JOIN agents a ON a.name = :name
 WHERE d.state <> 'accepted' AND d.state = 'queued' AND ${ONLY}`;
const MISSING_FOR = `
SELECT DISTINCT a.name FROM documents d JOIN folders f ON f.id = d.folder_id JOIN agents a ON ${ONLY}
 WHERE d.id = ANY (:ids::bigint[]) AND d.state = 'queued' AND NOT ${IS_RUNNING} ORDER BY 1`;

/** Only for agents that `AGENTS` shows. */
const SET_PAUSED = `
UPDATE agents SET paused_by = :by, paused_at = CASE WHEN :by::text IS NULL THEN NULL ELSE coalesce(paused_at, ${NOW}) END
 WHERE name = :name AND started_at IS NOT NULL`;
const HANDED = 'UPDATE agents SET handed = :turn WHERE id = :agent';

const STANDING_OF = `SELECT id, handed, ${IS_RUNNING} AS "isRunning" FROM agents a WHERE a.name = :name`;
const ADMITTER = `SELECT a.id, a.started_at IS NOT NULL AS "isThere", ${IS_RUNNING} AS "isRunning" FROM agents a WHERE a.id = :agent`;
/** Leaves the row as if only commands had acted for the agent. */
const RETIRE = `
UPDATE agents a SET running = false, started_at = NULL, lease_until = NULL, taken_by = NULL, paused_by = NULL, paused_at = NULL
 WHERE a.id = :agent AND NOT ${IS_RUNNING}`;
const NOT_HANDED = `
SELECT r.id FROM results r
 WHERE (r.turn IS NULL AND r.id > :handed AND r.id > :first AND r.id < :next) OR (r.turn > :handed AND r.turn > :first AND r.turn < :next)
 ORDER BY coalesce(r.turn, r.id)`;
/** Of what this agent may have, what others look for now and then. */
const LEFT_TO_OTHERS = `
SELECT d.id FROM documents d
 WHERE d.state <> 'accepted' AND d.state = 'queued' AND d.id > :first AND d.id < :next AND d.reason = '${BYTES_ELSEWHERE}' AND d.due > d.updated_at
 ORDER BY d.id LIMIT :limit`;
/** Queued documents that this agent admitted, of shared folders; and of those that it alone may have what waits for it. */
const ADMITTED = `
FROM documents d JOIN folders f ON f.id = d.folder_id
 WHERE d.state <> 'accepted' AND d.state = 'queued' AND d.id > :first AND d.id < :next AND f.owner LIKE 'share:%'`;
const COUNT_ADMITTED = `SELECT count(*) AS n ${ADMITTED}`;
const KEPT = `SELECT d.id ${ADMITTED} AND d.reason = '${BYTES_ELSEWHERE}' AND d.due <= d.updated_at ORDER BY d.id LIMIT :limit`;
const LEFT_BY = `
SELECT d.id FROM documents d JOIN folders f ON f.id = d.folder_id
 WHERE d.state <> 'accepted' AND d.state = 'queued' AND f.owner = 'agent:' || :name::text ORDER BY d.id LIMIT :limit`;

/* ---- Heartbeats ---- */

/** What this agent knows of the others, as of its last heartbeat. */
interface AgentStanding {
  readonly id: number;
  readonly handed: number | null;
  readonly isRunning: boolean;
}

export interface FleetOptions {
  readonly member: Member;
  readonly places: Places;
  readonly clock: Clock;
  readonly log: Log;
}

/** Coordination between agents; see `LedgerFleet`. Leases, leads and pauses are plain rows; whatever must outlive the tables is an entry. */
export class Fleet implements LedgerFleet {
  readonly agent: string;
  readonly #options: FleetOptions;
  #beat: Beat | null = null;
  #isPaused = false;
  readonly #listeners = new Set<(signal: FleetSignal) => void>();
  /** The epoch in which the lead of each folder was taken. */
  readonly #leads = new Map<string, number>();

  constructor(options: FleetOptions) {
    this.#options = options;
    const { member } = options;
    this.agent = member.name;
    member.listen({
      // After a failover, the new server may not have these leads.
      back: () => this.#leads.clear(),
      beat: (beat) => this.#learn(beat),
      told: (signal) => {
        if (signal !== 'paused') return this.#tell(signal);
        // The next heartbeat makes up for a failure.
        void this.readPause()
          .catch(() => {})
          .then(() => this.#tell('agents'));
      },
    });
  }

  onSignal(listener: (signal: FleetSignal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #learn(beat: Beat): Promise<void> {
    this.#beat = beat;
    this.#isPaused = beat.pausedBy !== null;
    if (beat.isAnyOverdue) await this.takeOver();
  }

  isPaused(): boolean {
    return this.#isPaused;
  }

  isLeased(attempt?: number): boolean {
    return this.#options.member.isLeased(attempt);
  }

  /* ---- Taking over ---- */

  /** From agents whose lease is over. Changes are entries of this agent's chain. */
  async takeOver(): Promise<void> {
    const { member, log, clock } = this.#options;
    const { agent: own } = member.session;
    const overdue = await this.#ask<{ readonly id: number; readonly name: string }>(OVERDUE, { agent: own });
    for (const { id, name } of overdue) {
      const message = toMessage({ is: 'agentSilent', agent: name });
      const [[answer]] = await member.core.run([
        ['recover', [{ at: clock.now(), base: id * CHAIN, message }]],
      ]);
      if (answer === undefined || 'fault' in answer || answer.isBack === true) continue;
      await this.#letOthersLook(id);
      await this.#run(TAKEN, { agent: id });
      log.warn('silentAgentsWorkTaken', { agent: name });
    }
  }

  /** What waits for this agent alone waits no longer: others look for its bytes now and then. */
  #letOthersLook(agent: number): Promise<number> {
    return this.#moveAll(KEPT, rangeOf(agent), (some) => ({ ...some, ...ELSEWHERE, due: some.at + 1 }));
  }

  /** At the start: what others could not find is this agent's to send again. */
  async claimBack(): Promise<void> {
    const { agent } = this.#options.member.session;
    await this.#moveAll(LEFT_TO_OTHERS, rangeOf(agent), (some) => ({ ...some, ...ELSEWHERE, due: some.at }));
  }

  /** Documents that a statement finds as long as they are not moved. @returns how many */
  async #moveAll(
    text: string,
    params: NamedParams,
    toItem: (some: Pick<MoveItem, 'documents' | 'at'>) => MoveItem,
  ): Promise<number> {
    const { member, clock } = this.#options;
    for (let sum = 0; ;) {
      const rows = await this.#ask<{ readonly id: number }>(text, { ...params, limit: BATCH });
      const documents = rows.map(({ id }) => id);
      const at = clock.now();
      if (documents.length > 0) await member.core.run([['move', [toItem({ documents, at })]]]);
      sum += documents.length;
      if (documents.length < BATCH) return sum;
    }
  }

  /** Before a stop: what only waits for this agent. */
  async leave(): Promise<void> {
    const { member } = this.#options;
    if (member.trouble() === null) await this.#letOthersLook(member.session.agent).catch(() => {});
  }

  /** For a document whose bytes this agent does not find: when another one may have them. */
  async elsewhere(
    document: number,
    at: number,
  ): Promise<{ readonly due: number; readonly message: string } | undefined> {
    const admitter = Math.floor(document / CHAIN);
    if (admitter === this.#options.member.session.agent) return undefined;
    const [row] = await this.#ask<{ readonly isThere: boolean; readonly isRunning: boolean }>(ADMITTER, {
      agent: admitter,
    });
    if (row?.isThere !== true) return undefined;
    return { due: row.isRunning ? at : at + LOOK_AGAIN_MS, message: ELSEWHERE.message };
  }

  /* ---- Leads ---- */

  async lead(folder: string): Promise<boolean> {
    const { member } = this.#options;
    const id = folderIdOf(this.#options.places.keyOf(folder));
    if (!member.folders.has(id)) return true;
    const { agent, epoch } = member.session;
    // Nobody can take it away before the lease is over.
    if (member.isLeased() && this.#leads.get(folder) === epoch) return true;
    this.#leads.delete(folder);
    const led = await this.#ask(LEAD, { folder: id, agent, epoch });
    if (led.length === 0) return false;
    this.#leads.set(folder, epoch);
    return true;
  }

  async endLead(folder: string): Promise<void> {
    this.#leads.delete(folder);
    const { member } = this.#options;
    const id = folderIdOf(this.#options.places.keyOf(folder));
    const { agent, epoch } = member.session;
    if (member.folders.has(id)) await this.#ask(END_LEAD, { folder: id, agent, epoch });
  }

  watches(folder: string): boolean {
    const { member } = this.#options;
    const isShared = member.folders.has(folderIdOf(this.#options.places.keyOf(folder)));
    return !isShared || this.#leads.get(folder) === member.session.epoch;
  }

  get running(): number {
    return this.#beat?.running ?? 1;
  }

  /** Of the documents of a shared folder, those that this agent takes first, so that agents don't compete. */
  isTurn({ id, folder }: { readonly id: number; readonly folder: string }): boolean {
    const { member, places } = this.#options;
    const beat = this.#beat;
    if (beat === null || beat.running < 2 || !member.folders.has(folderIdOf(places.keyOf(folder))))
      return true;
    return (id % CHAIN) % beat.running === beat.rank;
  }

  /* ---- Reports ---- */

  async agents(): Promise<readonly FleetAgent[]> {
    return fleetAgents({ all: (text, params) => this.#ask(text, params) }, this.#options.places);
  }

  async silence(
    atLeastMs: number,
    atMostMs: number,
  ): Promise<{ readonly isFirst: boolean; readonly agents: readonly SilentAgent[] }> {
    const beat = this.#beat;
    const isFirst = beat?.rank === 0;
    if (beat?.isAnySilent !== true) return { isFirst, agents: [] };
    const { agent } = this.#options.member.session;
    return { isFirst, agents: await this.#ask<SilentAgent>(SILENT, { agent, atLeastMs, atMostMs }) };
  }

  async waitingFor(name: string): Promise<number> {
    return (await this.#ask<{ readonly n: number }>(WAITING_FOR, { name }))[0]?.n ?? 0;
  }

  async missingFor(ids: readonly number[]): Promise<readonly string[]> {
    return (await this.#ask<{ readonly name: string }>(MISSING_FOR, { ids })).map(({ name }) => name);
  }

  /* ---- What people do ---- */

  async endHolds(): Promise<void> {
    const holds = await this.#ask<{ readonly scope: HoldScope; readonly key: string }>(HOLDS_OF_AGENTS);
    const at = this.#options.clock.now();
    const over = holds
      .filter(({ scope }) => scope === 'service' || scope === 'endpoint')
      .map(({ scope, key }) => ({ scope, key, hold: null, isPause: false, isEveryones: true, at }));
    if (over.length > 0) await this.#options.member.core.run([['hold', over]]);
  }

  async setPaused(name: string, by: string | null): Promise<void> {
    if ((await this.#run(SET_PAUSED, { name, by })) === 0) throw agentUnknown(name);
    await this.#run(TELL, { signal: `paused agent:${name}` });
    if (name === this.agent) await this.readPause();
  }

  async handed(turn: number): Promise<void> {
    await this.#run(HANDED, { agent: this.#options.member.session.agent, turn });
  }

  async retire(name: string, at: number): Promise<Retired> {
    const { member } = this.#options;
    const [leaving] = await this.#ask<AgentStanding>(STANDING_OF, { name });
    if (!leaving) throw agentUnknown(name);
    const { id, handed, isRunning } = leaving;
    if (id === member.session.agent) throw new ReceiptdError('USAGE.retiresItself', { agent: name });
    if (isRunning) throw new ReceiptdError('USAGE.retiresRunning', { agent: name });
    const range = rangeOf(id);
    // Results stay with the agent if it never handed any to a program: nobody waits for them.
    const rows =
      handed === null ? [] : await this.#ask<{ readonly id: number }>(NOT_HANDED, { ...range, handed });
    const results = rows.map((row) => row.id);
    const message = toMessage({ is: 'agentRetired', agent: name });
    const [[answer]] = await member.core.run([['retire', [{ base: range.first, results, message, at }]]]);
    if (answer !== undefined && 'fault' in answer) throw answer.fault;
    const back = new ReceiptdError('USAGE.retiresRunning', { agent: name });
    if (answer?.isBack === true) throw back;
    const [admitted] = await this.#ask<{ readonly n: number }>(COUNT_ADMITTED, range);
    await this.#letOthersLook(id);
    if ((await this.#ask<AgentStanding>(STANDING_OF, { name }))[0]?.isRunning === true) throw back;
    // Nobody else reaches what is in its own folders.
    const lost = await this.#moveAll(LEFT_BY, { name }, (some) => ({
      ...some,
      move: 'lose',
      message: toMessage({ is: 'lostWithAgent', agent: name }),
      filesBefore: null,
    }));
    // Last: until then it is listed, and can be retired again.
    if ((await this.#run(RETIRE, { agent: id })) === 0) throw back;
    for (const signal of ['queue', 'agents']) await this.#run(TELL, { signal });
    return { lost, passedOn: admitted?.n ?? 0, results: results.length };
  }

  /* ---- ---- */

  #tell(signal: FleetSignal): void {
    for (const listener of this.#listeners) listener(signal);
  }

  /** Between heartbeats. */
  async readPause(): Promise<void> {
    const { agent } = this.#options.member.session;
    const [row] = await this.#ask<{ readonly pausedBy: string | null }>(PAUSED_BY, { agent });
    this.#isPaused = row !== undefined && row.pausedBy !== null;
  }

  #ask<Row>(text: string, params?: SqlParams): Promise<Row[]> {
    return this.#options.member.read((sql) => sql.all<Row>(text, params));
  }

  #run(text: string, params?: SqlParams): Promise<number> {
    return this.#options.member.read((sql) => sql.run(text, params));
  }
}

interface AgentRow extends Omit<FleetAgent, 'paused' | 'leads' | 'holds'> {
  readonly id: number;
  readonly pausedBy: string | null;
  readonly pausedAt: number | null;
  /** Owners of folders. */
  readonly leads: readonly string[];
}

/** For reads; see `Others`. */
export async function agentsNow(sql: Pick<Sql, 'all'>): ReturnType<Others> {
  const rows = await sql.all<{ readonly id: number; readonly name: string; readonly now: number }>(NAMES);
  return { now: rows[0]?.now ?? 0, names: new Map(rows.map(({ id, name }) => [id, name])) };
}

/** Folders are shown as the agent of these places sees them. */
export async function fleetAgents(sql: Pick<Sql, 'all'>, places: Places): Promise<readonly FleetAgent[]> {
  const [agents, rows] = await Promise.all([
    sql.all<AgentRow>(AGENTS),
    sql.all<Omit<Hold, 'agent'> & { readonly agent: number }>(HOLDS_OF_AGENTS),
  ]);
  return agents.map(({ id, pausedBy, pausedAt, leads, ...row }) => ({
    ...row,
    paused: pausedBy === null ? null : { by: pausedBy, since: pausedAt ?? 0 },
    leads: leads.map((owner) => owner.replace(/^share:/, '')),
    holds: rows
      .filter(({ agent }) => agent === id)
      .map((hold) => ({ ...hold, agent: undefined, key: fromRow(places, hold.scope, hold.key) })),
  }));
}

/** Ids that an agent gave. */
function rangeOf(agent: number): { readonly first: number; readonly next: number } {
  return { first: agent * CHAIN, next: (agent + 1) * CHAIN };
}

function agentUnknown(name: string): ReceiptdError {
  return new ReceiptdError('AGENT_UNKNOWN', { agent: name });
}

/**
 * Folders as an agent of a fleet calls them. A folder that it alone sees belongs to `agent:<name>`, with its absolute path; one on a share to
 * `share:<share>`, under whatever path each agent has it. Another agent's folder is called `<agent>:<path>`, and a share that this machine lacks
 * `share:<share>`.
 *
 * @param shares names of shared folders, by their absolute path on this machine
 */
export function placesOf(agent: string, shares: ReadonlyMap<string, string>): Places {
  const paths = new Map([...shares].map(([path, share]) => [`share:${share}`, path]));
  const own = `agent:${agent}`;
  return {
    keyOf(folder): FolderKey {
      const share = shares.get(folder);
      if (share !== undefined) return { owner: `share:${share}`, path: '' };
      const found = elsewhere(folder);
      if (found === null) return { owner: own, path: folder };
      const { name, rest } = found;
      return name === 'share' ? { owner: `share:${rest}`, path: '' } : { owner: `agent:${name}`, path: rest };
    },
    pathOf({ owner, path }) {
      if (owner === own) return path;
      return owner.startsWith('share:')
        ? (paths.get(owner) ?? owner)
        : `${owner.slice(owner.indexOf(':') + 1)}:${path}`;
    },
    reaches: ({ owner }) => owner === own || paths.has(owner),
  };
}
