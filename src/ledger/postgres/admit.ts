import type { Document, DocumentState, EndpointKey, FileRef, Lane } from '../../core/domain/document.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import type { ImageType } from '../../core/domain/imageType.ts';
import { namesOf, usesSeq, type Naming } from '../../core/domain/naming.ts';
import { foldedUnlessAscii } from '../../core/domain/search.ts';
import type { Admission, Admitted } from '../../core/ports/ledger.ts';
import { identityParams, UNTOUCHED } from '../rows.ts';
import { documentOf, requireDocument, type PlacedRow } from './documents.ts';
import type { CurrentSighting, Sighted } from '../sighted.ts';
import { currentSighting, nextSightings, putSighting } from './sightings.ts';
import * as DOCUMENTS from './sql/documents.ts';
import { ENDPOINT_FOR_UPDATE } from './sql/endpoints.ts';
import * as SIGHTINGS from './sql/sightings.ts';
import type { Transaction } from './transaction.ts';

/**
 * The rows of one image: its document, new or known, and the sighting of its file. In the caller's transaction, with the
 * endpoint's row locked from its first look on: no other agent names anything there meanwhile, nor finds a duplicate.
 */
export async function admit(sql: Transaction, admission: Admission): Promise<Admitted> {
  const { endpoint, file, sha256, at } = admission;
  const [given, existing, current] = await Promise.all([
    lockEndpoint(sql, endpoint),
    documentByBytes(sql, endpoint, sha256),
    currentSighting(sql, file),
  ]);
  const own = { sha256, policy: null, reason: null, message: null, at };
  if (!existing) {
    const { type, lane, naming } = admission;
    const { folder, path, identity } = file;
    const image = { endpoint, folder, path, sha256, type, size: identity.size, lane, at, naming };
    const [document, [sighting = 0]] = await Promise.all([
      insertDocument(sql, image, given),
      nextSightings(sql, 1),
    ]);
    const sighted = { ...own, verdict: 'document' as const, documentId: document.id };
    sight(sql, admission, sighted, current, sighting);
    return { kind: 'queued', document };
  }

  // A lost image is not merely known: its bytes are back.
  // One whose disposal found other bytes was to stay; the bytes that were sent may go, like any other file of theirs.
  if (current?.documentId === existing.id && existing.state !== 'lost' && current.disposed === null) {
    sql.send(SIGHTINGS.REFRESH_IDENTITY, { id: current.id, ...identityParams(file.identity), at });
    return { kind: 'known', document: documentOf(sql.places, existing) };
  }
  const [ownSighting, [sighting = 0]] = await Promise.all([
    sql.get<{ id: number }>(SIGHTINGS.OWN_SIGHTING, { documentId: existing.id }),
    nextSightings(sql, 1),
  ]);
  const isSecond = ownSighting !== undefined && ownSighting.id !== current?.id;
  const sighted = {
    ...own,
    verdict: isSecond ? 'duplicate' : 'document',
    documentId: existing.id,
  } as const;
  sight(sql, admission, sighted, current, sighting);
  return again(sql, existing, admission.lane, given, at, file);
}

function sight(
  sql: Transaction,
  { file, isElsewhere = false, at }: Admission,
  sighted: Sighted,
  current: CurrentSighting | undefined,
  freeId: number,
): void {
  const sighting = putSighting(sql, file, sighted, current, freeId);
  if (isElsewhere) sql.emit({ kind: 'gone', sightings: [sighting] }, at);
}

/** Known bytes into another endpoint: under the same name if it is free there. No file was sighted. */
export async function admitElsewhere(
  sql: Transaction,
  documentId: number,
  endpoint: EndpointKey,
  at: number,
): Promise<Admitted> {
  const [given, document] = await Promise.all([
    lockEndpoint(sql, endpoint),
    requireDocument(sql, documentId),
  ]);
  const existing = await documentByBytes(sql, endpoint, document.sha256);
  if (existing) return again(sql, existing, 'fresh', given, at);
  const image: NewDocument = {
    ...document,
    endpoint,
    lane: 'fresh',
    at,
    naming: [document.name, `${document.name}-${document.sha256.slice(0, 16)}`],
  };
  return { kind: 'queued', document: await insertDocument(sql, image, given) };
}

