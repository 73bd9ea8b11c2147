import {
  FRESH,
  type AdmitAnswer,
  type AdmitItem,
  type CopyAnswer,
  type CopyItem,
} from '../../core/messages.ts';
import { MOVED, type DocumentState } from '../../core/domain/document.ts';
import { namesOf, usesSeq } from '../../core/domain/naming.ts';
import { columnsOf, type DocumentRow, type FileRow } from '../schema.ts';
import type { Work } from '../work.ts';
import { CurrentFiles, KnownDocuments, makePlaces } from './places.ts';
import { endpointIdOf, folderIdOf } from '../entries.ts';
import { toMessage } from '../../core/domain/why.ts';

/** The document's own file; a page always counts as there, even if its file is gone. */
const OWN_FILES = `SELECT ${columnsOf('files', 'f')} FROM {rows id:int} files f
  WHERE f.document_id = r.id AND f.verdict = 'document' AND (f.gone_at IS NULL OR f.file_id IS NOT NULL) {lock f}`;

/** Images that were read become documents, or other files of known ones. */
export async function admit(work: Work, items: readonly AdmitItem[]): Promise<readonly AdmitAnswer[]> {
  const documents = new KnownDocuments(work);
  const current = new CurrentFiles(work);
  await Promise.all([
    makePlaces(work, items),
    documents.findBytes(items.map(({ endpoint, sha256 }) => ({ endpoint: endpointIdOf(endpoint), sha256 }))),
    current.find(items),
  ]);
  const own = await ownFiles(work, items, documents);
  await loadFolders(work, items, documents);
  await findNames(documents, candidatesOf(work, items, documents, current));

  return items.map((item) => {
    const { sha256, at, priority } = item;
    const endpoint = endpointIdOf(item.endpoint);
    const there = current.at(item);
    if (there !== undefined && isSkipped(there, item)) {
      same(work, there, item);
      return { kind: 'skipped' };
    }
    // What says nothing about the folder replaces nothing there.
    const before = item.isElsewhere === true ? undefined : there;
    const document = documents.withBytes(endpoint, sha256);
    if (document === undefined) {
      const seen = seenAs(work, item, before, null);
      const queued = nameAndQueue(work, item, documents, seen);
      if (queued === null) return { kind: 'unnamed' };
      const { id, name } = queued;
      const file = fileOf(work, seen, id);
      if (item.isElsewhere !== true) current.set(item, file);
      own.set(id, file);
      return { kind: 'queued', document: id, name };
    }
    const isHere = there?.document_id === document.id && there.disposed === null;
    if (isHere && (item.page === undefined ? document.state !== 'lost' : !isToSendAgain(document.state))) {
      same(work, there, item);
      return { kind: 'known', document: document.id, name: document.name };
    }
    if (!isHere || item.page === undefined) {
      const ownFile = own.get(document.id);
      const isSecond = item.page !== undefined || (ownFile !== undefined && ownFile !== before?.id);
      const file = put(work, item, before, isSecond ? 'duplicate' : 'document', document);
      if (item.isElsewhere !== true) current.set(item, file);
      if (!isSecond) own.set(document.id, file);
    }
    const isAgain = isToSendAgain(document.state);
    const place = placeHere(work, document, item);
    if (!isAgain && (place === null || document.state !== 'queued'))
      return { kind: 'duplicate', document: document.id, name: document.name };
    const next = { state: 'queued', due: at, priority, afresh: true, ...place } as const;
    work.add({ kind: 'moved', documents: [work.ref(document.id)], ...next }, at);
    return { kind: 'requeued', document: document.id, name: document.name };
  });
}

/** Whether a document in this state is queued again when its bytes are seen again. */
function isToSendAgain(state: DocumentState): boolean {
  return state === 'failed' || state === 'lost';
}

/** In a fleet: whose folders the known documents are in. */
async function loadFolders(
  work: Work,
  items: readonly AdmitItem[],
  documents: KnownDocuments,
): Promise<void> {
  if (work.agent === 0) return;
  const known = items.flatMap(
    ({ endpoint, sha256 }) => documents.withBytes(endpointIdOf(endpoint), sha256)?.folder_id ?? [],
  );
  await work.load('folders', known);
}

/** Where a document's bytes are now, if only another agent reaches the folder that it is in. */
function placeHere(
  { rows }: Work,
  { folder_id }: DocumentRow,
  { folder, path }: AdmitItem,
): { readonly folder: number; readonly path: string } | null {
  const owner = rows.folders.get(folder_id)?.owner ?? '';
  const isOthers = owner.startsWith('agent:') && owner !== folder.owner;
  return isOthers ? { folder: folderIdOf(folder), path } : null;
}

