import type { Verdict } from '../core/domain/document.ts';
import { foldedUnlessAscii } from '../core/domain/search.ts';
import { postedOf } from './payload.ts';
import {
  CHAIN,
  folderIn,
  holdId,
  holdKeyIn,
  ownerIn,
  type Entry,
  type EntryOf,
  type Kind,
  type Move,
  type Range,
} from './entries.ts';
import {
  emptyCell,
  ERASED,
  NAMED,
  OWN,
  TABLES,
  type Cells,
  type Row,
  type Table,
  splitPath,
} from './schema.ts';

/** The working set that entries change (work.ts). */
export interface WorkingSet {
  /** The agent whose entries these are: its number, its name, and what is added to their numbers to make ids. */
  readonly agent: number;
  readonly name: string;
  readonly base: number;
  readonly rows: { readonly [Name in Table]: ReadonlyMap<number, Row<Name>> };
  id(number: number): number;
  ref(id: number): number;
  get<Name extends Table>(table: Name, id: number): Row<Name>;
  insert<Name extends Table>(table: Name, row: Row<Name>): void;
  change<Name extends Table>(table: Name, id: number, values: Partial<Row<Name>>): void;
  /** Whether another document of the endpoint has these bytes or this name; from now on one has. */
  isTaken(endpoint: number, sha256: string, name: string): boolean;
  /** Whether another file is current at this path; from now on this one is. */
  isAtPath(at: FilePlace, id: number): boolean;
  /** Whether this result of a document, or of none (0), was received before; from now on it was. */
  isReceived(document: number, sha256: string): boolean;
}

export interface FilePlace {
  readonly folder: number;
  readonly dir: string;
  readonly name: string;
}

/**
 * The only place where an entry becomes rows: when it happens, at a start, in a rebuild, and in a move to PostgreSQL. It decides nothing and asks
 * nothing, so the same entries make the same rows everywhere. Rows are whole literals: copies of a model row cost several times as much.
 */
export function fold(work: WorkingSet, entry: Entry, at: number, id: number): void {
  switch (entry.kind) {
    case 'endpoint':
      if (!work.rows.endpoints.has(entry.endpoint))
        work.insert('endpoints', {
          id: entry.endpoint,
          base_url: entry.baseUrl,
          uid: entry.uid,
          seq: 0,
          name: null,
          record: null,
          created_at: null,
        });
      return;
    case 'recorded':
      return work.change('endpoints', entry.endpoint, {
        name: entry.name,
        record: entry.record,
        created_at: at,
      });
    case 'folder': {
      const folder = folderIn(entry.folder, work.name);
      if (!work.rows.folders.has(folder))
        work.insert('folders', {
          id: folder,
          owner: ownerIn(entry.owner, work.name),
          path: entry.place,
          watched_at: null,
          mark: null,
          rule: null,
          stays: null,
        });
      return;
    }
    case 'watched':
      return work.change('folders', folderIn(entry.folder, work.name), { watched_at: at });
    case 'placed':
      return work.change('folders', folderIn(entry.folder, work.name), { mark: entry.mark });
    case 'originals':
      return work.change('folders', folderIn(entry.folder, work.name), {
        rule: entry.rule,
        stays: idsOf(work, entry.stays),
      });
    case 'admitted':
      return foldAdmitted(work, entry, at, id);
    case 'file':
      return foldFile(work, entry, at, id);
    case 'same':
      return work.change('files', work.id(entry.file), {
        size: entry.size,
        identity: entry.identity,
        updated_at: at,
      });
    case 'gone':
      for (const file of entry.files) work.change('files', work.id(file), { gone_at: at, updated_at: at });
      return;
    case 'began': {
      const document = work.get('documents', work.id(entry.document));
      work.insert('attempts', {
        id,
        document_id: document.id,
        endpoint_id: document.endpoint_id,
        began_at: entry.left ?? at,
        ended_at: null,
        outcome: null,
        http: null,
        bytes: entry.bytes,
        message: null,
      });
      const attempts = document.attempts + 1;
      // Brought back late: the document has gone on without this request.
      if (!isIdle(document)) return work.change('documents', document.id, { attempts });
      // Still uploading: the request before it was answered with 401.
      const replays = document.state === 'uploading' ? 1 : 0;
      return work.change('documents', document.id, {
        state: 'uploading',
        attempt: id,
        attempts,
        replays,
        updated_at: at,
      });
    }
    case 'ended':
      return foldEnded(work, entry, at);
    case 'moved':
      for (const document of entry.documents) foldMove(work, work.id(document), entry, at);
      return;
    case 'disposing':
      return work.change('files', work.id(entry.file), { disposing: entry.how ?? null, updated_at: at });
    case 'disposed': {
      const file = work.get('files', work.id(entry.file));
      return work.change('files', file.id, {
        disposing: null,
        disposed: entry.how,
        archived_to: entry.archivedTo ?? null,
        gone_at: entry.how === 'kept' ? file.gone_at : (file.gone_at ?? at),
        updated_at: at,
      });
    }
    case 'result':
      return foldResult(work, entry, at, id);
    case 'passed':
      return work.change('results', work.id(entry.result), { turn: id });
    case 'hold':
      return foldHold(work, entry, at);
    case 'released':
      return work.change(
        'holds',
        holdIn(work, entry),
        entry.isOwn === true ? { shared_until: OWN } : { open: 0 },
      );
    case 'dismissed':
    case 'undismissed': {
      const mark =
        entry.kind === 'dismissed'
          ? { dismissed_at: at, dismissed_by: entry.by }
          : { dismissed_at: null, dismissed_by: null };
      for (const document of entry.documents) work.change('documents', work.id(document), mark);
      for (const file of entry.files) work.change('files', work.id(file), mark);
      return;
    }
    case 'erased':
      return foldErased(work, entry, at);
    case 'row':
      return foldRow(work, entry);
    case 'act':
    case 'begun':
    case 'continued':
    case 'shared':
    case 'restored':
    case 'rebuilt':
  }
}

