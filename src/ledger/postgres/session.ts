import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { NO_HASH } from '../journal/line.ts';
import type { Connection } from './connection.ts';
import { END_LEADS, IS_RUNNING, IS_SILENT, TELL_QUEUES } from './sql/fleet.ts';
import { END_CLAIMS, LET_OTHERS_LOOK } from './sql/queue.ts';

/** Identity of this agent. */
export interface Self {
  readonly name: string;
  /** Identifies the state directory: stays the same across restarts, and differs on another machine with the same name. */
  readonly instance: string;
  readonly version: string;
  readonly leaseMs: number;
  /** A command acting for its agent, which is not running: the fleet's record of the agent stays unchanged. */
  readonly isCommand?: boolean;
}

/** This agent's row during its session: every write is checked against the epoch. */
export interface Session {
  readonly agentId: number;
  readonly epoch: number;
  /** Identifies the agent's chain in the history. */
  readonly chain: string;
}

const MAKE = `
INSERT INTO agents (name, chain, head_hash) VALUES (:name, :chain, :head) ON CONFLICT (name) DO NOTHING`;

const STANDING = `
SELECT instance, host, running AND lease_until > clock_timestamp() AS "isLeased" FROM agents WHERE name = :name FOR UPDATE`;

/**
 * The same state directory under another name that has its own folders and is not running. A running one is ignored:
 * a copy of a state directory may work beside its original.
 */
const FORMER = `
SELECT a.name FROM agents a
 WHERE a.instance = :instance AND a.name <> :name
   AND NOT (a.running AND coalesce(a.lease_until > clock_timestamp(), false))
   AND EXISTS (SELECT 1 FROM folders f WHERE f.place = 'agent:' || a.name)
 ORDER BY a.seen_at DESC LIMIT 1`;

const JOIN = `
UPDATE agents
   SET epoch = epoch + 1, instance = :instance, host = :host, version = :version, running = true,
       started_at = CASE WHEN :isCommand THEN started_at ELSE clock_timestamp() END, seen_at = clock_timestamp(),
       lease_until = clock_timestamp() + make_interval(secs => :leaseMs / 1000.0)
 WHERE name = :name
RETURNING id AS "agentId", epoch, chain`;

/** Renews the lease, and reads everything that a heartbeat needs to know about other agents, in one query. */
const RENEW = `
WITH renewed AS (
  UPDATE agents
     SET seen_at = clock_timestamp(), lease_until = clock_timestamp() + make_interval(secs => :leaseMs / 1000.0)
   WHERE id = :agentId AND epoch = :epoch
  RETURNING id, name, paused_by)
SELECT own.paused_by AS "pausedBy", others.*
  FROM renewed own
 CROSS JOIN LATERAL (
   SELECT coalesce(bool_or(a.lease_until <= clock_timestamp()), FALSE) AS "isAnyOverdue",
          coalesce(bool_or(${IS_SILENT}), FALSE) AS "isAnySilent",
          coalesce(bool_and(NOT coalesce(${IS_RUNNING} AND a.name COLLATE "C" < own.name, FALSE)), TRUE) AS "isFirst"
     FROM agents a WHERE a.id <> own.id) others`;

const LOCK = `SELECT 1 AS own FROM agents WHERE id = :agentId AND epoch = :epoch FOR NO KEY UPDATE`;

/** The lease stays if a request is still open: if the agent does not return, others put that request's document back. */
const LEAVE = `
UPDATE agents
   SET running = false, seen_at = clock_timestamp(),
       lease_until = CASE WHEN EXISTS (SELECT 1 FROM documents WHERE claimed_by = :agentId) THEN lease_until END
 WHERE id = :agentId AND epoch = :epoch`;

/**
 * Begins a session and fences work that an earlier session of this name had in progress.
 * @throws ReceiptdError AGENT_NAME_TAKEN, AGENT_RENAMED
 */
export async function join(connection: Connection, self: Self): Promise<Session> {
  const { name, instance, version, leaseMs, isCommand = false } = self;
  await connection.exec('BEGIN');
  try {
    await connection.run(MAKE, { name, chain: randomUUID(), head: NO_HASH });
    const standing = await connection.get<{
      instance: string | null;
      host: string;
      isLeased: boolean | null;
    }>(STANDING, { name });
    if (standing?.isLeased === true && standing.instance !== instance) throw nameTaken(name, standing.host);
    const former = await connection.get<{ name: string }>(FORMER, { name, instance });
    if (former && standing?.instance !== instance) throw renamed(former.name, name);
    const params = { name, instance, host: hostname(), version, leaseMs, isCommand };
    const session = await connection.get<Session>(JOIN, params);
    if (!session) throw new Error('the row of this agent is missing');
    await endWork(connection, session);
    await connection.exec('SELECT make_history_partitions()');
    await connection.exec('COMMIT');
    return session;
  } catch (error) {
    await connection.exec('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** What an agent learns with each heartbeat, in the same commit, so that an idle agent needs no other one. */
export interface Pulse {
  /** Who has paused this agent. */
  readonly pausedBy: string | null;
  /** The lease of another agent has expired, and nobody has taken over its work yet. */
  readonly isAnyOverdue: boolean;
  /** The lease of another agent has expired, and it has not come back. */
  readonly isAnySilent: boolean;
  /** Whether this agent is the first by name among the running ones. */
  readonly isFirst: boolean;
}

/** Renews the lease from now on. Null: it was taken away. */
export async function renew(
  connection: Connection,
  session: Session,
  leaseMs: number,
): Promise<Pulse | null> {
  const { agentId, epoch } = session;
  return (await connection.get<Pulse>(RENEW, { agentId, epoch, leaseMs })) ?? null;
}

/** Ends the session of an agent that stops, so that others need not wait for its lease. `places`: those that it reached. */
export async function leave(
  connection: Connection,
  session: Session,
  places: readonly string[],
): Promise<void> {
  const { agentId, epoch } = session;
  await connection.exec('BEGIN');
  if (await connection.get(LOCK, { agentId, epoch })) {
    await endWork(connection, session);
    await connection.run(LET_OTHERS_LOOK, { agentId });
    await connection.run(LEAVE, { agentId, epoch });
    await connection.run(TELL_QUEUES, { places });
  }
  await connection.exec('COMMIT');
}

/** Releases what the agent had claimed and not begun. */
async function endWork(connection: Connection, { agentId }: Session): Promise<void> {
  await connection.run(END_CLAIMS, { agentId });
  await connection.run(END_LEADS, { agentId });
}

export function fenced(name: string): ReceiptdError {
  return new ReceiptdError('AGENT_FENCED', { agent: name });
}

function renamed(former: string, name: string): ReceiptdError {
  return new ReceiptdError('AGENT_RENAMED.inLedger', { former, agent: name });
}

function nameTaken(name: string, host: string): ReceiptdError {
  return new ReceiptdError('AGENT_NAME_TAKEN', { agent: name, host });
}