async function ownFiles(
  work: Work,
  items: readonly AdmitItem[],
  documents: KnownDocuments,
): Promise<Map<number, number>> {
  const known = items.flatMap(
    ({ endpoint, sha256 }) => documents.withBytes(endpointIdOf(endpoint), sha256)?.id ?? [],
  );
  const files = await work.find(
    'files',
    OWN_FILES,
    [...new Set(known)].map((id) => ({ id })),
  );
  return new Map(files.flatMap((file) => (file.document_id === null ? [] : [[file.document_id, file.id]])));
}

/** First choices are looked up at once; further ones only where the first is taken, in the tables or within the batch. */
async function findNames(
  documents: KnownDocuments,
  candidates: readonly { readonly endpoint: number; readonly names: readonly string[] }[],
): Promise<void> {
  await documents.findNames(
    candidates.flatMap(({ endpoint, names: [name] }) => (name === undefined ? [] : [{ endpoint, name }])),
  );
  const firsts = new Set<string>();
  const others: { endpoint: number; name: string }[] = [];
  for (const { endpoint, names } of candidates) {
    const [first = '', ...rest] = names;
    const key = `${endpoint} ${first}`;
    if (documents.hasName(endpoint, first) || firsts.has(key))
      others.push(...rest.map((name) => ({ endpoint, name })));
    firsts.add(key);
  }
  await documents.findNames(others);
}

/** Names that the items may take that become new documents; each takes the endpoint's next number if its names contain one. */
function candidatesOf(
  work: Work,
  items: readonly AdmitItem[],
  documents: KnownDocuments,
  current: CurrentFiles,
) {
  const seen = new Set<string>();
  const numbers = new Map<number, number>();
  return items.flatMap((item) => {
    const { endpoint: key, sha256, naming } = item;
    const endpoint = endpointIdOf(key);
    const bytes = `${endpoint} ${sha256}`;
    if (seen.has(bytes) || documents.withBytes(endpoint, sha256) !== undefined) return [];
    if (isSkipped(current.at(item), item)) return [];
    seen.add(bytes);
    if (!usesSeq(naming)) return [{ endpoint, names: naming }];
    const number = (numbers.get(endpoint) ?? work.get('endpoints', endpoint).seq) + 1;
    numbers.set(endpoint, number);
    return [{ endpoint, names: namesOf(naming, number) }];
  });
}

/** A person's word holds until the bytes change. */
function isSkipped(before: FileRow | undefined, { sha256 }: Pick<AdmitItem, 'sha256'>): boolean {
  return before?.verdict === 'skipped' && before.sha256 === sha256;
}

/** A new document with the first free name. Null if every name is taken. */
function nameAndQueue(
  work: Work,
  item: AdmitItem,
  documents: KnownDocuments,
  seen: Seen,
): DocumentRow | null {
  const { naming, sha256, type, priority, reason, message, at } = item;
  const endpoint = endpointIdOf(item.endpoint);
  const next = work.get('endpoints', endpoint).seq + 1;
  const name = namesOf(naming, next).find((each) => !documents.hasName(endpoint, each));
  if (name === undefined) return null;
  const id = work.add(
    {
      kind: 'admitted',
      ...seen,
      endpoint,
      name,
      sha256,
      type,
      priority,
      seq: usesSeq(naming) ? next : undefined,
      reason,
      message,
    },
    at,
  );
  const document = work.get('documents', id);
  documents.add(document);
  return document;
}

function put(
  work: Work,
  item: AdmitItem,
  before: FileRow | undefined,
  verdict: 'document' | 'duplicate',
  { id, endpoint_id: endpoint }: DocumentRow,
): number {
  const { sha256, reason, message, at } = item;
  const seen = seenAs(work, item, before, id);
  const of = { verdict, endpoint, document: work.ref(id), sha256, reason, message };
  return fileOf(work, seen, work.add({ kind: 'file', ...seen, ...of }, at));
}

/** The same bytes with other metadata. */
export function same(
  work: Work,
  before: FileRow,
  { size, identity, isElsewhere, at }: Pick<AdmitItem, 'size' | 'identity' | 'isElsewhere' | 'at'>,
): void {
  if (isElsewhere === true) return;
  if (before.size !== size || before.identity !== identity)
    work.add({ kind: 'same', file: work.ref(before.id), size, identity }, at);
}

type SeenItem = Pick<AdmitItem, 'folder' | 'path' | 'size' | 'identity' | 'page' | 'isElsewhere'> & {
  readonly sha256: string | null;
};
export type Seen = ReturnType<typeof seenAs>;

