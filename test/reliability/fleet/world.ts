import type { Client } from 'pg';
import type { StoredDocument } from '../../../src/sandbox/server.ts';
import type { Scan } from './scanner.ts';

/** The final state after all agents have stopped. */
export interface World {
  /** Absolute. */
  readonly folder: string;
  readonly scans: readonly Pick<Scan, 'path' | 'sha256' | 'isThere' | 'isDue'>[];
  readonly documents: readonly DocumentRow[];
  readonly attempts: readonly AttemptRow[];
  readonly sightings: readonly SightingRow[];
  readonly chains: readonly Chain[];
  /** Documents at the service, by name and bytes. */
  readonly stored: readonly Pick<StoredDocument, 'endpointUid' | 'name' | 'sha256' | 'tries'>[];
  /** Upload requests as they arrived at the service; monotonic milliseconds. */
  readonly requests: readonly {
    readonly name: string;
    readonly arrivedAt: number;
    /** Status of its answer; null if there was none. */
    readonly status: number | null;
    /** When it was answered with a status that the service does not give itself; null if it was not. */
    readonly refusedAt: number | null;
  }[];
  readonly perSecond: number | null;
  /** The longest delay in the service's reading of its sockets. */
  readonly stallMs: number;
}

export interface DocumentRow {
  readonly id: number;
  readonly endpointUid: string;
  readonly state: string;
  readonly answerLost: boolean;
  readonly name: string;
  readonly sha256: string;
  readonly path: string;
  readonly message: string | null;
  readonly claimedBy: number | null;
}

export interface AttemptRow {
  readonly id: number;
  readonly document: number;
  readonly agent: string;
  /** Null if it never ended. */
  readonly outcome: string | null;
}

export interface SightingRow {
  readonly path: string;
  readonly verdict: string;
  /** Hash of its document. */
  readonly sha256: string | null;
}

/** The history of one agent, in order. */
export interface Chain {
  readonly agent: string;
  readonly headSeq: number;
  readonly headHash: string;
  readonly lines: readonly {
    readonly seq: number;
    readonly entry: string;
    readonly hash: string;
    readonly personal: string;
  }[];
}

type OfLedger = Pick<World, 'documents' | 'attempts' | 'sightings' | 'chains'>;

/** Reads the ledger as its administrator. */
export async function readLedger(client: Client): Promise<OfLedger> {
  const rows = async <Row>(text: string): Promise<Row[]> => (await client.query(text)).rows as Row[];
  const agents = await rows<{ id: number; agent: string; headSeq: number; headHash: string }>(
    `SELECT id, name AS agent, head_seq::int AS "headSeq", head_hash AS "headHash" FROM receiptd.agents ORDER BY id`,
  );
  const lines = await rows<Chain['lines'][number] & { agent: number }>(
    `SELECT agent_id AS agent, seq::int, entry, hash, personal FROM receiptd.history ORDER BY agent_id, seq`,
  );
  return {
    documents: await rows<DocumentRow>(
      `SELECT d.id::int, e.uid AS "endpointUid", d.name, d.sha256, d.state, d.path, d.message,
              d.answer_lost = 1 AS "answerLost", d.claimed_by AS "claimedBy"
         FROM receiptd.documents d JOIN receiptd.endpoints e ON e.id = d.endpoint_id ORDER BY d.id`,
    ),
    attempts: await rows<AttemptRow>(
      `SELECT a.id::int, a.document_id::int AS document, g.name AS agent, a.outcome
         FROM receiptd.attempts a JOIN receiptd.agents g ON g.id = a.agent_id ORDER BY a.document_id, a.started_at, a.id`,
    ),
    sightings: await rows<SightingRow>(
      `SELECT s.dir || s.name AS path, s.verdict, d.sha256
         FROM receiptd.sightings s LEFT JOIN receiptd.documents d ON d.id = s.document_id WHERE s.gone_at IS NULL`,
    ),
    chains: agents.map(({ id, agent, headSeq, headHash }) => ({
      agent,
      headSeq,
      headHash,
      lines: lines.filter((line) => line.agent === id),
    })),
  };
}
