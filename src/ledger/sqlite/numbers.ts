import { NEXT_DOCUMENT_ID } from './sql/documents.ts';
import { NEXT_NUMBERS } from './sql/endpoints.ts';
import { NEXT_ATTEMPT_ID } from './sql/queue.ts';
import { NEXT_SIGHTING_ID } from './sql/sightings.ts';
import type { EndpointNumbers, Numbered, Sql } from './statements.ts';

/*
 * The next ids of rows, queried once and cached: only one connection adds rows, none is ever deleted, and a rollback
 * clears the cache.
 */

const NEXT = {
  documents: NEXT_DOCUMENT_ID,
  sightings: NEXT_SIGHTING_ID,
  attempts: NEXT_ATTEMPT_ID,
} as const satisfies Record<Numbered, string>;

/** Id for a row that is about to be inserted in this transaction. */
export function nextId(sql: Sql, table: Numbered): number {
  const known = sql.nextIds.get(table);
  if (known !== undefined) return known;
  const id = idFrom(sql, NEXT[table]);
  sql.nextIds.set(table, id);
  return id;
}

/** Call after inserting the row. */
export function tookId(sql: Sql, table: Numbered, id: number): void {
  const next = sql.nextIds.get(table);
  if (next !== undefined && next <= id) sql.nextIds.set(table, id + 1);
}

/** The event that uses these numbers takes them. */
export function nextNumbers(sql: Sql, endpointId: number): EndpointNumbers {
  const known = sql.nextNumbers.get(endpointId);
  if (known) return known;
  const row = sql.get<EndpointNumbers>(NEXT_NUMBERS, { id: endpointId });
  if (!row) throw new Error('an endpoint that was just looked up is missing');
  sql.nextNumbers.set(endpointId, row);
  return row;
}

export function tookNumbers(sql: Sql, endpointId: number, taken: { line: number; seq: number | null }): void {
  const next = sql.nextNumbers.get(endpointId);
  if (!next) return;
  const line = Math.max(next.line, taken.line + 1);
  const seq = taken.seq === null ? next.seq : Math.max(next.seq, taken.seq + 1);
  sql.nextNumbers.set(endpointId, { seq, line });
}

/** The id that the query returns. */
export function idFrom(sql: Sql, text: string): number {
  const row = sql.get<{ id: number }>(text);
  if (!row) throw new Error('a query for a number gave no row');
  return row.id;
}
