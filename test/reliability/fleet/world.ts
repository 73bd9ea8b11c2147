import type { Client } from 'pg';
import type { Event } from '../../oracle/evidence.ts';
import { CHAIN, readChain } from '../../oracle/journal.ts';
import { UIDS } from '../support/office.ts';
import { eventsOf, type Scan } from '../support/scanner.ts';
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
  }[];
  readonly attempts: readonly {
    readonly id: number;
    readonly document: number;
    readonly agent: string;
    /** Null if it never ended. */
    readonly outcome: string | null;
  }[];
  readonly files: readonly { readonly path: string; readonly verdict: string }[];
  /** The chain of each agent, in order. */
  readonly chains: readonly {
    readonly agent: string;
    readonly number: number;
    readonly headSeq: number;
    readonly headHash: string;
    readonly lines: readonly {
      readonly seq: number;
      /** Its place in the order of all chains. */
      readonly ord: number;
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
    `SELECT a.name AS agent, c.seq::int, c.ord::float8, c.entry, c.hash, c.personal
       FROM receiptd.chain c JOIN receiptd.agents a ON a.id = c.agent ORDER BY c.agent, c.seq`,
  );
  return {
    documents: await rows(
      `SELECT d.id::float8, e.uid AS "endpointUid", d.name, d.sha256, d.state, d.path, d.message,
              d.answer_lost = 1 AS "answerLost"
         FROM receiptd.documents d JOIN receiptd.endpoints e ON e.id = d.endpoint_id ORDER BY d.id`,
    ),
    attempts: await rows(
      `SELECT a.id::float8, a.document_id::float8 AS document, g.name AS agent, a.outcome
         FROM receiptd.attempts a JOIN receiptd.agents g ON g.id = a.id / ${CHAIN} ORDER BY a.document_id, a.began_at, a.id`,
    ),
    files: await rows(`SELECT dir || name AS path, verdict FROM receiptd.files WHERE gone_at IS NULL`),
    chains: (
      await rows<Omit<Ledger['chains'][number], 'lines'>>(
        `SELECT name AS agent, id AS number, seq::int AS "headSeq", hash AS "headHash" FROM receiptd.agents ORDER BY id`,
      )
    ).map((each) => ({ ...each, lines: lines.filter(({ agent }) => agent === each.agent) })),
  };
}

/** What was seen of a fleet, for the oracle. */
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
  const chains = world.chains.map(({ agent, number, lines, headSeq: seq, headHash: hash }) => ({
    agent,
    ...readChain(lines, { agent: number, seq, hash }),
  }));
  const orders = new Map(
    world.chains.flatMap(({ number, lines }) =>
      lines.map(({ seq, ord }): [number, number] => [number * CHAIN + seq, ord]),
    ),
  );
  const entries = chains
    .flatMap((chain) => chain.entries)
    // Each agent has the shared folder under a path of its own.
    .map((entry) =>
      entry.kind === 'folder' ? { ...entry, facts: { ...entry.facts, place: folder } } : entry,
    )
    .toSorted((a, b) => (orders.get(a.seq) ?? 0) - (orders.get(b.seq) ?? 0));
  yield* eventsOf(scans);
  for (const { sha256, path, gone } of scans)
    if (gone === null) yield { kind: 'file', at: 0, folder, path: path.slice(folder.length + 1), sha256 };
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
  const left = attempts.flatMap(({ id, agent, outcome }) =>
    outcome === null ? [`attempt ${id} of agent ${agent} never ended`] : [],
  );
  yield { kind: 'end', end: { rows, stored, left } };
}
