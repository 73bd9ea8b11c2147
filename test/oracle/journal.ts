/** The journal, read by its description in docs/audit.md. */
/* oxlint-disable typescript/no-unnecessary-type-parameters -- the kind of an entry decides what its fields are */
import { createHash } from 'node:crypto';

export interface Entry {
  /** Its number, which is also the id of what it makes. In a fleet, the agent's number times `CHAIN` is added to it. */
  readonly seq: number;
  readonly kind: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly personal: Readonly<Record<string, unknown>> | null;
  readonly hash?: string;
  readonly at?: unknown;
}

export interface Journal {
  readonly entries: readonly Entry[];
  /** What is wrong with the chain; null if it is sound. A last line or commit cut off by a kill is fine. */
  readonly problem: string | null;
}

export function readJournal(text: string): Journal {
  const entries: (Entry & { part: boolean })[] = [];
  let problem: string | null = null;
  let before = { seq: 0, hash: '0'.repeat(64) };
  const lines = text.split('\n');
  // A last line without a line feed was cut off by a kill.
  lines.pop();
  for (const [index, line] of lines.entries()) {
    const [body = '', hash = '', personal = ''] = line.split('\t');
    const told = createHash('sha256').update(body).digest('hex') === hash ? objectIn(body) : null;
    if (told === null) {
      problem ??= `line ${index + 1} of the journal is no entry`;
      continue;
    }
    const { seq, kind, prev, facts, at, part } = told as unknown as Entry & { prev: string; part?: boolean };
    // A restarted journal repeats what came before.
    if (index === 0 && kind === 'continued') before = { seq: seq - 1, hash: prev };
    if (seq !== before.seq + 1 || prev !== before.hash)
      problem ??= `entry ${seq} of the journal does not follow entry ${before.seq}`;
    before = { seq, hash };
    entries.push({ seq, kind, facts, at, hash, personal: objectIn(personal), part: part === true });
  }
  while (entries.at(-1)?.part) entries.pop();
  return { entries, problem };
}

