import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { numberParams } from '../../../src/ledger/numberParams.ts';
import { createSql, type Sql } from '../../../src/ledger/sqlite/statements.ts';

let db: DatabaseSyncInstance;
let sql: Sql;

beforeEach(() => {
  db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b TEXT)');
  sql = createSql(db);
});
afterEach(() => db.close());

describe('parameters', () => {
  it('are bound by name, in any order and any number of times', () => {
    const insert = 'INSERT INTO t (id, a, b) VALUES (:id, :a || :b, :a)';
    sql.run(insert, { b: 'two', a: 'one', id: 7 });
    sql.run(insert, { id: 8, a: 'x', b: 'y' });
    expect(sql.all('SELECT * FROM t WHERE id >= :from OR :from IS NULL', { from: 7 })).toEqual([
      { id: 7, a: 'onetwo', b: 'one' },
      { id: 8, a: 'xy', b: 'x' },
    ]);
  });

  it('can be null or a bigint, or start with the name of another', () => {
    const row = sql.get('SELECT :at AS at, :attempt AS attempt, :at_2 AS later', {
      at: null,
      attempt: 2n ** 40n,
      at_2: 'z',
    });
    expect(row).toEqual({ at: null, attempt: 2 ** 40, later: 'z' });
    expect(sql.tuples('SELECT :big, :text', { text: 't', big: 2n ** 60n })).toEqual([[2n ** 60n, 't']]);
  });

  it('are refused if one is missing or unknown', () => {
    const insert = 'INSERT INTO t (id, a) VALUES (:id, :a)';
    expect(() => sql.run(insert, { id: 1 })).toThrow('lacks its parameter :a');
    expect(() => sql.run(insert)).toThrow('lacks its parameter :id');
    expect(() => sql.run(insert, { id: 1, a: 'x', c: 'y', d: 'z' })).toThrow('no parameter :c, :d');
    expect(() => sql.get('SELECT 1', { id: 1 })).toThrow('no parameter :id');
    expect(sql.all('SELECT * FROM t')).toEqual([]);
  });

  it('are not carried over to the next call', () => {
    expect(sql.get('SELECT :a AS a', { a: 'x' })).toEqual({ a: 'x' });
    expect(sql.get('SELECT :a AS a', { a: null })).toEqual({ a: null });
  });
});

describe('what looks like a parameter', () => {
  it.each([
    ['in a literal', "SELECT ':a'' :b' || :c", "SELECT ':a'' :b' || ?1"],
    ['in a quoted name', 'SELECT ":a"":b", `:c`, [:d], :e', 'SELECT ":a"":b", `:c`, [:d], ?1'],
    [
      'in a comment',
      'SELECT 1 -- :a\n, /* :b \n :c */ :d /* :e',
      'SELECT 1 -- :a\n, /* :b \n :c */ ?1 /* :e',
    ],
    ['in a comment that ends the text', 'SELECT :a -- :b', 'SELECT ?1 -- :b'],
    ['in a time', "SELECT :a > '12:30:00', :b, :a", "SELECT ?1 > '12:30:00', ?2, ?1"],
  ])('%s stays as it is', (_, text, numbered) => {
    expect(numberParams(text).text).toBe(numbered);
  });
});
