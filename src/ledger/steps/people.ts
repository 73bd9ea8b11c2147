import type { CountAnswer, DismissItem, Done, EraseItem, HoldItem, RecordItem } from '../../core/messages.ts';
import { isUndecided, NO_RECEIPT } from '../../core/domain/needsPerson.ts';
import { CHAIN, holdId, endpointIdOf } from '../entries.ts';
import { columnsOf, OWN } from '../schema.ts';
import type { Work } from '../work.ts';
import { makePlaces } from './places.ts';

const OPEN_HOLDS = `SELECT ${columnsOf('holds', 'h')} FROM holds h WHERE h.open = 1`;

/** Puts holds and pauses, replacing those of the same scope, key and kind, and ends them. */
export async function hold(work: Work, items: readonly HoldItem[]): Promise<readonly Done[]> {
  await work.find('holds', OPEN_HOLDS, null);
  await work.loadAll({
    holds: items.map(({ scope, key, isPause }) => holdId(scope, key, isPause, work.base)),
  });
  return items.map(({ scope, key, hold: put, isPause, sharedMs, reason: only, isEveryones, at }) => {
    const paused = isPause ? (true as const) : undefined;
    if (put !== null) {
      const { reason, message: why, demandedUntil } = put;
      const until = put.until === null ? null : Math.ceil(put.until);
      const known = work.rows.holds.get(holdId(scope, key, isPause, work.base));
      const isOwn = known?.open === 1 && known.shared_until === OWN && demandedUntil === null;
      const shared = sharedMs === undefined ? undefined : Math.ceil(work.head.now + sharedMs);
      const sharedUntil = isOwn ? OWN : shared;
      work.add({ kind: 'hold', scope, key, paused, sharedUntil, reason, why, until, demandedUntil }, at);
      return { isDone: true };
    }
    const open = [...work.rows.holds.values()].filter(
      (row) => row.open === 1 && row.scope === scope && row.key === key && (row.paused === 1) === isPause,
    );
    let isDone = false;
    for (const { agent, reason, shared_until: until } of open) {
      const isMine = isPause || agent === work.agent;
      const of = isMine ? undefined : agent * CHAIN;
      // Found to be over for this agent: what another goes on running into is its own.
      const isOver = until !== null && until !== OWN && until <= work.head.now;
      if (isEveryones === true || (isMine && (only === undefined || reason === only)))
        work.add({ kind: 'released', scope, key, paused, of }, at);
      else if (!isMine && isOver) work.add({ kind: 'released', scope, key, of, isOwn: true }, at);
      else continue;
      isDone = true;
    }
    return { isDone };
  });
}

const UNSENT: readonly string[] = ['rejected', 'incomplete', 'unreadable'];

/** Marks cases as needing nobody any more, or takes that back; skips those that need nobody anyway. */
export async function dismiss(work: Work, items: readonly DismissItem[]): Promise<readonly CountAnswer[]> {
  await work.loadAll({
    documents: items.flatMap(({ documents }) => documents),
    files: items.flatMap(({ files }) => files),
  });
  return items.map(({ isUndo, by, at, ...cases }) => {
    const documents = [...new Set(cases.documents)].filter((id) => {
      const row = work.rows.documents.get(id);
      return row !== undefined && isUndecided(row.state) && (row.dismissed_at !== null) === isUndo;
    });
    const files = [...new Set(cases.files)].filter((id) => {
      const row = work.rows.files.get(id);
      if (row?.gone_at !== null || (row.dismissed_at !== null) !== isUndo) return false;
      return (
        isUndo || (UNSENT.includes(row.verdict) && !(row.verdict === 'rejected' && row.reason === NO_RECEIPT))
      );
    });
    const count = documents.length + files.length;
    const ref = (ids: readonly number[]): number[] => ids.map((id) => work.ref(id)).sort((a, b) => a - b);
    if (count > 0)
      work.add(
        { kind: isUndo ? 'undismissed' : 'dismissed', documents: ref(documents), files: ref(files), by },
        at,
      );
    return { count };
  });
}

