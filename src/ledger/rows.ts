import { join } from 'node:path';
import type { Document, FileIdentity } from '../core/domain/document.ts';
import type { ListState, Standing } from '../core/ports/ledgerReports.ts';

/** Columns as named in `sql/documents.ts`. */
export interface DocumentRow extends Omit<Document, 'endpoint' | 'answerLost'> {
  readonly baseUrl: string;
  readonly uid: string;
  readonly answerLost: number;
}

/** Column defaults of a new row: reading the row back would be the most expensive query of an admission. */
export const UNTOUCHED = {
  state: 'queued',
  reason: null,
  message: null,
  serviceStatus: null,
  attempts: 0,
  serverErrors: 0,
  answerLost: false,
  notBefore: 0,
} as const;

/** Field by field: spreading an object made by SQLite's binding takes longer than the query itself. */
export function toDocument(row: DocumentRow): Document {
  return {
    id: row.id,
    endpoint: { baseUrl: row.baseUrl, uid: row.uid },
    folder: row.folder,
    path: row.path,
    name: row.name,
    sha256: row.sha256,
    type: row.type,
    size: row.size,
    lane: row.lane,
    state: row.state,
    reason: row.reason,
    message: row.message,
    serviceStatus: row.serviceStatus,
    attempts: row.attempts,
    serverErrors: row.serverErrors,
    answerLost: row.answerLost === 1,
    notBefore: row.notBefore,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** 64-bit columns travel as text: a JavaScript number would round them. */
export interface IdentityRow {
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly inode: string;
}

export function toIdentity(row: IdentityRow): FileIdentity {
  return {
    size: row.size,
    mtimeNs: BigInt(row.mtimeNs),
    ctimeNs: BigInt(row.ctimeNs),
    inode: BigInt(row.inode),
  };
}

/** A file's location as stored with its sighting: directory and name, with `/` between segments. */
export interface LocationRow {
  readonly folder: string;
  readonly dir: string;
  readonly name: string;
}

export function splitPath(path: string): { dir: string; name: string } {
  const cut = path.lastIndexOf('/');
  return cut < 0 ? { dir: '', name: path } : { dir: path.slice(0, cut), name: path.slice(cut + 1) };
}

export function relativePath({ dir, name }: { dir: string; name: string }): string {
  return dir === '' ? name : `${dir}/${name}`;
}

export function absolutePath(location: LocationRow): string {
  return join(location.folder, location.dir, location.name);
}

/** A file that is there, with the state that lists show. */
export interface StandingRow extends IdentityRow {
  readonly id: number;
  readonly dir: string;
  readonly name: string;
  readonly state: ListState;
  readonly documentName: string | null;
}

export function toStanding(row: StandingRow): Standing {
  return { identity: toIdentity(row), state: row.state, name: row.documentName };
}
