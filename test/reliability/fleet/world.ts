import type { Client } from 'pg';
import type { Event } from '../../oracle/evidence.ts';
import { readChain } from '../../oracle/journal.ts';
import { UIDS } from '../support/office.ts';
import type { Scan } from '../support/scanner.ts';
import { requestOf, type Service } from '../support/service.ts';

/** How much closer together requests may arrive on a busy machine than they were sent. */
const LEEWAY_MS = 250;

/** The final state after all agents have stopped. */
export interface World extends Ledger {
  /** Absolute. */
  readonly folder: string;
  readonly scans: readonly Scan[];
  readonly service: Service;
  readonly perSecond: number | null;
}

interface Ledger {
  readonly documents: readonly {
    readonly id: number;
    readonly endpointUid: string;
    readonly state: string;
    readonly answerLost: boolean;
    readonly name: string;
    readonly sha256: string;
    readonly path: string;
    readonly message: string | null;
    readonly claimedBy: number | null;
  }[];
  readonly attempts: readonly {
    readonly id: number;
    readonly document: number;
    readonly agent: string;
    /** Null if it never ended. */
    readonly outcome: string | null;
  }[];
  readonly sightings: readonly { readonly path: string; readonly verdict: string }[];
  /** The history of each agent, in order. */
  readonly chains: readonly {
    readonly agent: string;
    readonly headSeq: number;
    readonly headHash: string;
    readonly lines: readonly {
      readonly seq: number;
      readonly entry: string;
      readonly hash: string;
      readonly personal: string;
    }[];
  }[];
}

/** Reads the ledger as its administrator. */
export async function readLedger(client: Client): Promise<Ledger> {
  const rows = async <Row>(text: string): Promise<Row[]> => (await client.query(text)).rows as Row[];
  const lines = await rows<Ledger['chains'][number]['lines'][number] & { agent: string }>(
    `SELECT a.name AS agent, h.seq::int, h.entry, h.hash, h.personal
       FROM receiptd.history h JOIN receiptd.agents a ON a.id = h.agent_id ORDER BY h.agent_id, h.seq`,
  );
  return {
    documents: await rows(
      `SELECT d.id::int, e.uid AS "endpointUid", d.name, d.sha256, d.state, d.path, d.message,
              d.answer_lost = 1 AS "answerLost", d.claimed_by AS "claimedBy"
         FROM receiptd.documents d JOIN receiptd.endpoints e ON e.id = d.endpoint_id ORDER BY d.id`,
    ),
    attempts: await rows(
      `SELECT a.id::int, a.document_id::int AS document, g.name AS agent, a.outcome
         FROM receiptd.attempts a JOIN receiptd.agents g ON g.id = a.agent_id ORDER BY a.document_id, a.started_at, a.id`,
    ),
    sightings: await rows(
      `SELECT dir || name AS path, verdict FROM receiptd.sightings WHERE gone_at IS NULL`,
    ),
    chains: (
      await rows<Omit<Ledger['chains'][number], 'lines'>>(
        `SELECT name AS agent, head_seq::int AS "headSeq", head_hash AS "headHash" FROM receiptd.agents ORDER BY id`,
      )
    ).map((each) => ({ ...each, lines: lines.filter(({ agent }) => agent === each.agent) })),
  };
}

/** What was seen of a fleet, for the oracle. The chains are those of agents on one machine, so their times put them in order. */
export function* historyOf(world: World): Generator<Event> {
  const { folder, scans, perSecond, service, documents, attempts } = world;
  const uid = UIDS.office;
  const rate = perSecond === null ? null : { count: perSecond, intervalMs: 1_000 };
  yield {
    kind: 'settings',
    settings: {
      folders: [{ path: folder, uid, afterUpload: 'keep', archive: null }],
      endpoints: { [uid]: { rate } },
      leewayMs: LEEWAY_MS + 2 * service.stallMs(),
    },
  };
  const chains = world.chains.map(({ agent, lines, headSeq: seq, headHash: hash }) => ({
    agent,
    ...readChain(lines, { seq, hash }),
  }));
  const entries = chains
    .flatMap((chain) => chain.entries)
    .toSorted((a, b) => String(a.at).localeCompare(String(b.at)));
  for (const { sha256, path, gone } of scans) {
    yield { kind: 'content', at: 0, content: { sha256, is: 'image' } };
    yield { kind: 'image', uid, sha256, knownAs: gone?.knownAs ?? null };
    if (gone === null) yield { kind: 'file', at: 0, folder, path: path.slice(folder.length + 1), sha256 };
  }
  yield { kind: 'possible', entries };
  const stored = service.received().map(({ endpointUid, ...each }) => ({ ...each, uid: endpointUid }));
  // A frozen agent may have sent these when it continued.
  const repeated = new Set(stored.filter(({ tries }) => tries > 1).map(({ name }) => name));
  const uploads = service.uploads.toSorted((a, b) => a.arrivedAt - b.arrivedAt);
  for (const [id, upload] of uploads.entries())
    yield* requestOf(upload, { id, life: 1, mayBeLate: repeated.has(upload.name), reached: null });
  for (const entry of entries) yield { kind: 'entry', at: 0, entry };
  for (const { agent, problem } of chains) yield { kind: 'journal', where: `the chain of ${agent}`, problem };
  const sent = attempts.filter(({ outcome }) => outcome !== 'notSent');
  const rows = documents.map(({ path, message: reason, ...document }) => ({
    ...document,
    reason,
    path: `${folder}/${path}`,
    attempts: sent.filter((attempt) => attempt.document === document.id).length,
  }));
  const left = [
    ...documents.flatMap(({ name, claimedBy }) =>
      claimedBy === null ? [] : [`${name} is still claimed by agent ${claimedBy}`],
    ),
    ...attempts.flatMap(({ id, agent, outcome }) =>
      outcome === null ? [`attempt ${id} of agent ${agent} never ended`] : [],
    ),
  ];
  yield { kind: 'end', end: { rows, stored, left } };
}
