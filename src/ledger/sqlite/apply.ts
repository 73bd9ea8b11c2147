import type { LedgerEvent, Move } from '../events.ts';
import { foldedUnlessAscii } from '../../core/domain/search.ts';
import { tookId, tookNumbers } from './numbers.ts';
import { ensureEndpoint, ensureFolder } from './ids.ts';
import { pauseParams } from '../holdOver.ts';
import { resultParams } from '../resultRows.ts';
import { splitPath } from '../rows.ts';
import * as DISPOSALS from './sql/disposals.ts';
import * as DOCUMENTS from './sql/documents.ts';
import * as ENDPOINTS from './sql/endpoints.ts';
import * as HOLDS from './sql/holds.ts';
import { ADD_ERASURE } from './sql/journal.ts';
import * as PAGES from './sql/pages.ts';
import * as QUEUE from './sql/queue.ts';
import * as RESULTS from './sql/results.ts';
import * as SIGHTINGS from './sql/sightings.ts';
import type { Sql } from './statements.ts';

/**
 * The only place where an event becomes rows, both when it happens and when the ledger is rebuilt from its journal.
 * Decides nothing: the event contains all decisions.
 */
export function apply(sql: Sql, event: LedgerEvent, at: number): void {
  switch (event.kind) {
    case 'named': {
      const { document: id, endpoint, name, sha256, type, size, lane, line, seq, folder, path } = event;
      const endpointId = ensureEndpoint(sql, endpoint);
      const folderId = ensureFolder(sql, folder);
      const row = { id, endpointId, folderId, name, sha256, type, size, lane, line, path, at };
      const folded = { foldedName: foldedUnlessAscii(name), foldedPath: foldedUnlessAscii(path) };
      sql.run(DOCUMENTS.INSERT_DOCUMENT, { ...row, ...folded });
      sql.run(ENDPOINTS.GAVE_LINE, { id: endpointId, line });
      if (seq !== null) sql.run(ENDPOINTS.GAVE_SEQ, { id: endpointId, seq });
      tookId(sql, 'documents', id);
      tookNumbers(sql, endpointId, { line, seq });
      return;
    }
    case 'sighted':
      return applySighted(sql, event, at);
    case 'gone':
      for (const id of event.sightings) sql.run(SIGHTINGS.GONE, { id, at });
      return;
    case 'dismissed':
    case 'undismissed': {
      const dismissed = event.kind === 'dismissed' ? { at, by: event.by } : { at: null, by: null };
      for (const id of event.documents) sql.run(DOCUMENTS.DISMISS, { id, ...dismissed });
      for (const id of event.sightings) sql.run(SIGHTINGS.DISMISS, { id, ...dismissed });
      return;
    }
    case 'watched':
      sql.run(SIGHTINGS.ENSURE_FOLDER, { folder: event.folder });
      sql.run(SIGHTINGS.MARK_WATCHED, { folder: event.folder, at });
      return;
    case 'placed':
      sql.run(SIGHTINGS.ENSURE_FOLDER, { folder: event.folder });
      sql.run(SIGHTINGS.SET_FOLDER_MARK, { folder: event.folder, mark: event.mark });
      return;
    case 'originals': {
      const { folder, rule, stays } = event;
      sql.run(SIGHTINGS.ENSURE_FOLDER, { folder });
      sql.run(DISPOSALS.ORIGINALS.SET_ORIGINALS_RULE, { folder, rule, stays });
      return;
    }
    case 'began': {
      const { attempt, document: id, bytes } = event;
      sql.run(QUEUE.BEGIN_UPLOAD, { id, at });
      sql.run(QUEUE.INSERT_ATTEMPT, { attempt, id, bytes, at });
      tookId(sql, 'attempts', attempt);
      return;
    }
    case 'ended': {
      const { attempt: id, outcome, httpStatus, message } = event;
      sql.run(QUEUE.END_ATTEMPT, { id, at, outcome, httpStatus, message });
      return;
    }
    case 'moved':
      for (const id of event.documents) applyMove(sql, id, event, at);
      return;
    case 'result': {
      const { document: id, status } = event;
      sql.run(RESULTS.INSERT_RESULT, { ...resultParams(event), at });
      if (id !== null && status !== null) sql.run(RESULTS.SET_STATUS, { id, status, at });
      return;
    }
    case 'disposing':
      sql.run(DISPOSALS.DISPOSING, { id: event.sighting, how: event.how, at });
      return;
    case 'disposed': {
      const { sighting: id, how, archivedTo } = event;
      sql.run(DISPOSALS.DISPOSED, { id, how, archivedTo, at });
      return;
    }
    case 'endpoint': {
      const { endpoint, name, record } = event;
      sql.run(ENDPOINTS.RECORD_ENDPOINT, { baseUrl: endpoint.baseUrl, uid: endpoint.uid, name, record, at });
      return;
    }
    case 'act':
      sql.run(ENDPOINTS.INSERT_ACT, { at, kind: event.act, by: event.by, detail: event.detail });
      return;
    case 'paused':
      sql.run(HOLDS.PUT_HOLD, pauseParams(event, at));
      return;
    case 'resumed':
      sql.run(HOLDS.CLEAR_HOLD, { scope: event.scope, key: event.key, reason: 'PAUSED' });
      return;
    case 'erased':
      for (const id of event.documents) {
        sql.run(DOCUMENTS.ERASE_DOCUMENT, { id, at });
        sql.run(DOCUMENTS.ERASE_ATTEMPTS, { id });
        sql.run(DOCUMENTS.ERASE_SIGHTINGS, { id, at });
        sql.run(RESULTS.ERASE_RESULTS, { id });
      }
      for (const id of event.sightings ?? []) sql.run(DOCUMENTS.ERASE_SIGHTING, { id, at });
      sql.run(ADD_ERASURE, { entries: JSON.stringify(event.entries) });
      return;
    case 'begun':
    case 'continued':
    case 'restored':
    case 'rebuilt':
    case 'imported':
    case 'renamed':
  }
}

