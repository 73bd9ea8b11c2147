import { randomBytes } from 'node:crypto';
import type { JournalEvent, JournalHead } from '../../core/ports/journal.ts';
import { formatLine } from '../journal/line.ts';
import type { Params } from './statements.ts';

export const ADD_HISTORY = `
INSERT INTO history (agent_id, seq, document_id, sighting_id, entry, hash, personal)
SELECT :agentId::integer, line.*
  FROM unnest(:seqs::bigint[], :documents::bigint[], :sightings::bigint[], :entries::text[], :hashes::text[],
              :personals::text[]) AS line (seq, document, sighting, entry, hash, personal)`;

export const SET_HEAD = `UPDATE agents SET head_seq = :seq, head_hash = :hash WHERE id = :agentId`;

/** The lines of one commit, as successors of `head`; see docs/audit.md. */
export function chainOn(
  head: Pick<JournalHead, 'seq' | 'hash'>,
  events: readonly JournalEvent[],
  agentId: number,
): { readonly params: Params; readonly head: { readonly seq: number; readonly hash: string } } {
  const [seqs, documents, sightings]: [number[], (number | null)[], (number | null)[]] = [[], [], []];
  const [entries, hashes, personals]: [string[], string[], string[]] = [[], [], []];
  let last: { readonly seq: number; readonly hash: string } = head;
  for (const [index, event] of events.entries()) {
    const line = formatLine(event, last, salt, index < events.length - 1);
    const [entry = '', hash = '', personal = ''] = line.text.slice(0, -1).split('\t');
    seqs.push(line.seq);
    const sighting = numberIn(event.facts['sighting']);
    sightings.push(sighting);
    // The document is left out: a file may have been seen before it was known to belong to one.
    documents.push(sighting === null ? documentOf(event) : null);
    entries.push(entry);
    hashes.push(hash);
    personals.push(personal);
    last = line;
  }
  return {
    params: { agentId, seqs, documents, sightings, entries, hashes, personals },
    head: { seq: last.seq, hash: last.hash },
  };
}

/** Events about several documents contain nothing personal about any of them. */
function documentOf({ facts }: JournalEvent): number | null {
  const { document, documents } = facts;
  if (document !== undefined) return numberIn(document);
  return Array.isArray(documents) && documents.length === 1 ? numberIn(documents[0]) : null;
}

function numberIn(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function salt(): string {
  return randomBytes(16).toString('base64url');
}