function holdIn(
  work: Pick<WorkingSet, 'base' | 'name'>,
  entry: EntryOf<'hold'> | EntryOf<'released'>,
): number {
  const { scope, key, paused } = entry;
  const of = entry.kind === 'released' ? entry.of : undefined;
  return holdId(scope, holdKeyIn(scope, key, work.name), paused, of ?? work.base);
}

/** The fields with which entries name rows, whatever their kind. */
interface Named {
  readonly kind: Kind;
  readonly endpoint?: number | undefined;
  readonly document?: number | undefined;
  readonly documents?: readonly number[];
  readonly file?: number | undefined;
  readonly files?: readonly number[];
  readonly again?: number | undefined;
  readonly supersedes?: number | undefined;
}

/** Ids of rows that this entry changes or reads, which must be looked up before it is folded. */
export function rowsOf(
  work: Pick<WorkingSet, 'base' | 'name' | 'id'>,
  entry: Entry,
): Partial<Record<Table, readonly number[]>> {
  const { kind, endpoint, document, documents = [], file, files = [], again, supersedes }: Named = entry;
  const ids = (...numbers: readonly (number | undefined)[]): number[] =>
    numbers.flatMap((number) => (number === undefined ? [] : work.id(number)));
  const isOthers = isForeign(document);
  return {
    // Also a lock: whether the name is taken is decided in the order of the chains.
    endpoints: endpoint === undefined || kind === 'file' ? [] : [endpoint],
    folders: entry.kind === 'folder' ? [folderIn(entry.folder, work.name)] : [],
    documents: ids(kind !== 'file' || isOthers ? document : undefined, ...documents),
    files: ids(file, again, supersedes, ...files),
    attempts: entry.kind === 'ended' && (entry.outcome === 'notSent' || isOthers) ? ids(entry.attempt) : [],
    holds: entry.kind === 'hold' || entry.kind === 'released' ? [holdIn(work, entry)] : [],
  };
}

/** Whether a number in an entry is of another agent's chain. */
function isForeign(number: number | undefined): boolean {
  return number !== undefined && number >= CHAIN;
}

/** The entry with the bytes of other agents' rows that it names. */
export function namingBytes(work: WorkingSet, entry: Entry): Entry {
  const { documents = [], files = [] } = rowsOf(work, entry);
  const bytesOf: Record<number, string> = {};
  for (const [rows, ids] of [
    [work.rows.documents, documents],
    [work.rows.files, files],
  ] as const)
    for (const id of ids) {
      const sha256 = isForeign(work.ref(id)) ? rows.get(id)?.sha256 : undefined;
      if (typeof sha256 === 'string') bytesOf[id] = sha256.slice(0, 16);
    }
  return Object.keys(bytesOf).length === 0 ? entry : { ...entry, bytesOf };
}

