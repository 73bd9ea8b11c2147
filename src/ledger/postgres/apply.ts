import type { LedgerEvent, Move } from '../events.ts';
import { foldedUnlessAscii } from '../../core/domain/search.ts';
import { pauseParams } from '../holdOver.ts';
import { resultParams } from '../resultRows.ts';
import { EventSets, type Sending, type TimedEvent } from './eventSets.ts';
import { ORIGINALS } from './sql/disposals.ts';
import * as DOCUMENTS from './sql/documents.ts';
import * as ENDPOINTS from './sql/endpoints.ts';
import * as HOLDS from './sql/holds.ts';
import * as PAGES from './sql/pages.ts';
import * as QUEUE from './sql/queue.ts';
import * as RESULTS from './sql/results.ts';
import * as SIGHTINGS from './sql/sightings.ts';

/**
 * The only place where events become rows. Decides nothing: an event contains all decisions. Rows of its folder and
 * endpoint exist already (`ReferencedRows`).
 */
export function applyAll(sql: Sending, told: readonly TimedEvent[], gone = goneIn(told)): void {
  const sets = new EventSets(gone);
  for (const each of told) {
    if (sets.take(each)) continue;
    sets.sendTo(sql);
    applyOne(sql, each.event, each.at, gone);
  }
  sets.sendTo(sql);
}

/** When sightings are gone by the end of these events. Their rows begin so: another one may be current at the path. */
function goneIn(told: readonly TimedEvent[]): ReadonlyMap<number, number> {
  const gone = new Map<number, number>();
  for (const { event, at } of told)
    if (event.kind === 'gone') for (const sighting of event.sightings) gone.set(sighting, at);
  return gone;
}

/** Applies a single event. */
export function apply(sql: Sending, event: LedgerEvent, at: number): void {
  applyAll(sql, [{ event, at }]);
}

function applyOne(sql: Sending, event: LedgerEvent, at: number, gone: ReadonlyMap<number, number>): void {
  const { agentId } = sql.session;
  switch (event.kind) {
    case 'sighted':
      return applySighted(sql, event, at, gone);
    case 'gone':
      sql.send(SIGHTINGS.GONE, { ids: event.sightings, at });
      return;
    case 'dismissed':
    case 'undismissed': {
      const dismissed = event.kind === 'dismissed' ? { at, by: event.by } : { at: null, by: null };
      if (event.documents.length > 0) sql.send(DOCUMENTS.DISMISS, { ids: event.documents, ...dismissed });
      if (event.sightings.length > 0) sql.send(SIGHTINGS.DISMISS, { ids: event.sightings, ...dismissed });
      return;
    }
    case 'watched':
      sql.send(SIGHTINGS.MARK_WATCHED, { ...sql.places.ofFolder(event.folder), at });
      return;
    case 'placed':
      sql.send(SIGHTINGS.SET_FOLDER_MARK, {
        ...sql.places.ofFolder(event.folder),
        agentId,
        mark: event.mark,
      });
      return;
    case 'originals': {
      const { rule, stays } = event;
      sql.send(ORIGINALS.SET_ORIGINALS_RULE, { ...sql.places.ofFolder(event.folder), rule, stays });
      return;
    }
    case 'moved':
      return applyMove(sql, event.documents, event, at);
    case 'result': {
      const { document: id, status } = event;
      sql.send(RESULTS.INSERT_RESULT, { ...resultParams(event), agentId, at });
      if (id !== null && status !== null) sql.send(RESULTS.SET_STATUS, { id, status, at });
      return;
    }
    case 'disposing':
      sql.send(SIGHTINGS.DISPOSING, { id: event.sighting, how: event.how, at });
      return;
    case 'disposed': {
      const { sighting: id, how, archivedTo } = event;
      sql.send(SIGHTINGS.DISPOSED, { id, how, archivedTo, at });
      return;
    }
    case 'endpoint': {
      const { endpoint, name, record } = event;
      sql.send(ENDPOINTS.RECORD_ENDPOINT, { baseUrl: endpoint.baseUrl, uid: endpoint.uid, name, record, at });
      return;
    }
    case 'act':
      sql.send(ENDPOINTS.INSERT_ACT, { agentId, at, kind: event.act, by: event.by, detail: event.detail });
      return;
    case 'paused': {
      const key = sql.places.ofKey(event.scope, event.key);
      sql.send(HOLDS.PUT_HOLD, { ...pauseParams(event, at), key, sharedMs: null, agentId: 0 });
      return;
    }
    case 'resumed':
      sql.send(HOLDS.CLEAR_PAUSE, { scope: event.scope, key: sql.places.ofKey(event.scope, event.key) });
      return;
    case 'erased': {
      const ids = event.documents;
      sql.send(DOCUMENTS.ERASE_DOCUMENTS, { ids, at });
      sql.send(DOCUMENTS.ERASE_ATTEMPTS, { ids });
      sql.send(DOCUMENTS.ERASE_SIGHTINGS, { ids, sightings: event.sightings ?? [], at });
      sql.send(RESULTS.ERASE_RESULTS, { ids });
      return;
    }
    case 'renamed':
      sql.send(DOCUMENTS.RENAME, {
        id: event.document,
        name: event.name,
        foldedName: foldedUnlessAscii(event.name),
        at,
      });
      return;
    // Handled in sets (eventSets.ts).
    case 'named':
    case 'began':
    case 'ended':
    // In the chain only.
    case 'begun':
    case 'continued':
    case 'restored':
    case 'rebuilt':
    case 'imported':
  }
}

