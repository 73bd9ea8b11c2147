import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { JournalEntry, Json } from '../../core/ports/journal.ts';
import { blankInJournal, personalRanges, type SeqRange } from '../journal/journal.ts';
import { journalPathOf } from './files.ts';
import { ERASABLE_ONE } from './sql/documents.ts';
import { END_ERASURE, FILES_OF_ERASED, SIGHTINGS_OF_DOCUMENTS } from './sql/journal.ts';
import type { Store } from './store.ts';

const FOLD_TRIES = 20;
const FOLD_AGAIN_MS = 500;

/**
 * Erases personal data of documents: first recorded in ledger and journal, then blanked in the journal file. In this
 * order, a crash in between leaves work that the next start finishes. The reverse order could leave unrecorded blanks,
 * which look like tampering.
 */
export async function erase(
  store: Store,
  clock: Clock,
  documentIds: readonly number[],
  at: number,
): Promise<number> {
  const journalPath = journalPathOf(store.path);
  // Entries of the same group would not be in the file yet when it is searched.
  const { documents, entries } = await store.writeAlone((sql) => {
    const erasable = [...new Set(documentIds)].filter((id) => sql.get(ERASABLE_ONE, { id }) !== undefined);
    if (erasable.length === 0) return { documents: erasable, entries: [] as SeqRange[] };
    const params = { documents: JSON.stringify(erasable) };
    const idsOf = (text: string) => sql.all<{ id: number }>(text, params).map(({ id }) => id);
    const files = idsOf(FILES_OF_ERASED);
    const sightings = new Set([...idsOf(SIGHTINGS_OF_DOCUMENTS), ...files]);
    const ranges = personalRanges(journalPath, isAbout(new Set(erasable), sightings));
    const what = { documents: erasable, ...(files.length > 0 && { sightings: files }) };
    sql.emit({ kind: 'erased', ...what, entries: ranges }, at);
    return { documents: erasable, entries: ranges };
  });
  if (documents.length > 0) {
    blankInJournal(journalPath, entries);
    await untilDone(() => store.rewrite(), store, clock);
    await store.write((sql) => sql.run(END_ERASURE, { entries: JSON.stringify(entries) }));
  }
  // Even if nothing was erased now: an earlier erasure may have left data in the log.
  await untilDone(() => store.foldLog(), store, clock);
  return documents.length;
}

/** Deleted data stays in the file until it is rewritten, and in the log until the log is folded into the file. */
async function untilDone(work: () => boolean, store: Store, clock: Clock): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    if (work()) return;
    if (tries === FOLD_TRIES) {
      throw new ReceiptdError('LEDGER_WRITE_FAILED.notRewritten', { path: store.path });
    }
    await clock.sleep(FOLD_AGAIN_MS);
  }
}

function isAbout(
  documents: ReadonlySet<number>,
  sightings: ReadonlySet<number>,
): (entry: JournalEntry) => boolean {
  const among = (set: ReadonlySet<number>, value: Json | undefined): boolean =>
    typeof value === 'number' && set.has(value);
  return ({ facts }) => {
    const { document, documents: several, sighting } = facts;
    if (among(documents, document) || among(sightings, sighting)) return true;
    return Array.isArray(several) && several.some((each: Json) => among(documents, each));
  };
}
