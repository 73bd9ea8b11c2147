import type { FileSeen, LedgerIntake, Note } from '../../core/ports/ledgerIntake.ts';
import { admit } from './admit.ts';
import { isDocument } from '../sighted.ts';
import { toKnownFile, toNamedFile, type KnownRow, type KnownTuple } from '../rows.ts';
import { idFrom } from './numbers.ts';
import { currentSighting, putSighting } from './sightings.ts';
import * as SQL from './sql/sightings.ts';
import type { Store } from './store.ts';

const NAMES_BATCH = 1_000;
/** Bounds how long one transaction blocks the event loop. */
export const SKIPPED_BATCH = 500;

export function createIntake(store: Store): LedgerIntake {
  return {
    async markWatched(folder, skipped, note) {
      // The folder is marked as watched only after all are recorded, so that a crash in between does no harm.
      for (let start = 0; start < skipped.length; start += SKIPPED_BATCH) {
        const batch = skipped.slice(start, start + SKIPPED_BATCH);
        await markSkipped(store, batch, note);
      }
      await store.write((sql) => sql.emit({ kind: 'watched', folder }, note.at));
    },

    folderMark: (folder) =>
      store.read((sql) => sql.get<{ mark: string | null }>(SQL.FOLDER_MARK, { folder })?.mark ?? null),

    setFolderMark: (folder, mark, at) =>
      store.write((sql) => {
        if (sql.get<{ mark: string | null }>(SQL.FOLDER_MARK, { folder })?.mark !== mark)
          sql.emit({ kind: 'placed', folder, mark }, at);
      }),

    doubtFolderMark: (folder, mark) =>
      store.write((sql) => {
        sql.run(SQL.ENSURE_FOLDER, { folder });
        sql.run(SQL.SET_FOLDER_MARK, { folder, mark });
      }),

    known: (file) =>
      store.read((sql) => {
        const row = currentSighting(sql, file);
        return row ? toKnownFile(row) : null;
      }),

    // A write although it changes nothing: it must run after all earlier writes.
    lastSighting: () => store.write((sql) => idFrom(sql, SQL.LAST_SIGHTING_ID)),

    knownIn: (folder, dir, names) =>
      store.read((sql) => {
        const wanted = { folder, dir, names: JSON.stringify(names) };
        const rows = sql.all<KnownRow & { name: string }>(SQL.CURRENT_IN_DIRECTORY, wanted);
        return new Map(rows.map((row) => [row.name, toKnownFile(row)]));
      }),

    knownFrom: (folder, dir, { after, upTo }, limit) =>
      store.read((sql) => {
        const wanted = { folder, dir, after, limit };
        const rows =
          upTo === null
            ? sql.tuples<KnownTuple>(SQL.CURRENT_AFTER, wanted)
            : sql.tuples<KnownTuple>(SQL.CURRENT_UP_TO, { ...wanted, upTo });
        return rows.map(toNamedFile);
      }),

    async *namesIn(folder, dir) {
      // File names are never empty, so this sorts before the first one.
      for (let after = ''; ;) {
        const batch = await store.read((sql) =>
          sql
            .all<{ name: string }>(SQL.CURRENT_NAMES, { folder, dir, after, limit: NAMES_BATCH })
            .map(({ name }) => name),
        );
        const last = batch.at(-1);
        if (last === undefined) return;
        yield batch;
        after = last;
      }
    },

    dirs: (folder, under) =>
      store.read((sql) =>
        sql.all<{ dir: string }>(SQL.CURRENT_DIRS, { folder, under }).map(({ dir }) => dir),
      ),

    admit: (admission) => store.write((sql) => admit(sql, admission)),

    note: (file, note) => store.write((sql) => void putSighting(sql, file, { ...note, documentId: null })),

    gone: (folder, paths, at) =>
      store.write((sql) => {
        const current = paths.flatMap((path) => currentSighting(sql, { folder, path })?.id ?? []);
        if (current.length > 0) sql.emit({ kind: 'gone', sightings: current }, at);
      }),
  };
}

/** At most `SKIPPED_BATCH` files. One that became a document, before or concurrently, stays one. */
export function markSkipped(
  store: Store,
  files: readonly FileSeen[],
  note: Omit<Note, 'verdict'>,
): Promise<void> {
  return store.write((sql) => {
    for (const file of files) {
      const current = currentSighting(sql, file);
      if (isDocument(current, file.identity)) continue;
      putSighting(sql, file, { ...note, verdict: 'skipped', documentId: null }, current);
    }
  });
}