/** A sighting that replaces another, updates one that was judged again, or is about a file with pages. */
function applySighted(
  sql: Sending,
  event: SightedEvent,
  at: number,
  gone: ReadonlyMap<number, number>,
): void {
  const { sighting: id, supersedes, document: documentId } = event;
  const { verdict, sha256, policy, reason, message, size, mtimeNs, ctimeNs, inode } = event;
  if (supersedes === id) {
    const row = { size, mtimeNs, ctimeNs, inode, verdict, documentId, sha256, policy, reason, message };
    sql.send(SIGHTINGS.UPDATE_SIGHTING, { id, ...row, at });
    return applySplit(sql, event);
  }
  if (supersedes !== null) sql.send(SIGHTINGS.GONE, { ids: [supersedes], at });
  const { file: _file, pages: _pages, into: _into, ...plain } = event;
  applyAll(sql, [{ event: { ...plain, supersedes: null }, at }], gone);
  applySplit(sql, event);
}

/** Columns that only split files and their pages use. */
function applySplit(sql: Sending, { sighting: id, file, pages, into }: SightedEvent): void {
  if (file !== undefined) sql.send(PAGES.SET_FILE, { id, file });
  if (pages !== undefined)
    sql.send(PAGES.SET_SPLIT, { id, pages, baseUrl: into?.baseUrl ?? null, uid: into?.uid ?? null });
}

type SightedEvent = Extract<LedgerEvent, { kind: 'sighted' }>;

function applyMove(sql: Sending, ids: readonly number[], move: Move, at: number): void {
  switch (move.state) {
    case 'accepted':
      return;
    case 'failed':
    case 'unconfirmed':
    case 'lost': {
      const { state, reason, message } = move;
      sql.send(QUEUE.SETTLE, { ids, state, reason, message, at });
      return;
    }
    case 'queued':
      switch (move.how) {
        case 'later': {
          const { notBefore, reason, message, answerLost, serverError } = move;
          const flags = { answerLost: Number(answerLost), serverError: Number(serverError) };
          sql.send(QUEUE.QUEUE_LATER, { ids, notBefore, reason, message, ...flags, at });
          return;
        }
        case 'atEnd': {
          const { line, reason, message } = move;
          sql.send(QUEUE.QUEUE_AT_END, { ids, line, reason, message, at });
          sql.send(ENDPOINTS.GAVE_LINE_OF, { ids, line });
          return;
        }
        case 'again':
          sql.send(DOCUMENTS.QUEUE_AGAIN, { ids, at });
          return;
        case 'arrived': {
          const { line, lane } = move;
          sql.send(DOCUMENTS.QUEUE_AS_ARRIVED, { ids, lane, line, at });
          sql.send(ENDPOINTS.GAVE_LINE_OF, { ids, line });
        }
      }
  }
}