/**
 * What an entry says of a file that was seen: the row of `before`, judged anew, or a new one in its place. A page is history from the start, since no
 * file has its path.
 */
export function seenAs(work: Work, item: SeenItem, before: FileRow | undefined, document: number | null) {
  const { folder, path, size, identity, page, isElsewhere } = item;
  const isSame = before !== undefined && isSameFile(before, item, document);
  return {
    folder: folderIdOf(folder),
    path,
    size,
    identity,
    again: isSame ? work.ref(before.id) : undefined,
    supersedes: before === undefined || isSame ? undefined : work.ref(before.id),
    page: page === undefined ? undefined : work.ref(page),
    isGone: page !== undefined || isElsewhere === true ? (true as const) : undefined,
  };
}

/** The row that the entry made or judged anew. */
export function fileOf(work: Work, { again }: Pick<Seen, 'again'>, entry: number): number {
  return again === undefined ? entry : work.id(again);
}

/** Whether the file seen at a path is the current one there, judged again: a page always is. */
function isSameFile(
  before: FileRow,
  seen: { readonly size: number; readonly identity: string; readonly sha256: string | null },
  document: number | null,
): boolean {
  if (before.file_id !== null) return true;
  if (before.disposed !== null) return false;
  if (before.document_id !== null) return before.document_id === document;
  // A file that was growing or unreadable was never judged: there is no history to keep.
  if (before.verdict === 'incomplete' || before.verdict === 'unreadable') return true;
  if (before.size === seen.size && (before.identity === seen.identity || isUnread(before))) return true;
  return before.sha256 !== null && before.sha256 === seen.sha256;
}

/** Left alone, and with nothing to tell from whether its bytes are those that are there now: it is counted once, as what it becomes. */
function isUnread({ verdict, sha256 }: FileRow): boolean {
  return verdict === 'skipped' && sha256 === null;
}

function namesFor({ name, sha256 }: DocumentRow): readonly string[] {
  return [name, `${name}-${sha256.slice(0, 16)}`];
}

const MOVABLE: readonly string[] = ['queued', 'failed', 'unconfirmed', 'lost'];

/** Known bytes for another endpoint, under their name if it is free there. No file was seen. */
export async function copy(work: Work, items: readonly CopyItem[]): Promise<readonly CopyAnswer[]> {
  const known = new KnownDocuments(work);
  const [sources] = await Promise.all([
    work.load(
      'documents',
      items.map(({ document }) => document),
    ),
    makePlaces(work, items),
  ]);
  const copies = items.flatMap(({ endpoint }, i) => {
    const source = sources[i];
    return source === undefined
      ? []
      : [{ endpoint: endpointIdOf(endpoint), sha256: source.sha256, names: namesFor(source) }];
  });
  await known.findBytes(copies);
  await findNames(known, copies);

  return items.map(({ endpoint: key, by, at }, i) => {
    const source = sources[i];
    if (source === undefined) return { kind: 'unknown' };
    const isMove = by !== null;
    if (isMove && (!MOVABLE.includes(source.state) || source.reason === MOVED)) return { kind: 'unknown' };
    const endpoint = endpointIdOf(key);
    let answer: AdmitAnswer;
    const existing = known.withBytes(endpoint, source.sha256);
    if (existing !== undefined && isMove && existing.id === source.id) return { kind: 'unknown' };
    if (existing === undefined) {
      const name = namesFor(source).find((each) => !known.hasName(endpoint, each));
      if (name === undefined) return { kind: 'unnamed' };
      const { folder_id: folder, path, sha256, type, size } = source;
      const of = { folder, path, sha256, type, size, priority: FRESH };
      const id = work.add({ kind: 'admitted', endpoint, name, ...of, isCopy: true }, at);
      known.add(work.get('documents', id));
      answer = { kind: 'queued', document: id, name };
    } else if (isToSendAgain(existing.state)) {
      const next = { state: 'queued', due: at, priority: FRESH, afresh: true } as const;
      work.add({ kind: 'moved', documents: [work.ref(existing.id)], ...next }, at);
      answer = { kind: 'requeued', document: existing.id, name: existing.name };
    } else answer = { kind: 'duplicate', document: existing.id, name: existing.name };
    if (by !== null) {
      const message = toMessage({ is: 'movedTo', endpoint: key.uid, name: answer.name });
      const document = work.ref(source.id);
      work.add({ kind: 'moved', documents: [document], state: 'failed', reason: MOVED, message }, at);
      work.add({ kind: 'dismissed', documents: [document], files: [], by }, at);
    }
    return answer;
  });
}
