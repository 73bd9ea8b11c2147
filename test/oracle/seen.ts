import type {
  Answer,
  Content,
  Deferred,
  End,
  Event,
  FolderRule,
  KnownAs,
  Page,
  Request,
  Row,
  Settings,
  Status,
  Stored,
} from './evidence.ts';
import { Books, type KnownDocument } from './journal.ts';
import { mayBeKept } from './looks.ts';

/** A request, with what became of it so far. */
export interface Arrival extends Request {
  /** By the machine's wall clock; null: unknown. */
  readonly wall: number | null;
  isStored: boolean;
  answer: Answer | null;
  answeredAt: number;
  endedAt: number;
}

/** A file at a path. */
export interface Lying {
  readonly folder: string;
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  /** When it last changed. */
  readonly since: number;
}

/** A document at the end, by `list --json` if there is one, otherwise by the journal. */
export interface Standing {
  readonly uid: string;
  readonly name: string | null;
  readonly sha256: string;
  readonly state: string;
  readonly reason: string | null;
  readonly answerLost: boolean;
  readonly attempts: number | null;
  readonly path: string | null;
  readonly createdAt: string | null;
}

const NO_SETTINGS: Settings = { folders: [] };
const DOCUMENT_STATES = new Set(['queued', 'uploading', 'held', 'accepted', 'failed', 'unconfirmed', 'lost']);

const STATUS_OF: Readonly<Record<string, number>> = {
  failed: 3,
  lost: 3,
  rejected: 3,
  unreadable: 4,
  unconfirmed: 4,
  incomplete: 4,
};

export function keyOf(uid: string | null, what: string | null): string {
  return `${uid} ${what}`;
}

/** Everything seen so far. */
export class Seen {
  settings = NO_SETTINGS;
  now = 0;
  #clock: { readonly at: number; readonly wall: number } | null = null;
  status: Status | null = null;
  books = new Books();
  /** What may be on record besides; null: the same. */
  possible: Books | null = null;
  readonly contents = new Map<string, Content & { readonly since: number }>();
  /** The pages that an image shows. */
  readonly pagesBehind = new Map<string, readonly { readonly file: string; readonly page: number }[]>();
  readonly #imagesOf = new Map<string, Set<string>>();
  /** By absolute path. */
  readonly files = new Map<string, Lying>();
  /** How long former contents lay unchanged at most, by hash. */
  readonly #rested = new Map<string, number>();
  readonly untellable = new Set<string>();
  /** What people did with each image, by endpoint and hash: every time that it came to rest. */
  readonly images = new Map<string, (KnownAs | null)[]>();
  readonly arrivals: Arrival[] = [];
  readonly #byId = new Map<number, Arrival>();
  readonly #ofName = new Map<string, Arrival[]>();
  readonly results = new Map<string, string>();
  readonly hopeless = new Set<string>();
  readonly copies = new Map<string, number>();
  /** Hashes that had a copy when they were last needed. */
  readonly copied = new Set<string>();
  readonly deferred: Deferred[] = [];
  /** Images refused before and scanned again, with the number of requests by then. */
  readonly again: (Lying & { readonly uid: string; readonly begun: number })[] = [];
  readonly livesEnded = new Map<number, number>();
  tablesSince = 0;
  readonly secrets: string[] = [];
  /** The first name of each image and the image of each name, ever. */
  readonly nameOf = new Map<string, string>();
  readonly imageOf = new Map<string, string>();
  /** What lay in folders and archives when they were last listed; null if they never were. */
  listing: ReadonlyMap<string, string> | null = null;
  /** What needs a person when a process ends, with the exit status that reports it; and when the one before ended. */
  cases: ReadonlyMap<string, number> = new Map();
  casesBefore: ReadonlyMap<string, number> = new Map();
  end: End = {};
  readonly #rows = new Map<string, Row>();
  readonly #stored = new Set<string>();
  #standings: readonly Standing[] | null = null;