/**
 * An entry as far as the rows are there that it is about. Those of other agents may be missing, or be of other bytes under the same number: they were
 * lost with a database that went back, and their agent did not bring them back. Null: nothing is left of it.
 */
export function fitting(work: WorkingSet, entry: Entry): Entry | null {
  const has = (table: 'documents' | 'files', number: number | undefined): boolean => {
    if (number === undefined || !isForeign(number)) return true;
    const row = work.rows[table].get(number);
    const bytes = entry.bytesOf?.[number] ?? '';
    return row?.sha256?.startsWith(bytes) ?? row !== undefined;
  };
  const { kind, document, documents, file, files, again, supersedes }: Named = entry;
  const isThere = has('documents', document);
  if (!has('files', file) || (!isThere && kind !== 'file')) return null;
  if (entry.kind === 'ended' && isForeign(document) && !work.rows.attempts.has(work.id(entry.attempt)))
    return null;
  const isUnknown = entry.kind === 'admitted' && !work.rows.endpoints.has(entry.endpoint);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields that it had
  return {
    ...entry,
    ...(documents && { documents: documents.filter((number) => has('documents', number)) }),
    ...(files && { files: files.filter((number) => has('files', number)) }),
    ...(!has('files', again) && { again: undefined }),
    ...(!has('files', supersedes) && { supersedes: undefined }),
    ...(isUnknown && { seq: undefined }),
    // As one that is gone: its file is found again.
    ...(!isThere && { document: undefined, isGone: true }),
  } as Entry;
}

/** No request is in progress: queued, or between a 401 and its repetition. */
export const isIdle = ({ state, attempt }: Pick<Row<'documents'>, 'state' | 'attempt'>): boolean =>
  state === 'queued' || (state === 'uploading' && attempt === null);

function foldAdmitted(work: WorkingSet, entry: EntryOf<'admitted'>, at: number, id: number): void {
  const { endpoint, name, sha256, type, size, priority, seq, path } = entry;
  work.insert('documents', {
    id,
    endpoint_id: endpoint,
    folder_id: folderIn(entry.folder, work.name),
    name,
    path,
    folded: foldedUnlessAscii(`${name}\n${path}`),
    sha256,
    type,
    size,
    priority,
    state: 'queued',
    due: at,
    reason: null,
    message: null,
    attempts: 0,
    attempt: null,
    replays: 0,
    result_at: null,
    status_at: null,
    known_at: null,
    answered: 0,
    answer_lost: 0,
    odd_answers: 0,
    status: null,
    response: null,
    twin: work.isTaken(endpoint, sha256, name) ? id : 0,
    created_at: at,
    updated_at: at,
    erased_at: null,
    dismissed_at: null,
    dismissed_by: null,
  });
  // Numbers are never given out again, even if an older entry is folded later.
  if (seq !== undefined)
    work.change('endpoints', endpoint, { seq: Math.max(seq, work.get('endpoints', endpoint).seq) });
  if (entry.isCopy !== true) putFile(work, entry, { verdict: 'document', document: id }, at, id);
}

function foldFile(work: WorkingSet, entry: EntryOf<'file'>, at: number, id: number): void {
  const document = entry.document === undefined ? null : work.id(entry.document);
  putFile(work, entry, { verdict: entry.verdict, document }, at, id);
}

