import type { LedgerIntake } from '../../ports/ledger.ts';
import { admit } from './admit.ts';
import { relativePath, splitPath, toKnownFile, type KnownRow } from './rows.ts';
import { currentSighting, putSighting } from './sightings.ts';
import * as SQL from './sql/sightings.ts';
import type { Store } from './store.ts';

const PATHS_BATCH = 1_000;

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

    knownIn: (folder, dir) =>
      store.read((sql) => {
        const rows = sql.all<KnownRow & { name: string }>(SQL.CURRENT_IN_DIRECTORY, { folder, dir });
        return new Map(rows.map((row) => [row.name, toKnownFile(row)]));
      }),

    admit: (admission) => store.write((sql) => admit(sql, admission)),

    note: (file, note) => store.write((sql) => putSighting(sql, file, { ...note, documentId: null })),

    gone: (folder, paths, at) =>
      store.write((sql) => {
        for (const path of paths) sql.run(SQL.GONE, { folder, ...splitPath(path), at });
      }),

    async *paths(folder, under = '') {
      const [query, below] = under === '' ? [SQL.CURRENT_PATHS, {}] : [SQL.CURRENT_PATHS_UNDER, { under }];
      // A name is never empty, so this sorts before the first file.
      let last = { dir: under, name: '' };
      for (;;) {
        const rows = await store.read((sql) =>
          sql.all<{ dir: string; name: string }>(query, { folder, ...below, ...last, limit: PATHS_BATCH }),
        );
        const end = rows.at(-1);
        if (!end) return;
        last = { dir: end.dir, name: end.name };
        yield rows.map(relativePath);
      }
    },
  };
}
