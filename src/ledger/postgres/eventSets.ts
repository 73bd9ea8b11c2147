import { foldedUnlessAscii } from '../../core/domain/search.ts';
import type { LedgerEvent } from '../events.ts';
import { splitPath } from '../rows.ts';
import type { Places } from './places.ts';
import type { Session } from './session.ts';
import * as DOCUMENTS from './sql/documents.ts';
import * as ENDPOINTS from './sql/endpoints.ts';
import * as QUEUE from './sql/queue.ts';
import * as SIGHTINGS from './sql/sightings.ts';
import type { Params } from './statements.ts';

/** What applying needs from a transaction: statements are sent without waiting for answers. */
export interface Sending {
  readonly session: Session;
  readonly places: Places;
  send(text: string, params?: Params): void;
}

/** An event and its time (milliseconds). */
export interface TimedEvent<Event extends LedgerEvent = LedgerEvent> {
  readonly event: Event;
  readonly at: number;
}

type Of<Kind extends LedgerEvent['kind']> = TimedEvent<Extract<LedgerEvent, { kind: Kind }>>;
type Accepted = TimedEvent<Extract<LedgerEvent, { kind: 'moved'; state: 'accepted' }>>;

/**
 * Collects events of the kinds that every document has: all events of one kind become rows in one statement. The order
 * of the kinds is fixed, and matches the order of a document's own events.
 */
export class EventSets {
  readonly #gone: ReadonlyMap<number, number>;
  #named: Of<'named'>[] = [];
  #sighted: Of<'sighted'>[] = [];
  #began: Of<'began'>[] = [];
  #ended: Of<'ended'>[] = [];
  #accepted: Accepted[] = [];

  /** `gone`: when sightings are gone, by their ids. */
  constructor(gone: ReadonlyMap<number, number>) {
    this.#gone = gone;
  }

  /** Collects the event. False if it needs its own statements; it is not collected then. */
  take({ event, at }: TimedEvent): boolean {
    switch (event.kind) {
      case 'named':
        this.#named.push({ event, at });
        return true;
      case 'sighted':
        if (event.supersedes !== null || event.file !== undefined || event.pages !== undefined) return false;
        this.#sighted.push({ event, at });
        return true;
      case 'began':
        this.#began.push({ event, at });
        return true;
      case 'ended':
        this.#ended.push({ event, at });
        return true;
      case 'moved':
        if (event.state !== 'accepted') return false;
        this.#accepted.push({ event, at });
        return true;
      default:
        return false;
    }
  }