function putFile(
  work: WorkingSet,
  file: EntryOf<'file'> | EntryOf<'admitted'>,
  { verdict, document }: { readonly verdict: Verdict; readonly document: number | null },
  at: number,
  id: number,
): void {
  const { endpoint = 0, size, path, sha256 = null, identity = '' } = file;
  const { policy = null, reason = null, message = null } = file;
  if (file.again !== undefined) {
    const before = work.get('files', work.id(file.again));
    const isSameCase =
      before.size === size &&
      before.identity === identity &&
      before.verdict === verdict &&
      before.reason === reason;
    return work.change('files', before.id, {
      size,
      identity,
      verdict,
      endpoint_id: endpoint,
      document_id: document,
      sha256,
      policy,
      reason,
      message,
      updated_at: at,
      ...(file.pages !== undefined && { pages: file.pages, split_into: file.into ?? null }),
      // An unreadable file is noted at every listing: an unchanged one is not a new case.
      ...(!isSameCase && { dismissed_at: null, dismissed_by: null }),
    });
  }
  if (file.supersedes !== undefined)
    work.change('files', work.id(file.supersedes), { gone_at: at, updated_at: at });
  const { dir, name } = path === '' ? { dir: '', name: unnamed(id) } : splitPath(path);
  const folder = folderIn(file.folder, work.name);
  const isGone = file.isGone === true || work.isAtPath({ folder, dir, name }, id);
  work.insert('files', {
    id,
    folder_id: folder,
    dir,
    name,
    folded: foldedUnlessAscii(path),
    size,
    identity,
    verdict,
    endpoint_id: endpoint,
    document_id: document,
    sha256,
    policy,
    reason,
    message,
    seen_at: at,
    updated_at: at,
    gone_at: isGone ? at : null,
    disposing: null,
    disposed: null,
    archived_to: null,
    dismissed_at: null,
    dismissed_by: null,
    file_id: file.page === undefined ? null : work.id(file.page),
    pages: file.pages ?? null,
    split_into: file.into ?? null,
  });
}

function foldEnded(work: WorkingSet, entry: EntryOf<'ended'>, at: number): void {
  const { outcome, state } = entry;
  work.change('attempts', work.id(entry.attempt), {
    ended_at: entry.left ?? at,
    outcome,
    http: entry.http ?? null,
    message: entry.said ?? entry.message ?? null,
  });
  const document = work.get('documents', work.id(entry.document));
  if (outcome === 'accepted')
    work.change('documents', document.id, { answered: 1, known_at: document.known_at ?? document.attempts });
  // Brought back late, after other requests: what is accepted stays so, and a request in progress goes on.
  if (document.attempt !== work.id(entry.attempt)) {
    if (state === 'accepted' && document.state !== 'uploading')
      foldMove(work, document.id, { ...entry, state }, at);
    return;
  }
  if (state === undefined) work.change('documents', document.id, { attempt: null });
  else foldMove(work, document.id, { ...entry, state }, at);
}

function foldMove(work: WorkingSet, id: number, move: Move, at: number): void {
  const document = work.get('documents', id);
  // Brought back late: only a person's command, given after the last request, sends what is accepted again.
  if (document.state === 'accepted' && move.state !== 'accepted' && move.resent !== document.attempts) return;
  const values: Partial<Row<'documents'>> = {
    state: move.state,
    attempt: null,
    reason: move.reason ?? null,
    message: move.message ?? null,
    updated_at: at,
    dismissed_at: null,
    dismissed_by: null,
  };
  if (move.due !== undefined) values.due = move.due;
  if (move.priority !== undefined) values.priority = move.priority;
  if (move.status !== undefined) values.status = move.status;
  if (move.response !== undefined) values.response = move.response;
  if (move.answerLost) values.answer_lost = 1;
  if (move.isOdd) values.odd_answers = document.odd_answers + 1;
  if (move.afresh) values.odd_answers = 0;
  if (move.folder !== undefined) {
    const path = move.path ?? '';
    values.folder_id = folderIn(move.folder, work.name);
    Object.assign(values, { path, folded: foldedUnlessAscii(`${document.name}\n${path}`) });
  }
  if (move.name !== undefined) {
    const { endpoint_id, sha256, path } = document;
    Object.assign(values, {
      name: move.name,
      folded: foldedUnlessAscii(`${move.name}\n${path}`),
      twin: 0,
    });
    work.isTaken(endpoint_id, sha256, move.name);
  }
  work.change('documents', id, values);
}

