import {
  endpointId,
  type Document,
  type DocumentState,
  type EndpointKey,
  type FileRef,
  type Lane,
} from '../../core/domain/document.ts';
import { foldedUnlessAscii } from '../../core/domain/search.ts';
import type { Admission, Admitted } from '../../core/ports/ledgerIntake.ts';
import { groupBy } from '../groupBy.ts';
import { copyFor, isThere, isToSendAgain, keyParams, newDocumentOf, sightedOf } from '../newDocument.ts';
import { identityParams } from '../rows.ts';
import { documentOf, requireDocument, type PlacedRow } from './documents.ts';
import { insertDocuments, lockEndpoint, type Given } from './insertDocuments.ts';
import { pageSighting, putPage } from './pages.ts';
import { currentSightings, isOutdated, nextSightings, putSeen, type PathSighting } from './sightings.ts';
import * as DOCUMENTS from './sql/documents.ts';
import * as SIGHTINGS from './sql/sightings.ts';
import type { Transaction } from './transaction.ts';

/**
 * Writes the rows of images, within the caller's transaction: a document for each, new or known, and the sighting of
 * its file. Locks the endpoints' rows first, so that no other agent names anything there or finds a duplicate
 * meanwhile.
 */
export async function admitAll(
  sql: Transaction,
  admissions: readonly Admission[],
): Promise<readonly Admitted[]> {
  const { first, others } = firstOfEach(admissions.filter(({ page }) => page === undefined));
  const looked = await lookUp(sql, first);
  const admitted = new Map<Admission, Admitted>();
  const isNew = (admission: Admission): boolean => !looked.existing.has(bytesOf(admission));
  await nameAll(sql, first.filter(isNew), looked, admitted);
  for (const admission of first)
    if (!isNew(admission)) admitted.set(admission, await admitKnown(sql, admission, looked));
  for (const admission of others) {
    const [later] = await admitAll(sql, [admission]);
    admitted.set(admission, later as Admitted);
  }
  for (const admission of admissions) {
    const { page } = admission;
    if (page) admitted.set(admission, await admitPage(sql, admission, page.split));
  }
  return admissions.map((admission) => admitted.get(admission) as Admitted);
}

/** Separates images that must come later: repeated bytes, or another image at the same path. */
function firstOfEach(admissions: readonly Admission[]): { first: Admission[]; others: Admission[] } {
  const seen = new Set<string>();
  const [first, others]: [Admission[], Admission[]] = [[], []];
  for (const admission of admissions) {
    const keys = [bytesOf(admission), pathKeyOf(admission)];
    const isFirst = !keys.some((key) => seen.has(key));
    (isFirst ? first : others).push(admission);
    for (const key of keys) seen.add(key);
  }
  return { first, others };
}

interface LookedUp {
  /** By endpoint. */
  readonly given: ReadonlyMap<string, Given>;
  /** By endpoint and bytes. */
  readonly existing: ReadonlyMap<string, PlacedRow>;
  /** By folder, then by path. */
  readonly current: ReadonlyMap<string, ReadonlyMap<string, PathSighting>>;
}

/** Runs all queries about the images in one round trip. */
async function lookUp(sql: Transaction, admissions: readonly Admission[]): Promise<LookedUp> {
  const byEndpoint = groupBy(admissions, ({ endpoint }) => endpointId(endpoint));
  const byFolder = groupBy(admissions, ({ file }) => file.folder);
  const given = new Map<string, Given>();
  const existing = new Map<string, PlacedRow>();
  const current = new Map<string, ReadonlyMap<string, PathSighting>>();
  const lookInEndpoint = async (id: string, group: readonly Admission[]): Promise<void> => {
    const { endpoint } = group[0] as Admission;
    const sha256s = group.map(({ sha256 }) => sha256);
    const [numbers, rows] = await Promise.all([
      lockEndpoint(sql, endpoint),
      sql.all<PlacedRow>(DOCUMENTS.DOCUMENTS_BY_BYTES, { ...keyParams(endpoint), sha256s }),
    ]);
    given.set(id, numbers);
    for (const row of rows) existing.set(`${id} ${row.sha256}`, row);
  };
  const lookInFolder = async (folder: string, group: readonly Admission[]): Promise<void> => {
    const paths = group.map(({ file }) => file.path);
    current.set(folder, await currentSightings(sql, folder, paths));
  };
  await Promise.all([
    ...[...byEndpoint].map(([id, group]) => lookInEndpoint(id, group)),
    ...[...byFolder].map(([folder, group]) => lookInFolder(folder, group)),
  ]);
  return { given, existing, current };
}

