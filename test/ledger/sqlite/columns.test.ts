/** A column that one of these forgot would be lost in an import or a journal made anew, or never examined. */
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, it } from 'vitest';
import { TABLES } from '../../../src/ledger/postgres/import/tables.ts';
import { migrate } from '../../../src/ledger/sqlite/migrate.ts';
import { COMPARISONS } from '../../../src/ledger/sqlite/sql/compare.ts';
import * as SNAPSHOT from '../../../src/ledger/sqlite/sql/snapshot.ts';

const db = new DatabaseSync(':memory:');
migrate(db, 0, 0);

function columnsOf(table: string): string[] {
  const rows = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).all() as { name: string }[];
  return rows.map(({ name }) => name).sort();
}

/** The tables, the statement that reads each for a journal made anew, and the columns that it may leave out. */
const RECORDED: readonly (readonly [table: string, statement: string, determined: readonly string[]])[] = [
  ['endpoints', SNAPSHOT.ENDPOINTS, ['next_line', 'next_seq']],
  ['folders', SNAPSHOT.FOLDERS, []],
  ['originals', SNAPSHOT.ORIGINALS, []],
  ['documents', SNAPSHOT.DOCUMENTS, ['folded_name', 'folded_path']],
  ['attempts', SNAPSHOT.ATTEMPTS_OF, ['endpoint_id']],
  ['sightings', SNAPSHOT.SIGHTINGS, ['folded_path']],
  ['results', SNAPSHOT.RESULTS_OF, ['fields', 'words']],
  ['acts', SNAPSHOT.ACTS, []],
];

/** The columns that a statement does not name. */
function leftOut(table: string, statement: string): string[] {
  return columnsOf(table).filter((column) => !new RegExp(`\\b${column}\\b`).test(statement));
}

/** Tables about the ledger itself, or that the others determine. */
const OTHERS = ['document_counts', 'erasures', 'file_counts', 'holds', 'journal', 'migrations'];

it('every table is looked at here, or said to need none of this', () => {
  const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all() as {
    name: string;
  }[];
  const names = tables.map(({ name }) => name).filter((name) => !OTHERS.includes(name));
  expect(names.sort()).toEqual(RECORDED.map(([table]) => table).sort());
});

it.each(TABLES)('an import takes every column of $name', ({ name, columns }) => {
  expect(columns.map((column) => column.name).sort()).toEqual(columnsOf(name));
});

describe('a journal made from a ledger records every column that nothing else determines:', () => {
  it.each(RECORDED)('%s', (table, statement, determined) => {
    expect(leftOut(table, statement)).toEqual(determined);
  });
});

describe('an examination compares every column, except those that serve only speed or the moment:', () => {
  const statements = COMPARISONS.map(({ columns }) => columns('main'));

  it.each([
    [
      'documents',
      'erased_at folded_name folded_path lane line message not_before reason server_errors updated_at',
    ],
    ['attempts', 'endpoint_id'],
    ['sightings', 'ctime_ns disposing folded_path inode message mtime_ns policy size updated_at'],
    ['results', 'fields words'],
    ['originals', ''],
    ['acts', ''],
  ])('%s', (table, excepted) => {
    const statement = statements.find((each) => each.includes(`FROM main.${table}`)) ?? '';
    expect(leftOut(table, statement).join(' ')).toBe(excepted);
  });

  it('has no other comparison', () => expect(statements).toHaveLength(6));
});