function foldResult(work: WorkingSet, entry: EntryOf<'result'>, at: number, id: number): void {
  const document = entry.document === undefined ? null : work.get('documents', work.id(entry.document));
  const status = entry.status ?? null;
  const payload = entry.payload ?? null;
  if (work.isReceived(document?.id ?? 0, entry.sha256)) return;
  work.insert('results', {
    id,
    document_id: document?.id ?? null,
    received_at: at,
    attempts: document?.attempts ?? null,
    status,
    sha256: entry.sha256,
    size: entry.size,
    encoding: entry.encoding,
    given_name: entry.givenName ?? null,
    given_uid: entry.givenUid ?? null,
    ...postedOf({ encoding: entry.encoding, payload }),
    payload,
    turn: null,
  });
  if (document === null) return;
  work.change('documents', document.id, {
    result_at: document.attempts,
    known_at: document.known_at ?? document.attempts,
    ...(status !== null && { status, status_at: document.attempts, updated_at: at }),
  });
}

function foldHold(work: WorkingSet, entry: EntryOf<'hold'>, at: number): void {
  const { scope, paused, reason, why: message } = entry;
  const id = holdIn(work, entry);
  const hold = {
    scope,
    key: holdKeyIn(scope, entry.key, work.name),
    agent: work.agent,
    paused: paused === true ? 1 : 0,
    shared_until: entry.sharedUntil ?? null,
    open: 1,
    reason,
    message,
    since: at,
    until: entry.until ?? null,
    demanded_until: entry.demandedUntil ?? null,
  };
  if (work.rows.holds.has(id)) work.change('holds', id, hold);
  else work.insert('holds', { id, ...hold });
}

/** A file that is still there is found again, as one that was never seen. */
function foldErased(work: WorkingSet, entry: EntryOf<'erased'>, at: number): void {
  for (const number of entry.documents) {
    const { id, name } = work.get('documents', work.id(number));
    const folded = foldedUnlessAscii(name);
    work.change('documents', id, { ...ERASED.documents, folded, erased_at: at, updated_at: at });
  }
  for (const number of entry.files) {
    const { id, gone_at } = work.get('files', work.id(number));
    work.change('files', id, { ...ERASED.files, gone_at: gone_at ?? at, updated_at: at });
  }
  for (const number of entry.attempts) work.change('attempts', work.id(number), ERASED.attempts);
  for (const number of entry.results) work.change('results', work.id(number), ERASED.results);
}

/** A file's name in an entry that is blank by now, until the entry follows that erased it: several may be current. No real name has a slash. */
function unnamed(id: number): string {
  return `/${id}`;
}

/** Ranges of ids, as a folder's row has them. */
function idsOf(work: WorkingSet, ranges: readonly Range[]): string {
  return JSON.stringify(ranges.map(([first, last]) => [work.id(first), work.id(last)]));
}

/** What erasure took, or a later schema added, has the kind's empty value. Numbers of rows are of this chain, as in every entry. */
function foldRow(work: WorkingSet, { table, row, own }: EntryOf<'row'>): void {
  const whole: Cells = {};
  for (const [name, kind] of Object.entries<string>(TABLES[table])) {
    const value = own?.[name] ?? row[name] ?? emptyCell(kind);
    const isNumber = kind.startsWith('ref') || (kind === 'id' && !NAMED.has(table));
    const isFolder = name === 'folder_id' || (table === 'folders' && name === 'id');
    whole[name] =
      typeof value !== 'number' || value === 0
        ? value
        : isFolder
          ? folderIn(value, work.name)
          : isNumber
            ? work.id(value)
            : value;
  }
  if (table === 'folders') whole['owner'] = ownerIn(String(whole['owner']), work.name);
  const id = Number(whole['id']);
  if (table === 'files' && whole['name'] === '' && whole['gone_at'] === null) whole['name'] = unnamed(id);
  if (table === 'folders' && typeof whole['stays'] === 'string')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `idsOf` wrote it
    whole['stays'] = idsOf(work, JSON.parse(whole['stays']) as Range[]);
  if (table === 'holds' && whole['agent'] === 0) {
    const key = holdKeyIn(String(whole['scope']), String(whole['key']), work.name);
    whole['id'] = holdId(String(whole['scope']), key, whole['paused'] === 1, work.base);
    whole['key'] = key;
    whole['agent'] = work.agent;
  }
  if (table === 'documents' && whole['twin'] === 0)
    whole['twin'] = work.isTaken(Number(whole['endpoint_id']), String(whole['sha256']), String(whole['name']))
      ? id
      : 0;
  // The columns are the schema's.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  work.insert(table, whole as unknown as Row<typeof table>);
}