/** The chain of one agent in a shared ledger, from its lines in the database. */
export function readChain(
  lines: readonly { readonly entry: string; readonly hash: string; readonly personal: string }[],
  head: { readonly agent: number; readonly seq: number; readonly hash: string },
): Journal {
  const text = lines.map(({ entry, hash, personal }) => `${entry}\t${hash}\t${personal}\n`).join('');
  const { entries, problem } = readJournal(text);
  const { seq = 0, hash = '0'.repeat(64) } = entries.at(-1) ?? {};
  const isWhole = seq === head.seq && hash === head.hash;
  return {
    entries: entries.map((entry) => ({ ...entry, seq: head.agent * CHAIN + entry.seq })),
    problem: problem ?? (isWhole ? null : `it ends with entry ${seq}, but its head is ${head.seq}`),
  };
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

export interface KnownDocument {
  readonly id: number;
  readonly uid: string;
  readonly sha256: string;
  name: string;
  state: string;
  /** The state before its last entry. */
  before: string;
  readonly states: Set<string>;
  reason: string | null;
  /** The service's word. */
  status: string | null;
  hasResult: boolean;
  /** The first file version with its bytes. */
  firstSeen: number;
  /** Upload requests begun, ended, and ended with a lost answer; times that it was named and accepted. */
  begun: number;
  ended: number;
  unknown: number;
  named: number;
  accepted: number;
}

/** An upload request on record. Wall-clock times; `endedAt` is null while it is open. */
export interface Attempt {
  readonly uid: string;
  readonly beganAt: number;
  endedAt: number | null;
  /** The request at the service, if it arrived. */
  arrival: number | null;
}

/** What was at a path. */
export interface FileVersion {
  readonly id: number;
  readonly folder: string;
  readonly path: string;
  readonly verdict: string;
  readonly reason: string | null;
  readonly message: string | null;
  readonly sha256: string | null;
  /** The file that this is a page of. */
  readonly pageOf: number | null;
  readonly isSplit: boolean;
  readonly entry: number;
}

/** What the last entry said. */
export interface News {
  /** A new document, and the folder and path of its bytes. */
  named?: { readonly document: KnownDocument; readonly folder: string; readonly path: string };
  /** Documents with a new state. */
  moved: readonly number[];
  /** A request for it began. */
  began?: KnownDocument;
  file?: FileVersion;
  /** The endpoint that the pages of this file went to; splitting it has ended. */
  splitFor?: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Numbers of one chain of a fleet lie between its agent's multiple of this and the next. In an entry, lower ones are of its own chain. */
export const CHAIN = 2 ** 32;

/** What the entries say so far. */
export class Books {
  readonly documents = new Map<number, KnownDocument>();
  readonly attempts = new Map<number, Attempt>();
  news: News = { moved: [] };
  /** The newest attempt of each document. */
  readonly #newest = new Map<number, Attempt>();
  readonly #endpoints = new Map<number, string>();
  readonly #folders = new Map<number, string>();
  readonly #byImage = new Map<string, KnownDocument>();
  readonly #byName = new Map<string, KnownDocument>();
  /** Current file versions by id, and the last one at each path. */
  readonly files = new Map<number, FileVersion>();
  readonly lastSeen = new Map<string, FileVersion>();
  /** Disposals announced and not finished, by file version. */
  readonly intents = new Map<number, FileVersion & { readonly how: string }>();
  /** Files being split, by file version. */
  readonly open = new Map<number, { readonly uid: string; readonly sha256: string }>();
  /** For each folder, the last file version exempt from its rule for originals. */
  readonly #stays = new Map<string, number>();
  readonly #firstOfBytes = new Map<string, number>();
  readonly #current = new Map<string, number>();
  /** Every path at which bytes were seen. */
  readonly placesOf = new Map<string, Set<string>>();
  readonly archived: string[] = [];
  entries = 0;
  rebuilt = 0;

  static of(entries: readonly Entry[]): Books {
    const books = new Books();
    for (const entry of entries) books.take(entry);
    return books;
  }

  documentOf(uid: string, sha256: string): KnownDocument | undefined {
    return this.#byImage.get(`${uid} ${sha256}`);
  }

  documentNamed(uid: string, name: string): KnownDocument | undefined {
    return this.#byName.get(`${uid} ${name}`);
  }

  /** A request of this document arrived. */
  arrived(uid: string, name: string, arrival: number): void {
    const attempt = this.#newest.get(this.documentNamed(uid, name)?.id ?? -1);
    if (attempt) attempt.arrival ??= arrival;
  }

  fileAt(folder: string, path: string): FileVersion | undefined {
    return this.files.get(this.#current.get(`${folder}/${path}`) ?? -1);
  }

  isSeenAt(sha256: string, folder: string, path: string): boolean {
    return this.placesOf.get(sha256)?.has(`${folder}/${path}`) === true;
  }

  /** Whether these bytes were known before the folder's rule for originals took effect, so that it does not apply to them. */
  areFromBefore(folder: string, { sha256, document }: { sha256: string; document?: KnownDocument }): boolean {
    const first = document?.firstSeen ?? this.#firstOfBytes.get(sha256) ?? Infinity;
    return first <= (this.#stays.get(folder) ?? 0);
  }

  take({ seq, kind, facts, personal, at }: Entry): void {
    this.entries = seq;
    this.news = { moved: [] };
    const fields: Fields = { ...facts, ...personal };
    const field = <T>(key: string): T => fields[key] as T;
    const own = seq - (seq % CHAIN);
    const id = (number: number): number => (number < CHAIN ? number + own : number);
    const ids = (key: string): number[] => field<number[]>(key).map(id);
    const document = this.documents.get(id(field<number | undefined>('document') ?? 0));
    switch (kind) {
      case 'endpoint':
        this.#endpoints.set(field('endpoint'), field('uid'));
        return;
      case 'folder':
        this.#folders.set(field('folder'), field('place'));
        return;
      case 'originals': {
        const stays = field<[number, number][]>('stays').map(([, last]) => id(last));
        this.#stays.set(this.#folderOf(fields), Math.max(0, ...stays));
        return;
      }
      case 'admitted': {
        const named = this.#name(seq, fields);
        if (field('isCopy') !== true)
          this.#see(seq, { ...fields, verdict: 'document' }, { id, document: named });
        return;
      }
      case 'file':
        return this.#see(seq, fields, { id, document });
      case 'gone':
      case 'erased':
        for (const file of ids('files')) this.files.delete(file);
        return;
      case 'disposing': {
        const [file, how] = [this.files.get(id(field('file'))), field<string | undefined>('how')];
        if (how === undefined) this.intents.delete(id(field('file')));
        else if (file) this.intents.set(file.id, { ...file, how });
        return;
      }
      case 'disposed': {
        const archivedTo = field<string | undefined>('archivedTo');
        this.intents.delete(id(field('file')));
        if (field('how') !== 'kept') this.files.delete(id(field('file')));
        if (archivedTo) this.archived.push(archivedTo);
        return;
      }
      case 'began':
        if (!document) return;
        this.#begin(seq, document, wallOf(at));
        this.#move(document.id, { state: 'uploading' });
        this.news.began = document;
        return;
      case 'ended':
        if (!document) return;
        this.#end(id(field('attempt')), document, { at: wallOf(at), outcome: field('outcome') });
        if (field('state') !== undefined) this.#moved([document.id], fields);
        return;
      case 'moved':
        return this.#moved(ids('documents'), fields);
      case 'result':
        if (document) this.#result(document, field<string | undefined>('status'));
        return;
      case 'row':
        return this.#row(
          seq,
          field('table'),
          { ...field<Fields>('row'), ...field<Fields | undefined>('own') },
          id,
        );
      case 'rebuilt':
        this.rebuilt += 1;
        return;
    }
  }

  /** A row of a snapshot says what the entries that made it said. */
  #row(seq: number, table: string, row: Fields, id: (number: number) => number): void {
    const cell = <T>(column: string): T | undefined => (row[column] ?? undefined) as T | undefined;
    const own = id(cell<number>('id') ?? 0);
    const document = this.documents.get(id(cell<number>('document_id') ?? 0));
    const place = { endpoint: cell('endpoint_id'), folder: cell('folder_id') };
    switch (table) {
      case 'endpoints':
        this.#endpoints.set(Number(row['id']), cell('uid') ?? '');
        return;
      case 'folders':
        this.#folders.set(Number(row['id']), cell('path') ?? '');
        return;
      case 'documents':
        this.#name(own, { ...row, ...place });
        return this.#moved([own], row);
      case 'files': {
        const dir = cell<string>('dir') ?? '';
        const path = dir === '' ? cell('name') : `${dir}/${cell<string>('name')}`;
        const { page, isGone } = { page: cell('file_id'), isGone: cell('gone_at') };
        const file = { ...row, ...place, path, page, pages: cell('pages'), into: cell('split_into'), isGone };
        return this.#see(own, file, { id, document, entry: seq });
      }
      case 'attempts':
        if (!document) return;
        this.#begin(own, document, cell('began_at') ?? 0);
        if (cell('ended_at') !== undefined)
          this.#end(own, document, { at: cell('ended_at') ?? 0, outcome: cell('outcome') });
        return;
      case 'results':
        if (document) this.#result(document, cell('status'));
        return;
    }
  }

  #folderOf(fields: Fields): string {
    return this.#folders.get(fields['folder'] as number) ?? '';
  }

  #name(id: number, fields: Fields): KnownDocument {
    const uid = this.#endpoints.get(fields['endpoint'] as number) ?? '';
    const { name, sha256, path = '' } = fields as { name: string; sha256: string; path?: string };
    const fresh = {
      state: 'queued',
      before: 'queued',
      states: new Set<string>(),
      reason: null,
      status: null,
    };
    const counts = { hasResult: false, begun: 0, ended: 0, unknown: 0, accepted: 0, firstSeen: Infinity };
    const named = (this.documents.get(id)?.named ?? 0) + 1;
    const document = { id, uid, name, sha256, ...fresh, ...counts, named };
    this.documents.set(id, document);
    if (!this.documentOf(uid, sha256) || named > 1) this.#byImage.set(`${uid} ${sha256}`, document);
    this.#byName.set(`${uid} ${name}`, document);
    const folder = this.#folderOf(fields);
    this.news.named = { document, folder, path };
    this.#seenAt(sha256, folder, path);
    return document;
  }

  #moved(documents: readonly number[], fields: Fields): void {
    const { state, reason, status, name } = fields as {
      readonly state?: string;
      readonly reason?: string | null;
      readonly status?: string | null;
      readonly name?: string;
    };
    this.news.moved = documents;
    for (const id of documents) {
      const moved = this.#move(id, { state: state ?? '', reason: reason ?? null });
      if (moved && name !== undefined) {
        moved.name = name;
        this.#byName.set(`${moved.uid} ${name}`, moved);
      }
      if (!moved || state !== 'accepted') continue;
      // What is not named stays.
      moved.status = status ?? moved.status;
      moved.accepted += 1;
    }
  }

  #move(
    id: number,
    { state, reason = null }: { readonly state: string; readonly reason?: string | null },
  ): KnownDocument | undefined {
    const document = this.documents.get(id);
    if (!document) return undefined;
    Object.assign(document, { before: document.state, state, reason });
    document.states.add(state);
    return document;
  }

  #begin(id: number, document: KnownDocument, beganAt: number): void {
    document.begun += 1;
    const attempt = { uid: document.uid, beganAt, endedAt: null, arrival: null };
    this.attempts.set(id, attempt);
    this.#newest.set(document.id, attempt);
  }

  #end(
    id: number,
    document: KnownDocument,
    { at, outcome }: { readonly at: number; readonly outcome: unknown },
  ): void {
    Object.assign(this.attempts.get(id) ?? {}, { endedAt: at });
    document.ended += 1;
    if (outcome === 'unknown') document.unknown += 1;
  }

  #result(document: KnownDocument, status: string | undefined): void {
    document.hasResult = true;
    document.status = status ?? document.status;
  }

  #see(
    made: number,
    fields: Fields,
    {
      id,
      document,
      entry = made,
    }: {
      readonly id: (number: number) => number;
      readonly document: KnownDocument | undefined;
      readonly entry?: number;
    },
  ): void {
    const { again, supersedes, page, pages, into, isGone } = fields as Readonly<
      Record<string, number | undefined>
    >;
    const { path = '', verdict, reason = null, message = null } = fields as Readonly<Record<string, string>>;
    const folder = this.#folderOf(fields);
    const own = again === undefined ? made : id(again);
    const wasThere = this.files.has(own);
    if (supersedes !== undefined) this.files.delete(id(supersedes));
    const sha256 = document?.sha256 ?? (fields['sha256'] as string | null | undefined) ?? null;
    const pageOf = page === undefined ? null : id(page);
    const file = {
      id: own,
      folder,
      path,
      verdict: verdict ?? '',
      reason,
      message,
      sha256,
      pageOf,
      isSplit: pages !== undefined,
      entry,
    };
    // A later verdict on a file version that is gone does not make it present again.
    if (again === undefined ? isGone === undefined : wasThere) {
      this.files.set(own, file);
      this.#current.set(`${folder}/${path}`, own);
    }
    if (document) document.firstSeen = Math.min(document.firstSeen, own);
    this.lastSeen.set(`${folder}/${path}`, file);
    this.news.file = file;
    const from = this.open.get(own);
    if (into === undefined && pages !== undefined && from) this.news.splitFor = from.uid;
    if (into !== undefined && sha256 !== null)
      this.open.set(own, { uid: this.#endpoints.get(into) ?? '', sha256 });
    else this.open.delete(own);
    if (sha256 === null) return;
    if (!this.#firstOfBytes.has(sha256)) this.#firstOfBytes.set(sha256, own);
    this.#seenAt(sha256, folder, path);
  }

  #seenAt(sha256: string, folder: string, path: string): void {
    const places = this.placesOf.get(sha256) ?? new Set();
    this.placesOf.set(sha256, places.add(`${folder}/${path}`));
  }
}

function wallOf(at: unknown): number {
  return typeof at === 'number' ? at : Date.parse(String(at));
}
