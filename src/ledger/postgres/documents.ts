import type { Document } from '../../core/domain/document.ts';
import { documentUnknown } from '../documentErrors.ts';
import { toDocument, type DocumentRow } from '../rows.ts';
import type { Places } from './places.ts';
import { DOCUMENT_BY_ID } from './sql/documents.ts';
import type { Sql } from './statements.ts';

/** Columns as named in `SELECT_DOCUMENT`; `folder` is the path within the place. */
export interface PlacedRow extends DocumentRow {
  readonly place: string;
}

/** The document, with its folder in the port's notation. */
export function documentOf(places: Places, row: PlacedRow): Document {
  return { ...toDocument(row), folder: places.toFolder(row.place, row.folder) };
}

/** A transaction, or anything that reads and knows the places. */
export type PlacedSql = Pick<Sql, 'get'> & { readonly places: Places };

export async function documentById(sql: PlacedSql, id: number): Promise<Document | null> {
  const row = await sql.get<PlacedRow>(DOCUMENT_BY_ID, { id });
  return row ? documentOf(sql.places, row) : null;
}

/** @throws ReceiptdError DOCUMENT_UNKNOWN */
export async function requireDocument(sql: PlacedSql, id: number): Promise<Document> {
  const document = await documentById(sql, id);
  if (!document) throw documentUnknown(id);
  return document;
}
