import type { Document, EndpointKey, Lane } from '../../core/domain/document.ts';
import { namesOf, usesSeq } from '../../core/domain/naming.ts';
import type { Admission, Admitted } from '../../core/ports/ledgerIntake.ts';
import {
  copyFor,
  isThere,
  isToSendAgain,
  keyParams,
  newDocumentOf,
  noFreeName,
  sightedOf,
  type NewDocument,
} from '../newDocument.ts';
import type { Transaction } from './commit.ts';
import { requireDocument } from './documents.ts';
import { pageSighting, putPage } from './pages.ts';
import { nextId, nextNumbers } from './numbers.ts';
import { endpointIdOf, ensureEndpoint } from './ids.ts';
import { identityParams, toDocument, type DocumentRow, UNTOUCHED } from '../rows.ts';
import type { Sighted } from '../sighted.ts';
import { currentSighting, putSighting } from './sightings.ts';
import * as DOCUMENTS from './sql/documents.ts';
import * as SIGHTINGS from './sql/sightings.ts';
import type { Sql } from './statements.ts';

/**
 * Writes the rows of one image, within the caller's transaction: its document, new or known, and the sighting of its
 * file.
 */
export function admit(sql: Transaction, admission: Admission): Admitted {
  const { endpoint, file, sha256, at, page } = admission;
  if (page) return admitPage(sql, admission, page.split);
  const existing = documentByBytes(sql, endpoint, sha256);
  if (!existing) {
    const document = insertDocument(sql, newDocumentOf(admission));
    sight(sql, admission, 'document', document.id);
    return { kind: 'queued', document };
  }

  const current = currentSighting(sql, file);
  if (current && isThere(existing, current)) {
    sql.run(SIGHTINGS.REFRESH_IDENTITY, { id: current.id, ...identityParams(file.identity), at });
    return { kind: 'known', document: toDocument(existing) };
  }
  const ownSighting = sql.get<{ id: number }>(SIGHTINGS.OWN_SIGHTING, { documentId: existing.id });
  const isSecond = ownSighting !== undefined && ownSighting.id !== current?.id;
  sight(sql, admission, isSecond ? 'duplicate' : 'document', existing.id);
  return again(sql, existing, admission.lane, at);
}

/** Writes the rows of one page, which may be known by its file and number. */
function admitPage(sql: Transaction, admission: Admission, split: number): Admitted {
  const { endpoint, file, sha256, lane, at } = admission;
  const before = pageSighting(sql, split, file);
  const existing = documentByBytes(sql, endpoint, sha256);
  const own = sightedOf(admission);
  if (!existing) {
    const document = insertDocument(sql, newDocumentOf(admission));
    putPage(sql, split, file, { ...own, verdict: 'document', documentId: document.id }, before);
    return { kind: 'queued', document };
  }
  if (before?.documentId === existing.id && !isToSendAgain(existing.state))
    return { kind: 'known', document: toDocument(existing) };
  if (before?.documentId !== existing.id)
    putPage(sql, split, file, { ...own, verdict: 'duplicate', documentId: existing.id }, before);
  return again(sql, existing, lane, at);
}

function sight(
  sql: Transaction,
  admission: Admission,
  verdict: Sighted['verdict'],
  documentId: number,
): void {
  const { file, isElsewhere = false, at } = admission;
  const sighting = putSighting(sql, file, { ...sightedOf(admission), verdict, documentId });
  if (isElsewhere) sql.emit({ kind: 'gone', sightings: [sighting] }, at);
}

/** Copies known bytes to another endpoint, under the same name if it is free there. No file was sighted. */
export function admitElsewhere(
  sql: Transaction,
  documentId: number,
  endpoint: EndpointKey,
  at: number,
): Admitted {
  const document = requireDocument(sql, documentId);
  const existing = documentByBytes(sql, endpoint, document.sha256);
  if (existing) return again(sql, existing, 'fresh', at);
  const copy = insertDocument(sql, copyFor(endpoint, document, at));
  return { kind: 'queued', document: copy };
}

function again(sql: Transaction, existing: DocumentRow, lane: Lane, at: number): Admitted {
  if (!isToSendAgain(existing.state)) return { kind: 'duplicate', document: toDocument(existing) };
  const { line } = nextNumbers(sql, ensureEndpoint(sql, existing));
  const move = { state: 'queued', how: 'arrived', lane, line } as const;
  sql.emit({ kind: 'moved', documents: [existing.id], ...move }, at);
  return { kind: 'requeued', document: requireDocument(sql, existing.id) };
}

function insertDocument(sql: Transaction, image: NewDocument): Document {
  const { endpoint, folder, path, sha256, type, size, lane, at, naming } = image;
  const endpointId = ensureEndpoint(sql, endpoint);
  const { seq: nextSeq, line } = nextNumbers(sql, endpointId);
  const name = namesOf(naming, nextSeq).find(
    (candidate) => !sql.get(DOCUMENTS.IS_NAME_TAKEN, { endpointId, name: candidate }),
  );
  if (name === undefined) throw noFreeName(path);
  const id = nextId(sql, 'documents');
  const seq = usesSeq(naming) ? nextSeq : null;
  const given = { endpoint: keyParams(endpoint), name, sha256, type, size, lane, folder, path };
  sql.emit({ kind: 'named', document: id, ...given, line, seq }, at);
  return { id, ...given, ...UNTOUCHED, createdAt: at, updatedAt: at };
}

function documentByBytes(sql: Sql, endpoint: EndpointKey, sha256: string): DocumentRow | undefined {
  const endpointId = endpointIdOf(sql, endpoint);
  if (endpointId === undefined) return undefined;
  return sql.get<DocumentRow>(DOCUMENTS.DOCUMENT_BY_BYTES, { endpointId, sha256 });
}