function applySighted(sql: Sql, event: SightedEvent, at: number): void {
  const { sighting: id, supersedes, folder, path, document: documentId } = event;
  const { verdict, sha256, policy, reason, message, size } = event;
  const identity = {
    size,
    mtimeNs: BigInt(event.mtimeNs),
    ctimeNs: BigInt(event.ctimeNs),
    inode: BigInt(event.inode),
  };
  const row = { id, ...identity, verdict, documentId, sha256, policy, reason, message, at };
  if (supersedes === id) {
    sql.run(SIGHTINGS.UPDATE_SIGHTING, row);
    applySplit(sql, event);
    return;
  }
  if (supersedes !== null) sql.run(SIGHTINGS.GONE, { id: supersedes, at });
  // Two erased sightings must not share a path.
  const place = splitPath(path === '' ? `?${id}` : path);
  const foldedPath = foldedUnlessAscii(path);
  sql.run(SIGHTINGS.INSERT_SIGHTING, { folderId: ensureFolder(sql, folder), ...place, foldedPath, ...row });
  tookId(sql, 'sightings', id);
  applySplit(sql, event);
}

/** Columns that only split files and their pages use. */
function applySplit(sql: Sql, { sighting: id, file, pages, into = null }: SightedEvent): void {
  if (file !== undefined) sql.run(PAGES.SET_FILE, { id, file });
  if (pages === undefined) return;
  const endpointId = into === null ? null : ensureEndpoint(sql, into);
  sql.run(PAGES.SET_SPLIT, { id, pages, endpointId });
}

type SightedEvent = Extract<LedgerEvent, { kind: 'sighted' }>;

function applyMove(sql: Sql, id: number, move: Move, at: number): void {
  switch (move.state) {
    case 'accepted': {
      const { status: serviceStatus, response } = move;
      sql.run(QUEUE.ACCEPT, { id, serviceStatus, response, at });
      return;
    }
    case 'failed':
    case 'unconfirmed':
    case 'lost': {
      const { state, reason, message } = move;
      sql.run(QUEUE.SETTLE, { id, state, reason, message, at });
      return;
    }
    case 'queued':
      switch (move.how) {
        case 'later': {
          const { notBefore, reason, message, answerLost, serverError } = move;
          const flags = { answerLost: Number(answerLost), serverError: Number(serverError) };
          sql.run(QUEUE.QUEUE_LATER, { id, notBefore, reason, message, ...flags, at });
          return;
        }
        case 'atEnd': {
          const { line, reason, message } = move;
          sql.run(QUEUE.QUEUE_AT_END, { id, line, reason, message, at });
          gaveLineOf(sql, id, line);
          return;
        }
        case 'again':
          sql.run(DOCUMENTS.QUEUE_AGAIN, { id, at });
          return;
        case 'arrived': {
          const { line, lane } = move;
          sql.run(DOCUMENTS.QUEUE_AS_ARRIVED, { id, lane, line, at });
          gaveLineOf(sql, id, line);
        }
      }
  }
}

function gaveLineOf(sql: Sql, documentId: number, line: number): void {
  const row = sql.get<{ endpointId: number }>(QUEUE.DOCUMENT_STANDING, { id: documentId });
  if (!row) return;
  sql.run(ENDPOINTS.GAVE_LINE, { id: row.endpointId, line });
  tookNumbers(sql, row.endpointId, { line, seq: null });
}
