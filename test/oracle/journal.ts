/** The journal, read by its description in docs/audit.md. */
/* oxlint-disable typescript/no-unnecessary-type-parameters -- the kind of an entry decides what its fields are */
import { createHash } from 'node:crypto';

export interface Entry {
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

/** The chain of one agent in a shared ledger, from the table `history`. */
export function readChain(
  lines: readonly { readonly entry: string; readonly hash: string; readonly personal: string }[],
  head: { readonly seq: number; readonly hash: string },
): Journal {
  const text = lines.map(({ entry, hash, personal }) => `${entry}\t${hash}\t${personal}\n`).join('');
  const { entries, problem } = readJournal(text);
  const { seq = 0, hash = '0'.repeat(64) } = entries.at(-1) ?? {};
  const isWhole = seq === head.seq && hash === head.hash;
  return {
    entries,
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
  /** Its first sighting. */
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

export interface Sighting {
  readonly id: number;
  readonly folder: string;
  readonly path: string;
  readonly verdict: string;
  readonly reason: string | null;
  readonly sha256: string | null;
  readonly entry: number;
}

/** What the entries say so far. */
export class Books {
  readonly documents = new Map<number, KnownDocument>();
  readonly attempts = new Map<number, Attempt>();
  /** The newest attempt of each document. */
  readonly #newest = new Map<number, Attempt>();
  readonly #byImage = new Map<string, KnownDocument>();
  readonly #byName = new Map<string, KnownDocument>();
  /** Current sightings by id, and the last one at each path. */
  readonly sightings = new Map<number, Sighting>();
  readonly lastSeen = new Map<string, Sighting>();
  /** Disposals announced and not finished, by sighting. */
  readonly intents = new Map<number, Sighting & { readonly how: string }>();
  /** Files being split, by sighting. */
  readonly open = new Map<number, { readonly uid: string; readonly sha256: string }>();
  /** The endpoint of the file whose splitting the last entry ended. */
  justSplit: string | null = null;
  /** For each folder, the last sighting exempt from its rule for originals. */
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

  sightingAt(folder: string, path: string): Sighting | undefined {
    return this.sightings.get(this.#current.get(`${folder}/${path}`) ?? -1);
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
    this.justSplit = null;
    const field = <T>(key: string): T => ({ ...facts, ...personal })[key] as T;
    const document = this.documents.get(field<number>('document'));
    switch (kind) {
      case 'named':
        return this.#named(field);
      case 'renamed':
        if (document) this.#rename(document, field('name'));
        return;
      case 'sighted':
        return this.#sighted(seq, field, document);
      case 'gone':
        for (const id of field<number[]>('sightings')) this.sightings.delete(id);
        return;
      case 'originals':
        this.#stays.set(field('folder'), field('stays'));
        return;
      case 'disposing': {
        const sighting = this.sightings.get(field('sighting'));
        if (field('how') === null) this.intents.delete(field('sighting'));
        else if (sighting) this.intents.set(sighting.id, { ...sighting, how: field('how') });
        return;
      }
      case 'disposed':
        this.intents.delete(field('sighting'));
        if (field('how') !== 'kept') this.sightings.delete(field('sighting'));
        if (field('archivedTo')) this.archived.push(field('archivedTo'));
        return;
      case 'began':
        if (document) {
          document.begun += 1;
          const { id, uid } = document;
          const attempt = { uid, beganAt: wallOf(at), endedAt: null, arrival: null };
          this.attempts.set(field('attempt'), attempt);
          this.#newest.set(id, attempt);
        }
        return this.#move(document, 'uploading');
      case 'ended':
        if (!document) return;
        Object.assign(this.attempts.get(field('attempt')) ?? {}, { endedAt: wallOf(at) });
        document.ended += 1;
        if (field('outcome') === 'unknown') document.unknown += 1;
        return;
      case 'result':
        if (!document) return;
        document.hasResult = true;
        document.status = field<string | null>('status') ?? document.status;
        return;
      case 'moved':
        for (const id of field<number[]>('documents')) {
          const moved = this.documents.get(id);
          this.#move(moved, field('state'), field<string | undefined>('reason') ?? null);
          if (!moved || field('state') !== 'accepted') continue;
          // What is not named stays.
          moved.status = field<string | null | undefined>('status') ?? moved.status;
          moved.accepted += 1;
        }
        return;
      case 'rebuilt':
        this.rebuilt += 1;
        return;
    }
  }

  #named(field: <T>(key: string) => T): void {
    const { uid } = field<{ uid: string }>('endpoint');
    const [id, name, sha256] = [field<number>('document'), field<string>('name'), field<string>('sha256')];
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
    this.#seenAt(sha256, field('folder'), field<string | undefined>('path') ?? '');
  }

  #rename(document: KnownDocument, name: string): void {
    document.name = name;
    this.#byName.set(`${document.uid} ${name}`, document);
  }

  #move(document: KnownDocument | undefined, state: string, reason: string | null = null): void {
    if (!document) return;
    Object.assign(document, { before: document.state, state, reason });
    document.states.add(state);
  }

  #sighted(entry: number, field: <T>(key: string) => T, document: KnownDocument | undefined): void {
    const [id, supersedes] = [field<number>('sighting'), field<number | null>('supersedes')];
    const [folder, path] = [field<string>('folder'), field<string | undefined>('path') ?? ''];
    const sha256 = document?.sha256 ?? field<string | null>('sha256');
    const [verdict, reason] = [field<string>('verdict'), field<string | null>('reason')];
    const wasThere = this.sightings.has(id);
    if (supersedes !== null) this.sightings.delete(supersedes);
    const sighting = { id, folder, path, verdict, reason, sha256, entry };
    // A later verdict on a sighting that is gone does not make its file present again.
    if (supersedes !== id || wasThere) {
      this.sightings.set(id, sighting);
      this.#current.set(`${folder}/${path}`, id);
    }
    if (document) document.firstSeen = Math.min(document.firstSeen, id);
    this.lastSeen.set(`${folder}/${path}`, sighting);
    const into = field<{ uid: string } | null | undefined>('into');
    if (!into && field('pages') !== undefined) this.justSplit = this.open.get(id)?.uid ?? null;
    if (into && sha256 !== null) this.open.set(id, { uid: into.uid, sha256 });
    else this.open.delete(id);
    if (sha256 === null) return;
    if (!this.#firstOfBytes.has(sha256)) this.#firstOfBytes.set(sha256, id);
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
