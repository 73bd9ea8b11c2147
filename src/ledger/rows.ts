import { pageOf } from '../core/domain/pages.ts';
import { join } from 'node:path';
import type { Document, FileIdentity, Verdict } from '../core/domain/document.ts';
import type { KnownFile, NamedFile } from '../core/ports/ledgerIntake.ts';
import type {
  DocumentDetail,
  FileStanding,
  ListState,
  SightingRow,
  Standing,
} from '../core/ports/ledgerReports.ts';

/** Columns as named in `sql/documents.ts`. */
export interface DocumentRow extends Omit<Document, 'endpoint' | 'answerLost'> {
  readonly baseUrl: string;
  readonly uid: string;
  readonly answerLost: number;
}

/** Columns that only the view of one document shows. */
export interface DocumentMoreRow {
  readonly response: string | null;
  readonly dismissedAt: number | null;
  readonly dismissedBy: string | null;
}

export function toMore(row: DocumentMoreRow | undefined): Pick<DocumentDetail, 'response' | 'dismissed'> {
  const { response = null, dismissedAt = null, dismissedBy } = row ?? {};
  return { response, dismissed: dismissedAt === null ? null : { at: dismissedAt, by: dismissedBy ?? '' } };
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

/** A file's identity as parameters; an inode above 2^63 wraps, as in Node's own `lstat`. */
export function identityParams({ size, mtimeNs, ctimeNs, inode }: FileIdentity): FileIdentity {
  return { size, mtimeNs, ctimeNs, inode: BigInt.asIntN(64, inode) };
}

export interface KnownRow extends IdentityRow {
  readonly id: number;
  readonly verdict: Verdict;
  readonly policy: string | null;
}

export function toKnownFile(row: KnownRow): KnownFile {
  return { sighting: row.id, identity: toIdentity(row), verdict: row.verdict, policy: row.policy };
}

/** Id, name, verdict, policy, size, mtime, ctime, inode. */
export type KnownTuple = readonly [bigint, string, Verdict, string | null, bigint, bigint, bigint, bigint];

export function toNamedFile(row: KnownTuple): NamedFile {
  const [id, name, verdict, policy, size, mtimeNs, ctimeNs, inode] = row;
  const identity = { size: Number(size), mtimeNs, ctimeNs, inode };
  return { sighting: Number(id), name, verdict, policy, identity };
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

/** The query for the file, or the page, at this path. */
export function placeQuery(
  path: string,
  sql: { readonly STANDING: string; readonly STANDING_OF_PAGE: string },
): { readonly text: string; readonly place: Readonly<Record<string, string>> } {
  const place = splitPath(path);
  const page = pageOf(path);
  if (page === null) return { text: sql.STANDING, place };
  const file = splitPath(page.file);
  return { text: sql.STANDING_OF_PAGE, place: { ...place, fileDir: file.dir, fileName: file.name } };
}

export function relativePath({ dir, name }: { dir: string; name: string }): string {
  return dir === '' ? name : `${dir}/${name}`;
}

export function absolutePath(location: LocationRow): string {
  return join(location.folder, location.dir, location.name);
}

export interface DetailSightingRow extends LocationRow, Omit<SightingRow, 'path'> {}

export function toSightingRow({ folder, dir, name, ...row }: DetailSightingRow): SightingRow {
  return { ...row, path: absolutePath({ folder, dir, name }) };
}

/** A file that is there, with the state that lists show. */
export interface StandingRow extends IdentityRow {
  readonly id: number;
  readonly dir: string;
  readonly name: string;
  readonly state: ListState;
  readonly documentName: string | null;
}

export interface FileStandingRow extends StandingRow {
  readonly reason: string | null;
  readonly message: string | null;
  readonly policy: string | null;
  readonly at: number;
  readonly dismissedAt: number | null;
}

export function toStanding(row: StandingRow): Standing {
  return { identity: toIdentity(row), state: row.state, name: row.documentName };
}

export function toFileStanding(row: FileStandingRow): FileStanding {
  const { id: sighting, reason, message, policy, at, dismissedAt } = row;
  return { ...toStanding(row), sighting, isDismissed: dismissedAt !== null, reason, message, policy, at };
}
