import type { LedgerIntake } from '../../ports/ledger.ts';
import { admit } from './admit.ts';
import { splitPath, toKnownFile, type KnownRow } from './rows.ts';
import { currentSighting, putSighting } from './sightings.ts';
import * as SQL from './sql/sightings.ts';
import type { Store } from './store.ts';

const NAMES_BATCH = 1_000;

export function createIntake(store: Store): LedgerIntake {
  return {
    markWatched: (folder, skipped, note) =>
      store.write((sql) => {
        sql.run(SQL.ENSURE_FOLDER, { folder });
        sql.run(SQL.MARK_WATCHED, { folder, at: note.at });
        for (const file of skipped) {
          putSighting(sql, file, { ...note, verdict: 'skipped', documentId: null });
        }
      }),

    known: (file) =>
      store.read((sql) => {
        const row = currentSighting(sql, file);
        return row ? toKnownFile(row) : null;
      }),

    knownIn: (folder, dir, names) =>
      store.read((sql) => {
        const wanted = { folder, dir, names: JSON.stringify(names) };
        const rows = sql.all<KnownRow & { name: string }>(SQL.CURRENT_IN_DIRECTORY, wanted);
        return new Map(rows.map((row) => [row.name, toKnownFile(row)]));
      }),

    async *namesIn(folder, dir) {
      // A name is never empty, so this sorts before the first file.
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

    note: (file, note) => store.write((sql) => putSighting(sql, file, { ...note, documentId: null })),

    gone: (folder, paths, at) =>
      store.write((sql) => {
        for (const path of paths) sql.run(SQL.GONE, { folder, ...splitPath(path), at });
      }),
  };
}