  take(event: Event): void {
    if ('at' in event) this.now = event.at;
    switch (event.kind) {
      case 'settings':
        this.settings = event.settings;
        return;
      case 'clock':
        this.#clock = event;
        return;
      case 'status':
        this.status = event.status;
        return;
      case 'content':
        return this.#content(event.content);
      case 'file':
        return this.#file(event);
      case 'image': {
        const key = keyOf(event.uid, event.sha256);
        this.images.set(key, [...(this.images.get(key) ?? []), event.knownAs]);
        return;
      }
      case 'scanned':
        return this.#scanned(event);
      case 'entry':
        return this.books.take(event.entry);
      case 'possible':
        this.possible = Books.of(event.entries);
        return;
      case 'restarted':
        this.books = new Books();
        return;
      case 'request':
        return this.#request(event.request);
      case 'stored':
        this.arrival(event.id).isStored = true;
        return;
      case 'answer': {
        const arrival = this.arrival(event.id);
        Object.assign(arrival, { answer: event.answer, answeredAt: event.at });
        arrival.endedAt = Math.min(arrival.endedAt, event.at);
        return;
      }
      case 'closed':
        this.arrival(event.id).endedAt = event.at;
        return;
      case 'result':
        this.results.set(keyOf(event.uid, event.name), event.status);
        return;
      case 'hopeless':
        this.hopeless.add(event.uid ?? event.sha256 ?? '');
        return;
      case 'copied':
        this.copied.add(event.sha256);
        this.copies.set(event.sha256, event.size);
        return;
      case 'dropped':
        this.copies.delete(event.sha256);
        // Images with the same bytes that are admitted later have no copy yet.
        if (this.waitingFor(event.sha256).length === 0) this.copied.delete(event.sha256);
        return;
      case 'deferred':
        this.deferred.push(event.image);
        return;
      case 'lifeEnded':
        this.livesEnded.set(event.life, event.at);
        return;
      case 'tablesLost':
        this.tablesSince = Math.max(this.tablesSince, event.at);
        return;
      case 'listing':
        this.listing = event.files;
        return;
      case 'ended':
        this.casesBefore = this.cases;
        this.cases = this.#casesNow();
        return;
      case 'secret':
        this.secrets.push(event.secret);
        return;
      case 'end':
        this.end = { ...this.end, ...event.end };
        return;
      default:
        return;
    }
  }

  /** What may be on record by now; null if there is no journal to judge by. */
  get recorded(): Books | null {
    const books = this.possible ?? this.books;
    const isGathered = this.possible !== null && !this.settings.journalWasLost;
    return books.entries > 0 || isGathered ? books : null;
  }

  /** What the machine's wall clock shows; null: unknown. */
  wall(at = this.now): number | null {
    return this.#clock && this.#clock.wall + at - this.#clock.at;
  }

  arrival(id: number): Arrival {
    const found = this.#byId.get(id);
    if (!found) throw new Error(`There is no evidence of request ${id}.`);
    return found;
  }

  /** Requests for a document so far, in the order of their arrival. */
  arrivalsOf(uid: string, name: string | null): readonly Arrival[] {
    return this.#ofName.get(keyOf(uid, name)) ?? [];
  }

  folder(path: string): FolderRule | undefined {
    return this.settings.folders.find((each) => each.path === path);
  }

