import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { sha256 } from '../support/digest.ts';
import { unlessGone } from '../support/files.ts';

/** A document according to the journal, which the campaign reads itself, by the description in docs/audit.md. */
export interface JournalDocument {
  readonly endpointUid: string;
  readonly name: string;
  readonly sha256: string;
  /** Number of recorded upload requests. */
  readonly requests: number;
  /** Requests whose answer is recorded as lost, or not recorded. */
  readonly unknown: number;
  readonly state: string;
}

export interface JournalSighting {
  readonly verdict: string;
  readonly sha256: string | null;
  /** Sequence number of the entry. */
  readonly entry: number;
}

export interface JournalView {
  readonly documents: readonly JournalDocument[];
  /** The last sighting at each path. */
  readonly sightings: ReadonlyMap<string, JournalSighting>;
  /** Absolute paths. */
  readonly archived: readonly string[];
  /** What is wrong with the chain; null if it is sound. A last line truncated by a kill is fine. */
  readonly problem: string | null;
  /** Sequence number of the last entry. */
  readonly entries: number;
  /** Number of entries that record a recreated ledger. */
  readonly rebuilt: number;
}

const NOTHING: JournalView = {
  documents: [],
  sightings: new Map(),
  archived: [],
  problem: null,
  entries: 0,
  rebuilt: 0,
};

const ENTRY = z.looseObject({
  seq: z.number(),
  kind: z.string(),
  facts: z.record(z.string(), z.unknown()),
  prev: z.string(),
  part: z.boolean().optional(),
});
const SIGHTED = z.looseObject({ folder: z.string(), verdict: z.string(), sha256: z.string().nullable() });
const NAMED = z.looseObject({
  document: z.number(),
  endpoint: z.object({ uid: z.string(), baseUrl: z.string() }),
  name: z.string(),
  sha256: z.string(),
});
const PATH = z.looseObject({ path: z.string() });
const DISPOSED = z.looseObject({ archivedTo: z.string() });
const REQUEST = z.looseObject({ document: z.number() });
const ENDED = z.looseObject({ document: z.number(), outcome: z.string() });
const MOVED = z.looseObject({ documents: z.array(z.number()), state: z.string() });

interface Known {
  readonly endpointUid: string;
  readonly name: string;
  readonly sha256: string;
  requests: number;
  ended: number;
  lost: number;
  state: string;
}

/** An empty view if there is no journal yet. */
export async function readJournal(path: string): Promise<JournalView> {
  const text = await unlessGone(readFile(path, 'utf8'));
  if (text === null) return NOTHING;
  const { entries, problem } = entriesOf(text);
  const documents = new Map<number, Known>();
  const sightings = new Map<string, JournalSighting>();
  const archived: string[] = [];
  for (const { seq, kind, facts, personal } of entries) {
    take(documents, kind, facts);
    if (kind === 'sighted') {
      const { folder, verdict, sha256: seen } = SIGHTED.parse(facts);
      const { path: below } = PATH.parse(personal);
      sightings.set(`${folder}/${below}`, { verdict, sha256: seen, entry: seq });
    } else if (kind === 'disposed') {
      const disposed = DISPOSED.safeParse(personal);
      if (disposed.success) archived.push(disposed.data.archivedTo);
    }
  }
  return {
    documents: [...documents.values()].map(({ ended, lost, ...known }) => ({
      ...known,
      unknown: lost + known.requests - ended,
    })),
    sightings,
    archived,
    problem,
    entries: entries.at(-1)?.seq ?? 0,
    rebuilt: entries.filter(({ kind }) => kind === 'rebuilt').length,
  };
}

interface Entry extends z.infer<typeof ENTRY> {
  readonly personal: unknown;
}

/** The entries of complete commits. A commit truncated by a kill does not count. */
function entriesOf(text: string): { readonly entries: readonly Entry[]; readonly problem: string | null } {
  const entries: Entry[] = [];
  let problem: string | null = null;
  let before = { seq: 0, hash: '0'.repeat(64) };
  const lines = text.split('\n');
  // A last line without a line feed was truncated by a kill.
  lines.pop();
  for (const [index, line] of lines.entries()) {
    const [body = '', hash = '', personal = ''] = line.split('\t');
    const parsed = sha256(body) === hash ? ENTRY.safeParse(jsonOrNull(body)) : null;
    if (!parsed?.success) {
      problem ??= `line ${index + 1} of the journal is no entry`;
      continue;
    }
    const { seq, prev, kind } = parsed.data;
    // A restarted journal repeats what came before.
    if (index === 0 && kind === 'continued') before = { seq: seq - 1, hash: prev };
    if (seq !== before.seq + 1 || prev !== before.hash)
      problem ??= `entry ${seq} of the journal does not follow entry ${before.seq}`;
    before = { seq, hash };
    entries.push({ ...parsed.data, personal: jsonOrNull(personal) });
  }
  while (entries.at(-1)?.part) entries.pop();
  return { entries, problem };
}

function take(documents: Map<number, Known>, kind: string, facts: Record<string, unknown>): void {
  switch (kind) {
    case 'named': {
      const { document, endpoint, name, sha256: hash } = NAMED.parse(facts);
      const fresh = { requests: 0, ended: 0, lost: 0, state: 'queued' };
      documents.set(document, { endpointUid: endpoint.uid, name, sha256: hash, ...fresh });
      return;
    }
    case 'began': {
      const known = documents.get(REQUEST.parse(facts).document);
      if (known) known.requests += 1;
      return;
    }
    case 'ended': {
      const { document, outcome } = ENDED.parse(facts);
      const known = documents.get(document);
      if (!known) return;
      known.ended += 1;
      if (outcome === 'unknown') known.lost += 1;
      return;
    }
    case 'moved': {
      const { documents: moved, state } = MOVED.parse(facts);
      for (const id of moved) {
        const known = documents.get(id);
        if (known) known.state = state;
      }
      return;
    }
    default:
      return;
  }
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
