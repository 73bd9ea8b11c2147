import type { FileRef } from '../../core/domain/document.ts';
import type { Admission, LedgerIntake } from '../../core/ports/ledgerIntake.ts';
import { splitPath, toKnownFile, type KnownRow } from '../rows.ts';
import { admitAll } from './admit.ts';
import { currentSightings, putSightings } from './sightings.ts';
import * as SQL from './sql/sightings.ts';
import type { Store } from './store.ts';
import type { Transaction } from './transaction.ts';

type NamedRow = KnownRow & { readonly name: string };

const NAMES_BATCH = 1_000;
/** Bounds how long other writes wait. */
const SKIPPED_BATCH = 500;

export function createIntake(store: Store): LedgerIntake {
  /** Queued immediately, so that writes keep the order of the calls. */
  const writeOf = <T>(folder: string, work: (sql: Transaction) => Promise<T>): Promise<T> =>
    store.write(async (sql) => {
      await store.rows.ensureFolder(folder);
      return work(sql);
    });
  const of = (folder: string) => store.places.ofFolder(folder);
  const knownRows = (folder: string, dir: string, names: readonly string[]): Promise<NamedRow[]> =>
    store.read((sql) => sql.all<NamedRow>(SQL.CURRENT_IN_DIRECTORY, { ...of(folder), dir, names }));
  const markParams = (folder: string) => ({ ...of(folder), agentId: store.membership.session.agentId });

  return {
    async markWatched(folder, skipped, note) {
      // The folder is marked as watched only after all are recorded, so that a crash in between does no harm.
      for (let start = 0; start < skipped.length; start += SKIPPED_BATCH) {
        const batch = skipped.slice(start, start + SKIPPED_BATCH);
        const sighted = { ...note, verdict: 'skipped', documentId: null } as const;
        await writeOf(folder, (sql) => putSightings(sql, folder, batch, sighted, { sparesDocuments: true }));
      }
      await writeOf(folder, async (sql) => sql.emit({ kind: 'watched', folder }, note.at));
    },

    folderMark: (folder) =>
      store.read(async (sql) => {
        const row = await sql.get<{ mark: string }>(SQL.FOLDER_MARK, markParams(folder));
        return row?.mark ?? null;
      }),

    setFolderMark: (folder, mark, at) =>
      writeOf(folder, async (sql) => {
        const row = await sql.get<{ mark: string }>(SQL.FOLDER_MARK, markParams(folder));
        if (row?.mark !== mark) sql.emit({ kind: 'placed', folder, mark }, at);
      }),

    doubtFolderMark: (folder, mark) =>
      writeOf(folder, async (sql) => sql.send(SQL.SET_FOLDER_MARK, { ...markParams(folder), mark })),

    async known({ folder, path }: FileRef) {
      const { dir, name } = splitPath(path);
      const [row] = await knownRows(folder, dir, [name]);
      return row ? toKnownFile(row) : null;
    },

    // A write although it changes nothing: it must run after all earlier writes.
    lastSighting: () =>
      store.write(async (sql) => (await sql.get<{ id: number }>(SQL.LAST_SIGHTING_ID))?.id ?? 0),

    async knownIn(folder, dir, names) {
      const rows = await knownRows(folder, dir, names);
      return new Map(rows.map((row) => [row.name, toKnownFile(row)]));
    },

    knownFrom: (folder, dir, { after, upTo }, limit) =>
      store.readBriefly(async (sql) => {
        const wanted = { ...of(folder), dir, after, limit };
        const rows =
          upTo === null
            ? await sql.all<NamedRow>(SQL.CURRENT_AFTER, wanted)
            : await sql.all<NamedRow>(SQL.CURRENT_UP_TO, { ...wanted, upTo });
        return rows.map((row) => ({ name: row.name, ...toKnownFile(row) }));
      }),

    async *namesIn(folder, dir) {
      // File names are never empty, so this sorts before the first one.
      for (let after = ''; ;) {
        const wanted = { ...of(folder), dir, after, limit: NAMES_BATCH };
        const rows = await store.read((sql) => sql.all<{ name: string }>(SQL.CURRENT_NAMES, wanted));
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows.map(({ name }) => name);
        after = last.name;
      }
    },

    dirs: (folder, under) =>
      store.readBriefly(async (sql) => {
        const rows = await sql.all<{ dir: string }>(SQL.CURRENT_DIRS, { ...of(folder), under });
        return rows.map(({ dir }) => dir);
      }),

    admit: store.batch(
      async (sql: Transaction, admissions: readonly Admission[]) => {
        for (const { file, endpoint } of admissions) {
          await store.rows.ensureFolder(file.folder);
          await store.rows.ensureEndpoint(endpoint);
        }
        return admitAll(sql, admissions);
      },
      ({ endpoint }) => endpoint,
    ),

    note: (file, note) =>
      writeOf(file.folder, (sql) => putSightings(sql, file.folder, [file], { ...note, documentId: null })),

    gone: (folder, paths, at) =>
      store.write(async (sql) => {
        const current = await currentSightings(sql, folder, paths);
        const sightings = [...current.values()].map(({ id }) => id);
        if (sightings.length > 0) sql.emit({ kind: 'gone', sightings }, at);
      }),
  };
}
