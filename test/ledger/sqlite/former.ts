import { DatabaseSync } from '@photostructure/sqlite';
import fs from 'node:fs';
import path from 'node:path';

/** Versions of the ledger of which one lies in former/, as the program of its time left it (former/README.md). */
export const FORMER = [1, 2, 3, 4, 5] as const;

const FOLDER = path.join(import.meta.dirname, 'former');

/** Puts the ledger of that version, and its journal if it had one, into a state directory. */
export function putFormer(version: number, stateDir: string): string {
  const file = path.join(stateDir, 'ledger.db');
  const db = new DatabaseSync(file);
  db.exec(fs.readFileSync(path.join(FOLDER, `v${version}.sql`), 'utf8'));
  db.close();
  const journal = path.join(FOLDER, `v${version}.journal`);
  if (fs.existsSync(journal)) fs.copyFileSync(journal, path.join(stateDir, 'ledger.journal'));
  return file;
}

export type Rows = Record<string, Record<string, unknown>[]>;

/** Every row of every table, with the columns that `as` has where it is given: those that a former version knew. */
export function rowsOf(file: string, as?: Rows): Rows {
  const db = new DatabaseSync(file, { readOnly: true });
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all()
    .map(({ name }: { name: string }) => name);
  const rows: Rows = {};
  for (const table of as ? Object.keys(as) : tables) {
    const known = as?.[table]?.[0];
    const columns = known ? Object.keys(known).join(', ') : '*';
    const statement = db.prepare(`SELECT ${columns} FROM ${table} ORDER BY 1, 2`);
    statement.setReadBigInts(true);
    rows[table] = statement.all().map((row: object) => ({ ...row }));
  }
  db.close();
  return rows;
}
