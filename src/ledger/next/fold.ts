import type { Verdict } from '../../core/domain/document.ts';
import { foldedUnlessAscii } from '../../core/domain/search.ts';
import { postedOf } from '../resultRows.ts';
import { holdId, type Entry, type EntryOf, type Move, type Range } from './entries.ts';
import { kindOf, NAMED, TABLES, type Cells, type FileRow, type Row, type Table } from './schema.ts';

/** The working set that entries change (work.ts). */
export interface WorkingSet {
  /** The agent whose entries these are, and what is added to their numbers to make ids. */
  readonly agent: number;
  readonly base: number;
  readonly rows: { readonly [Name in Table]: ReadonlyMap<number, Row<Name>> };
  id(number: number): number;
  get<Name extends Table>(table: Name, id: number): Row<Name>;
  insert<Name extends Table>(table: Name, row: Row<Name>): void;
  change<Name extends Table>(table: Name, id: number, values: Partial<Row<Name>>): void;
  /** Whether another document of the endpoint has these bytes or this name; from now on one has. */
  isTaken(endpoint: number, sha256: string, name: string): boolean;
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
    case 'folder':
      if (!work.rows.folders.has(entry.folder))
        work.insert('folders', {
          id: entry.folder,
          owner: entry.owner,
          path: entry.place,
          watched_at: null,
          mark: null,
          rule: null,
          stays: null,
        });
      return;
    case 'watched':
      return work.change('folders', entry.folder, { watched_at: at });
    case 'placed':
      return work.change('folders', entry.folder, { mark: entry.mark });
    case 'originals':
      return work.change('folders', entry.folder, { rule: entry.rule, stays: idsOf(work, entry.stays) });
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
        began_at: at,
        ended_at: null,
        left_at: null,
        outcome: null,
        http: null,
        bytes: entry.bytes,
        message: null,
      });
      // Still uploading: the request before it was answered with 401.
      const replays = document.state === 'uploading' ? 1 : 0;
      return work.change('documents', document.id, {
        state: 'uploading',
        attempt: id,
        attempts: document.attempts + 1,
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
      return work.change('holds', holdId(entry.scope, entry.key, entry.paused, entry.of ?? work.base), {
        open: 0,
      });
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
    case 'restored':
    case 'rebuilt':
  }
}

/** Ids of rows that this entry changes or reads, which must be looked up before it is folded. */
export function rowsOf(work: WorkingSet, entry: Entry): Partial<Record<Table, readonly number[]>> {
  const ids = (...numbers: readonly (number | undefined)[]): number[] =>
    numbers.flatMap((number) => (number === undefined ? [] : work.id(number)));
  switch (entry.kind) {
    case 'endpoint':
    case 'recorded':
      return { endpoints: [entry.endpoint] };
    case 'folder':
      return { folders: [entry.folder] };
    case 'admitted':
      return {
        // Also a lock: whether the name is taken is decided in the order of the chains.
        endpoints: [entry.endpoint],
        files: ids(entry.supersedes, entry.again),
      };
    case 'file':
      return { files: ids(entry.supersedes, entry.again) };
    case 'same':
    case 'disposing':
    case 'disposed':
      return { files: ids(entry.file) };
    case 'gone':
      return { files: ids(...entry.files) };
    case 'began':
    case 'ended':
    case 'result':
      return { documents: ids(entry.document) };
    case 'moved':
      return { documents: ids(...entry.documents) };
    case 'hold':
    case 'released':
      return {
        holds: [
          holdId(entry.scope, entry.key, entry.paused, ('of' in entry ? entry.of : undefined) ?? work.base),
        ],
      };
    case 'dismissed':
    case 'undismissed':
    case 'erased':
      return { documents: ids(...entry.documents), files: ids(...entry.files) };
    default:
      return {};
  }
}

function foldAdmitted(work: WorkingSet, entry: EntryOf<'admitted'>, at: number, id: number): void {
  const { endpoint, folder, name, sha256, type, size, priority, seq, path } = entry;
  work.insert('documents', {
    id,
    endpoint_id: endpoint,
    folder_id: folder,
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
    server_errors: 0,
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
  const { folder, endpoint = 0, size, path, sha256 = null, identity = '' } = file;
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
    gone_at: file.isGone === true ? at : null,
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
    ended_at: at,
    left_at: entry.left ?? at,
    outcome,
    http: entry.http ?? null,
    message: entry.said ?? entry.message ?? null,
  });
  const document = work.get('documents', work.id(entry.document));
  if (outcome === 'accepted')
    work.change('documents', document.id, { answered: 1, known_at: document.known_at ?? document.attempts });
  if (state === undefined) work.change('documents', document.id, { attempt: null });
  else foldMove(work, document.id, { ...entry, state }, at);
}

function foldMove(work: WorkingSet, id: number, move: Move, at: number): void {
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
  if (move.serverError) values.server_errors = work.get('documents', id).server_errors + 1;
  if (move.afresh) values.server_errors = 0;
  if (move.folder !== undefined) {
    const { name } = work.get('documents', id);
    const path = move.path ?? '';
    Object.assign(values, { folder_id: move.folder, path, folded: foldedUnlessAscii(`${name}\n${path}`) });
  }
  work.change('documents', id, values);
}

function foldResult(work: WorkingSet, entry: EntryOf<'result'>, at: number, id: number): void {
  const document = entry.document === undefined ? null : work.get('documents', work.id(entry.document));
  const status = entry.status ?? null;
  const payload = entry.payload ?? null;
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
  const { scope, key, paused, reason, why: message } = entry;
  const id = holdId(scope, key, paused, work.base);
  const hold = {
    scope,
    key,
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
    work.change('documents', id, {
      path: '',
      folded: foldedUnlessAscii(name),
      message: null,
      response: null,
      erased_at: at,
      updated_at: at,
    });
  }
  for (const number of entry.files) {
    const { id, gone_at } = work.get('files', work.id(number));
    work.change('files', id, {
      dir: '',
      name: '',
      folded: null,
      identity: '',
      message: null,
      archived_to: null,
      gone_at: gone_at ?? at,
      updated_at: at,
    });
  }
  for (const number of entry.attempts) work.change('attempts', work.id(number), { message: null });
  for (const number of entry.results)
    work.change('results', work.id(number), {
      payload: null,
      words: null,
      fields: null,
      given_name: null,
      given_uid: null,
    });
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
    const value = own?.[name] ?? row[name] ?? (kind.includes('?') ? null : kindOf(kind) === 'text' ? '' : 0);
    const isNumber = kind.startsWith('ref') || (kind === 'id' && !NAMED.has(table));
    whole[name] = isNumber && typeof value === 'number' && value > 0 ? work.id(value) : value;
  }
  const id = Number(whole['id']);
  if (table === 'files' && whole['name'] === '' && whole['gone_at'] === null) whole['name'] = unnamed(id);
  if (table === 'folders' && typeof whole['stays'] === 'string')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `idsOf` wrote it
    whole['stays'] = idsOf(work, JSON.parse(whole['stays']) as Range[]);
  if (table === 'holds' && whole['agent'] === 0) {
    whole['id'] = holdId(String(whole['scope']), String(whole['key']), whole['paused'] === 1, work.base);
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

export function splitPath(path: string): Pick<FileRow, 'dir' | 'name'> {
  const cut = path.lastIndexOf('/');
  return cut < 0 ? { dir: '', name: path } : { dir: path.slice(0, cut), name: path.slice(cut + 1) };
}

export function pathOf({ dir, name }: Pick<FileRow, 'dir' | 'name'>): string {
  return dir === '' ? name : `${dir}/${name}`;
}