/** What people did, and records of endpoints. */
export async function record(work: Work, items: readonly RecordItem[]): Promise<readonly Done[]> {
  await makePlaces(
    work,
    items.flatMap((item) => (item.record === 'endpoint' ? [item] : [])),
  );
  return items.map((item) => {
    switch (item.record) {
      case 'act':
        work.add({ kind: 'act', act: item.act, by: item.by, detail: item.detail }, item.at);
        break;
      case 'restored': {
        const { because, fromSeq, isWhole } = item;
        work.add({ kind: 'restored', because, fromSeq, isWhole }, item.at);
        break;
      }
      case 'rebuilt':
        work.add({ kind: 'rebuilt', because: item.because }, item.at);
        break;
      case 'endpoint': {
        const endpoint = endpointIdOf(item.endpoint);
        work.add({ kind: 'recorded', endpoint, name: item.name, record: item.verbatim }, item.at);
      }
    }
    return { isDone: true };
  });
}

const FILES_OF = `SELECT ${columnsOf('files', 'f')} FROM {rows id:int} files f WHERE f.document_id = r.id {lock f}`;
/** Files whose pages are all among these documents, or were no documents. */
const SPLIT_FILES = `SELECT ${columnsOf('files', 'f')} FROM {rows id:int} files f WHERE f.id = r.id {lock f}`;
const PAGES_OF = `SELECT ${columnsOf('files', 'f')} FROM {rows id:int} files f WHERE f.file_id = r.id {lock f}`;
const ATTEMPTS_OF = 'SELECT a.id FROM {rows id:int} attempts a WHERE a.document_id = r.id';
const RESULTS_OF =
  'SELECT s.id, s.document_id AS document FROM {rows id:int} results s WHERE s.document_id = r.id AND s.payload IS NOT NULL';

/**
 * Erases personal data of settled documents: in rows, and in every entry about them. The entry names all of it, so that the fold asks nothing; the
 * engine blanks the recorded entries themselves.
 */
export async function erase(work: Work, items: readonly EraseItem[]): Promise<readonly CountAnswer[]> {
  const rows = await work.load(
    'documents',
    items.flatMap(({ documents }) => documents),
  );
  const settled = [...new Set(rows)].flatMap((row) =>
    row !== undefined && row.state !== 'queued' && row.state !== 'uploading' ? [row] : [],
  );
  const batch = settled.map(({ id }) => ({ id }));
  const results = await work.ask<{ readonly id: number; readonly document: number }>(RESULTS_OF, batch);
  // A result may arrive after everything else was erased.
  const meant = new Set(
    settled
      .filter(({ id, erased_at }) => erased_at === null || results.some(({ document }) => document === id))
      .map(({ id }) => id),
  );
  const answers = items.map(({ documents }) => ({
    count: new Set(documents.filter((id) => meant.has(id))).size,
  }));
  if (meant.size === 0) return answers;
  const ids = [...meant].map((id) => ({ id }));
  const files = await work.find('files', FILES_OF, ids);
  const splits = await splitFiles(
    work,
    files.flatMap(({ file_id }) => file_id ?? []),
    meant,
  );
  const erasedFiles = new Set([...files, ...splits].map(({ id }) => id));
  const ref = (numbers: Iterable<number>): number[] =>
    [...numbers].map((id) => work.ref(id)).sort((a, b) => a - b);
  const about = {
    documents: ref(meant),
    files: ref(erasedFiles),
    attempts: ref((await work.ask<{ readonly id: number }>(ATTEMPTS_OF, ids)).map(({ id }) => id)),
    results: ref(results.filter(({ document }) => meant.has(document)).map(({ id }) => id)),
  };
  const entries = await work.engine.personalEntries({ documents: meant, files: erasedFiles });
  work.add({ kind: 'erased', ...about, ...entries }, items[0]?.at ?? work.head.now);
  return answers;
}

/** Of these files those whose pages are all erased, with the pages that were no documents. */
async function splitFiles(work: Work, fileIds: readonly number[], meant: ReadonlySet<number>) {
  const batch = [...new Set(fileIds)].map((id) => ({ id }));
  const [files, pages] = await Promise.all([
    work.find('files', SPLIT_FILES, batch),
    work.find('files', PAGES_OF, batch),
  ]);
  const documents = await work.load(
    'documents',
    pages.flatMap(({ document_id }) => document_id ?? []),
  );
  const isErased = (id: number | null): boolean =>
    id === null || meant.has(id) || documents.some((row) => row?.id === id && row.erased_at !== null);
  return files.flatMap((file) => {
    const own = pages.filter(({ file_id }) => file_id === file.id);
    const isDone = file.split_into === null && own.every(({ document_id }) => isErased(document_id));
    return isDone ? [file, ...own] : [];
  });
}