/** Creates the new documents. */
async function nameAll(
  sql: Transaction,
  admissions: readonly Admission[],
  { given, current }: LookedUp,
  admitted: Map<Admission, Admitted>,
): Promise<void> {
  if (admissions.length === 0) return;
  const [documents, sightings] = await Promise.all([
    insertDocuments(sql, admissions.map(newDocumentOf), given),
    nextSightings(sql, admissions.length),
  ]);
  for (const [at, admission] of admissions.entries()) {
    const document = documents[at] as Document;
    const sighted = { ...sightedOf(admission), verdict: 'document' as const, documentId: document.id };
    putSeen(sql, admission, sighted, currentOf(current, admission), sightings[at] as number);
    admitted.set(admission, { kind: 'queued', document });
  }
}

async function admitKnown(sql: Transaction, admission: Admission, looked: LookedUp): Promise<Admitted> {
  const { endpoint, file, lane, at } = admission;
  const existing = looked.existing.get(bytesOf(admission)) as PlacedRow;
  const current = currentOf(looked.current, admission);
  if (current && isThere(existing, current)) {
    if (!isOutdated(current, admission))
      sql.send(SIGHTINGS.REFRESH_IDENTITY, { id: current.id, ...identityParams(file.identity), at });
    return { kind: 'known', document: documentOf(sql.places, existing) };
  }
  const [ownSighting, [sighting = 0]] = await Promise.all([
    sql.get<{ id: number }>(SIGHTINGS.OWN_SIGHTING, { documentId: existing.id }),
    nextSightings(sql, 1),
  ]);
  const isSecond = ownSighting !== undefined && ownSighting.id !== current?.id;
  const verdict = isSecond ? ('duplicate' as const) : ('document' as const);
  const sighted = { ...sightedOf(admission), verdict, documentId: existing.id };
  putSeen(sql, admission, sighted, current, sighting);
  // Locked again: images that were just queued again took numbers of the endpoint.
  return again(sql, existing, lane, await lockEndpoint(sql, endpoint), at, file);
}

/** Writes the rows of one page, which may be known by its file and number. */
async function admitPage(sql: Transaction, admission: Admission, split: number): Promise<Admitted> {
  const { endpoint, file, sha256, lane, at } = admission;
  const given = await lockEndpoint(sql, endpoint);
  const before = await pageSighting(sql, split, file);
  const bytes = { ...keyParams(endpoint), sha256s: [sha256] };
  const existing = await sql.get<PlacedRow>(DOCUMENTS.DOCUMENTS_BY_BYTES, bytes);
  const own = sightedOf(admission);
  if (!existing) {
    const named = await insertDocuments(
      sql,
      [newDocumentOf(admission)],
      new Map([[endpointId(endpoint), given]]),
    );
    const document = named[0] as Document;
    await putPage(sql, split, file, { ...own, verdict: 'document', documentId: document.id }, before);
    return { kind: 'queued', document };
  }
  if (before?.documentId === existing.id && !isToSendAgain(existing.state))
    return { kind: 'known', document: documentOf(sql.places, existing) };
  if (before?.documentId !== existing.id)
    await putPage(sql, split, file, { ...own, verdict: 'duplicate', documentId: existing.id }, before);
  return again(sql, existing, lane, given, at, file);
}

function bytesOf({ endpoint, sha256 }: Admission): string {
  return `${endpointId(endpoint)} ${sha256}`;
}

function pathKeyOf({ file: { folder, path } }: Admission): string {
  return JSON.stringify([folder, path]);
}

function currentOf(current: LookedUp['current'], { file }: Admission): PathSighting | undefined {
  return current.get(file.folder)?.get(file.path);
}

/** Copies known bytes to another endpoint, under the same name if it is free there. No file was sighted. */
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
  const params = { ...keyParams(endpoint), sha256s: [document.sha256] };
  const existing = await sql.get<PlacedRow>(DOCUMENTS.DOCUMENTS_BY_BYTES, params);
  if (existing) return again(sql, existing, 'fresh', given, at);
  const image = copyFor(endpoint, document, at);
  const [copy] = await insertDocuments(sql, [image], new Map([[endpointId(endpoint), given]]));
  return { kind: 'queued', document: copy as Document };
}

async function again(
  sql: Transaction,
  existing: PlacedRow,
  lane: Lane,
  { nextLine: line }: Given,
  at: number,
  /** The file that has its bytes; null if unknown. */
  file: FileRef | null = null,
): Promise<Admitted> {
  const { id, state } = existing;
  const { places, session } = sql;
  const reached = places.reached;
  if (!isToSendAgain(state)) {
    const isOfAnother = state === 'queued' && file !== null && !reached.includes(existing.place);
    // The agent that admitted it may never come back.
    if (!isOfAnother || !(await sql.get(DOCUMENTS.IS_ABANDONED, { id, reached })))
      return { kind: 'duplicate', document: documentOf(places, existing) };
  } else {
    // Another agent may have queued it meanwhile.
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