async function again(
  sql: Transaction,
  existing: PlacedRow,
  lane: Lane,
  { nextLine: line }: Given,
  at: number,
  /** Where its bytes are. */
  file: FileRef | null = null,
): Promise<Admitted> {
  const { id, state } = existing;
  const { places, session } = sql;
  const reached = places.reached;
  if (!isToSendAgain(state)) {
    const isOfAnother = state === 'queued' && file !== null && !reached.includes(existing.place);
    // Who admitted it may never come back.
    if (!isOfAnother || !(await sql.get(DOCUMENTS.IS_ABANDONED, { id, reached })))
      return { kind: 'duplicate', document: documentOf(places, existing) };
  } else {
    // Somebody may have queued it in between.
    const now = await sql.get<{ state: DocumentState }>(DOCUMENTS.LOCK_DOCUMENT, { id });
    if (!now || !isToSendAgain(now.state))
      return { kind: 'duplicate', document: await requireDocument(sql, id) };
  }
  const move = { state: 'queued', how: 'arrived', lane, line } as const;
  sql.emit({ kind: 'moved', documents: [id], ...move }, at);
  if (file) {
    const { folder, path } = file;
    sql.send(DOCUMENTS.TAKE_HOME, {
      id,
      agentId: session.agentId,
      reached,
      path,
      foldedPath: foldedUnlessAscii(path),
      ...places.ofFolder(folder),
    });
  }
  sql.notify('queue');
  return { kind: 'requeued', document: await requireDocument(sql, id) };
}

function isToSendAgain(state: DocumentState): boolean {
  return state === 'failed' || state === 'lost';
}

/** What an endpoint gives out next. */
interface Given {
  readonly nextSeq: number;
  readonly nextLine: number;
}

interface NewDocument {
  readonly endpoint: EndpointKey;
  readonly folder: string;
  readonly path: string;
  readonly sha256: string;
  readonly type: ImageType;
  readonly size: number;
  readonly lane: Lane;
  readonly at: number;
  readonly naming: Naming;
}

async function insertDocument(
  sql: Transaction,
  image: NewDocument,
  { nextSeq, nextLine: line }: Given,
): Promise<Document> {
  const { folder, path, sha256, type, size, lane, at, naming } = image;
  const endpoint = keyParams(image.endpoint);
  const proposed = namesOf(naming, nextSeq);
  const [rows, id] = await Promise.all([
    sql.all<{ name: string }>(DOCUMENTS.IS_NAME_TAKEN, { ...endpoint, names: proposed }),
    sql.nextId('documents'),
  ]);
  const taken = new Set(rows.map(({ name }) => name));
  const name = proposed.find((candidate) => !taken.has(candidate));
  if (name === undefined) {
    throw new ReceiptdError('TEMPLATE_INVALID', `Every name proposed for ${path} is taken in its endpoint.`, {
      hint: 'Let the name template contain {hash} or {seq}.',
    });
  }
  const seq = usesSeq(naming) ? nextSeq : null;
  const given = { endpoint, name, sha256, type, size, lane, folder, path };
  sql.emit({ kind: 'named', document: id, ...given, line, seq }, at);
  // Nobody else can send what lies in a folder of this agent's own; each notification holds up the commits of all others.
  if (!sql.places.isOwn(folder)) sql.notify('queue');
  return { id, ...given, ...UNTOUCHED, createdAt: at, updatedAt: at };
}

/** Its row is there already (`Store.ensureEndpoint`). */
async function lockEndpoint(sql: Transaction, endpoint: EndpointKey): Promise<Given> {
  const given = await sql.get<Given>(ENDPOINT_FOR_UPDATE, keyParams(endpoint));
  if (!given) throw new Error('the row of an endpoint is missing');
  return given;
}

async function documentByBytes(
  sql: Transaction,
  endpoint: EndpointKey,
  sha256: string,
): Promise<PlacedRow | undefined> {
  return sql.get<PlacedRow>(DOCUMENTS.DOCUMENT_BY_BYTES, { ...keyParams(endpoint), sha256 });
}

function keyParams({ baseUrl, uid }: EndpointKey): { baseUrl: string; uid: string } {
  return { baseUrl, uid };
}