  /** How long these bytes have been unchanged somewhere at most, now or earlier. */
  restedMs(sha256: string): number {
    const lying = [...this.files.values()].filter((file) => file.sha256 === sha256);
    return Math.max(this.#rested.get(sha256) ?? -Infinity, ...lying.map(({ since }) => this.now - since));
  }

  /** Whether these bytes are a complete image, or have looked like one for so long that they count as one. */
  isWhole(sha256: string): boolean {
    const content = this.contents.get(sha256);
    if (content?.is === 'image') return true;
    const longMs = Math.min(...this.settings.folders.map((each) => each.longMs ?? 0));
    return content?.is === 'growing' && this.now - content.since >= longMs;
  }

  /** Documents with these bytes that wait to be sent. */
  waitingFor(sha256: string): readonly { readonly name: string }[] {
    const isWaiting = ({ state }: { state: string }): boolean => state === 'queued' || state === 'uploading';
    return [...this.books.documents.values()].filter((each) => each.sha256 === sha256 && isWaiting(each));
  }

  /** Whether the journal knows a deferred image at the place where it was seen. */
  isAdmitted(image: Deferred): boolean {
    return this.hasDocument(image) && this.books.isSeenAt(image.sha256, image.folder, image.path);
  }

  hasDocument({ uid, sha256, isFile }: Deferred): boolean {
    return isFile === true || this.books.documentOf(uid, sha256) !== undefined;
  }

  /** Whether so many bytes fit into the spool beside copies that wait for people; if not, a scan waits in its folder. */
  hasRoom(bytes: number): boolean {
    const { spoolLimit = null } = this.settings;
    if (spoolLimit === null) return true;
    let used = bytes;
    for (const size of this.copies.values()) used += size;
    return used <= spoolLimit;
  }

  pagesOf(file: string | null): readonly Page[] | null {
    return this.contents.get(file ?? '')?.pages ?? null;
  }

  /** Documents with an image of this page. */
  pageDocuments(uid: string, file: string, page: number): KnownDocument[] {
    const images = [...(this.#imagesOf.get(keyOf(file, String(page))) ?? [])];
    return images.flatMap((image) => this.books.documentOf(uid, image) ?? []);
  }

  /** The row of a file that `list --json` gives, as a verdict. */
  rowAt(
    path: string,
  ):
    { readonly verdict: string; readonly sha256: string | null; readonly reason: string | null } | undefined {
    if (this.#rows.size === 0) for (const row of this.end.rows ?? []) this.#rows.set(row.path, row);
    const row = this.#rows.get(path);
    return row && { ...row, verdict: isDocument(row) ? 'document' : row.state };
  }

  standings(): readonly Standing[] {
    const { rows } = this.end;
    if (rows) return (this.#standings ??= rows.filter(isDocument).map((row) => this.#standingOf(row)));
    return [...this.books.documents.values()].map((each) => ({
      ...each,
      answerLost: each.unknown > 0,
      attempts: each.begun,
      path: null,
      createdAt: null,
    }));
  }

  isStored(uid: string, name: string | null, sha256: string): boolean {
    if (this.#stored.size === 0)
      for (const each of this.end.stored ?? [])
        this.#stored.add(`${keyOf(each.uid, each.name)} ${each.sha256}`);
    return this.#stored.has(`${keyOf(uid, name)} ${sha256}`);
  }

  /** What the service has. */
  stored(): readonly Stored[] {
    if (this.end.stored) return this.end.stored;
    const found = new Map<string, Stored>();
    for (const { isStored, uid, name, sha256 } of this.arrivals) {
      if (!isStored || sha256 === null) continue;
      const key = `${keyOf(uid, name)} ${sha256}`;
      found.set(key, { uid, name, sha256, tries: (found.get(key)?.tries ?? 0) + 1 });
    }
    return [...found.values()];
  }

  /** An answer is also lost if the journal has a request without an end. */
  #standingOf({ endpointUid, ...row }: Row): Standing {
    const told = this.books.documentNamed(endpointUid ?? '', row.name ?? '');
    const isLost = told !== undefined && told.unknown + told.begun - told.ended > 0;
    return {
      ...row,
      uid: endpointUid ?? '',
      sha256: row.sha256 ?? '',
      answerLost: row.answerLost || isLost,
      attempts: row.attempts ?? null,
      createdAt: row.createdAt ?? null,
    };
  }

  #casesNow(): Map<string, number> {
    const cases = new Map<string, number>();
    const add = (kind: string, key: string): void => {
      const status = STATUS_OF[kind];
      if (status !== undefined) cases.set(`${kind} ${key}`, status);
    };
    for (const { uid, name, state, begun } of this.books.documents.values())
      add(state, `${uid} ${name} ${begun}`);
    for (const [path, { verdict, entry }] of this.books.lastSeen)
      if (this.listing?.has(path)) add(verdict, `${path} ${entry}`);
    return cases;
  }

  #content(content: Content): void {
    const { sha256, of } = content;
    const known = this.contents.get(sha256);
    if (of) {
      this.pagesBehind.set(sha256, [...(this.pagesBehind.get(sha256) ?? []), of]);
      const page = keyOf(of.file, String(of.page));
      this.#imagesOf.set(page, (this.#imagesOf.get(page) ?? new Set()).add(sha256));
    }
    if (known?.is === 'image') return;
    this.contents.set(content.sha256, { ...content, since: known?.since ?? this.now });
  }

  #file({ folder, path, sha256, size = 0, isUntellable, at }: Event & { kind: 'file' }): void {
    const place = `${folder}/${path}`;
    const before = this.files.get(place);
    if (before)
      this.#rested.set(
        before.sha256,
        Math.max(this.#rested.get(before.sha256) ?? -Infinity, at - before.since),
      );
    if (sha256 === null) this.files.delete(place);
    else this.files.set(place, { folder, path, sha256, size, since: at });
    if (isUntellable) this.untellable.add(keyOf(folder, sha256));
  }

  #scanned({ folder, path, sha256 }: Event & { kind: 'scanned' }): void {
    const uid = this.folder(folder)?.uid ?? '';
    const document = this.books.documentOf(uid, sha256);
    const file = this.files.get(`${folder}/${path}`);
    if (mayBeKept(this, folder, sha256)) return;
    if (document?.state === 'failed' && file && !this.books.isSeenAt(sha256, folder, path))
      this.again.push({ ...file, uid, begun: document.begun });
  }

  #request(request: Request): void {
    const arrival = {
      ...request,
      wall: this.wall(request.at),
      isStored: false,
      answer: null,
      answeredAt: Infinity,
      endedAt: Infinity,
    };
    this.now = Math.max(this.now, request.at);
    this.arrivals.push(arrival);
    this.#byId.set(request.id, arrival);
    this.books.arrived(request.uid, request.name, request.id);
    const key = keyOf(request.uid, request.name);
    const same = this.#ofName.get(key);
    if (same) same.push(arrival);
    else this.#ofName.set(key, [arrival]);
  }
}

function isDocument({ state }: Row): boolean {
  return DOCUMENT_STATES.has(state);
}