  /** Sends the statements without waiting for answers. */
  sendTo(sql: Sending): void {
    if (this.#named.length > 0) insertNamed(sql, this.#named);
    if (this.#sighted.length > 0) insertSighted(sql, this.#sighted, this.#gone);
    if (this.#began.length > 0) beginUploads(sql, this.#began);
    if (this.#ended.length > 0) endAttempts(sql, this.#ended);
    if (this.#accepted.length > 0) accept(sql, this.#accepted);
    this.#named = [];
    this.#sighted = [];
    this.#began = [];
    this.#ended = [];
    this.#accepted = [];
  }
}

function insertNamed(sql: Sending, named: readonly Of<'named'>[]): void {
  const events = named.map(({ event }) => event);
  const places = events.map(({ folder }) => sql.places.ofFolder(folder));
  sql.send(DOCUMENTS.INSERT_DOCUMENTS, {
    agentId: sql.session.agentId,
    ids: events.map(({ document }) => document),
    baseUrls: events.map(({ endpoint }) => endpoint.baseUrl),
    uids: events.map(({ endpoint }) => endpoint.uid),
    places: places.map(({ place }) => place),
    folders: places.map(({ folder }) => folder),
    paths: events.map(({ path }) => path),
    names: events.map(({ name }) => name),
    foldedPaths: events.map(({ path }) => foldedUnlessAscii(path)),
    foldedNames: events.map(({ name }) => foldedUnlessAscii(name)),
    sha256s: events.map(({ sha256 }) => sha256),
    types: events.map(({ type }) => type),
    sizes: events.map(({ size }) => size),
    lanes: events.map(({ lane }) => lane),
    lines: events.map(({ line }) => line),
    ats: named.map(({ at }) => at),
  });
  for (const given of givenBy(events)) sql.send(ENDPOINTS.GAVE, given);
}

/** The last numbers that each endpoint gave out. */
function givenBy(events: readonly Of<'named'>['event'][]) {
  const given = new Map<string, { baseUrl: string; uid: string; line: number; seq: number }>();
  for (const { endpoint, line, seq } of events) {
    const { baseUrl, uid } = endpoint;
    const key = `${baseUrl}#${uid}`;
    const before = given.get(key);
    given.set(key, {
      baseUrl,
      uid,
      line: Math.max(before?.line ?? 0, line),
      seq: Math.max(before?.seq ?? 0, seq ?? 0),
    });
  }
  return given.values();
}

function insertSighted(
  sql: Sending,
  sighted: readonly Of<'sighted'>[],
  gone: ReadonlyMap<number, number>,
): void {
  const events = sighted.map(({ event }) => event);
  const places = events.map(({ folder }) => sql.places.ofFolder(folder));
  // Two erased sightings must not share a path.
  const parts = events.map(({ path, sighting }) => splitPath(path === '' ? `?${sighting}` : path));
  sql.send(SIGHTINGS.INSERT_SIGHTINGS, {
    ids: events.map(({ sighting }) => sighting),
    places: places.map(({ place }) => place),
    folders: places.map(({ folder }) => folder),
    dirs: parts.map(({ dir }) => dir),
    names: parts.map(({ name }) => name),
    foldedPaths: events.map(({ path }) => foldedUnlessAscii(path)),
    sizes: events.map(({ size }) => size),
    mtimesNs: events.map(({ mtimeNs }) => mtimeNs),
    ctimesNs: events.map(({ ctimeNs }) => ctimeNs),
    inodes: events.map(({ inode }) => inode),
    verdicts: events.map(({ verdict }) => verdict),
    documentIds: events.map(({ document }) => document),
    sha256s: events.map(({ sha256 }) => sha256),
    policies: events.map(({ policy }) => policy),
    reasons: events.map(({ reason }) => reason),
    messages: events.map(({ message }) => message),
    ats: sighted.map(({ at }) => at),
    goneAts: events.map(({ sighting }) => gone.get(sighting) ?? null),
  });
}

function beginUploads(sql: Sending, began: readonly Of<'began'>[]): void {
  const { agentId, epoch } = sql.session;
  const ids = began.map(({ event }) => event.document);
  const ats = began.map(({ at }) => at);
  const attempts = began.map(({ event }) => event.attempt);
  sql.send(QUEUE.BEGIN_UPLOADS, { ids, ats, agentId, epoch });
  sql.send(QUEUE.INSERT_ATTEMPTS, {
    attempts,
    ids,
    ats,
    bytes: began.map(({ event }) => event.bytes),
    agentId,
    epoch,
  });
}

function endAttempts(sql: Sending, ended: readonly Of<'ended'>[]): void {
  sql.send(QUEUE.END_ATTEMPTS, {
    ids: ended.map(({ event }) => event.attempt),
    ats: ended.map(({ at }) => at),
    outcomes: ended.map(({ event }) => event.outcome),
    httpStatuses: ended.map(({ event }) => event.httpStatus),
    messages: ended.map(({ event }) => event.message),
  });
}

function accept(sql: Sending, accepted: readonly Accepted[]): void {
  const each = accepted.flatMap(({ event, at }) => event.documents.map((id) => ({ id, event, at })));
  sql.send(QUEUE.ACCEPT, {
    ids: each.map(({ id }) => id),
    statuses: each.map(({ event }) => event.status),
    responses: each.map(({ event }) => event.response),
    ats: each.map(({ at }) => at),
  });
}
