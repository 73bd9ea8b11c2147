import type {
  BeginAnswer,
  BeginItem,
  Done,
  EndItem,
  MoveAnswer,
  MoveItem,
  NextState,
} from '../../core/messages.ts';
import { BYTES_ELSEWHERE, BYTES_MISSING, endpointId } from '../../core/domain/document.ts';
import { periodStart } from '../../core/domain/limits.ts';
import { isUndecided } from '../../core/domain/needsPerson.ts';
import { CHAIN, type Move } from '../entries.ts';
import { isIdle } from '../fold.ts';
import { columnsOf, NEVER, ofBytes, SPAN_MS, type DocumentRow } from '../schema.ts';
import type { Work } from '../work.ts';
import { endpointsOf } from './places.ts';
import { toMessage } from '../../core/domain/why.ts';

const SHARED_HOLDS = `SELECT ${columnsOf('holds', 'h')} FROM holds h WHERE h.open = 1 AND h.shared_until IS NOT NULL`;
/** Reads no more than the limit, newest first: the oldest of those says when there is room again. */
export const IN_WINDOW = `SELECT w.* FROM {rows endpoint:int since:int count:int} {lateral} (
  SELECT r.endpoint AS endpoint, count(*) AS used, min(n.until) AS oldest FROM (
    SELECT coalesce(a.ended_at, ${NEVER}) AS until FROM attempts a WHERE a.endpoint_id = r.endpoint AND coalesce(a.ended_at, ${NEVER}) > r.since
     ORDER BY coalesce(a.ended_at, ${NEVER}) DESC LIMIT r.count) n) w`;

/** Until there is room again: a request that has not ended takes its place until then. */
export function waitFor(oldest: number, windowMs: number, now: number): number {
  return oldest === NEVER ? windowMs : Math.max(1, oldest + windowMs - now);
}

/** Of the spans since then, and of the one in which that lies. */
export const IN_BUDGET = `SELECT w.* FROM {rows endpoint:int since:int} {lateral} (
  SELECT r.endpoint AS endpoint, r.since AS since, coalesce(sum(q.n), 0) AS used FROM requests q
   WHERE q.endpoint_id = r.endpoint AND q.span > r.since - ${SPAN_MS}) w`;

/** Another agent is sending it: this one may have read it before. */
const isOfAnother = (work: Work, { state, attempt }: DocumentRow): boolean =>
  state === 'uploading' && attempt !== null && work.ref(attempt) >= CHAIN;

/** The number of the last row so far: later ones have higher numbers, of this agent. */
export async function position(
  { base, head, entries }: Work,
  items: readonly object[],
): Promise<readonly { readonly last: number }[]> {
  return items.map(() => ({ last: base + head.seq + entries.length }));
}

/** Records requests before they are sent. */
export async function begin(work: Work, items: readonly BeginItem[]): Promise<readonly BeginAnswer[]> {
  const batch = items.map(({ document: id }) => ({ id }));
  // Endpoints are locked before documents, as everywhere, so that agents don't wait for each other.
  const endpointIds = work.isAlone ? [] : await endpointsOf(work, batch);
  // Locked: other agents neither count a request in these endpoints nor put a hold there meanwhile.
  const [, documents, holds] = await Promise.all([
    work.load('endpoints', endpointIds),
    work.load(
      'documents',
      items.map(({ document }) => document),
    ),
    work.isAlone ? [] : work.find('holds', SHARED_HOLDS, null),
  ]);
  const endpoints = await work.load(
    'endpoints',
    documents.flatMap((document) => document?.endpoint_id ?? []),
  );
  const now = work.head.now;
  // Each window and each budget is asked for once: how far the most generous of the items goes.
  const limits = most(
    items.flatMap(({ limit }, i) =>
      asked(documents[i], limit && [{ ...limit, since: now - limit.windowMs }]),
    ),
  );
  const budgetsOf = ({ budgets: own = [] }: BeginItem) =>
    own.map(({ period, count }) => ({
      count,
      since: periodStart(period, now),
      waitMs: periodStart(period, now, 1) - now,
    }));
  const budgets = most(items.flatMap((item, i) => asked(documents[i], budgetsOf(item))));
  const [windows, spent] = await Promise.all([
    work.ask<{ readonly endpoint: number; readonly used: number; readonly oldest: number }>(
      IN_WINDOW,
      limits,
    ),
    work.ask<{ readonly endpoint: number; readonly since: number; readonly used: number }>(
      IN_BUDGET,
      budgets,
    ),
  ]);
  const services = new Map(endpoints.flatMap((row) => (row ? [[row.id, row]] : [])));
  const inWindow = new Map(windows.map((row) => [row.endpoint, { used: row.used, oldest: row.oldest }]));
  const budgetKey = (endpoint: number, since: number): string => `${endpoint} ${since}`;
  const inBudget = new Map(spent.map((row) => [budgetKey(row.endpoint, row.since), row.used]));

  return items.map((item, i): BeginAnswer => {
    const { updatedAt, bytes, limit, at } = item;
    const own = budgetsOf(item);
    const document = documents[i];
    if (document === undefined) return { kind: 'unknown' };
    const { name, endpoint_id: endpoint } = document;
    if (isOfAnother(work, document)) return { kind: 'taken', name };
    if (!isIdle(document)) return { kind: 'state', name, state: document.state };
    if (document.updated_at !== (updatedAt ?? document.updated_at)) return { kind: 'changed', name };
    const service = services.get(endpoint);
    const keys = service && [service.base_url, endpointId({ baseUrl: service.base_url, uid: service.uid })];
    const hold = holds.find(
      (row) =>
        row.open === 1 &&
        row.agent !== work.agent &&
        (row.shared_until ?? 0) > now &&
        keys?.includes(row.key) === true,
    );
    if (hold) return { kind: 'held', name, scope: hold.scope, until: hold.shared_until };
    const used = own.map(({ since }) => inBudget.get(budgetKey(endpoint, since)) ?? 0);
    const exhausted = own.find(({ count }, n) => (used[n] ?? 0) >= count);
    if (exhausted) return { kind: 'limited', waitMs: exhausted.waitMs };
    if (limit !== undefined) {
      const window = inWindow.get(endpoint) ?? { used: 0, oldest: NEVER };
      if (window.used >= limit.count)
        return {
          kind: 'limited',
          waitMs: waitFor(window.oldest, limit.windowMs, now),
        };
      inWindow.set(endpoint, { ...window, used: window.used + 1 });
    }
    for (const [n, { since }] of own.entries()) inBudget.set(budgetKey(endpoint, since), (used[n] ?? 0) + 1);
    return {
      kind: 'begun',
      attempt: work.add({ kind: 'began', document: work.ref(document.id), bytes, left: leftAt(work) }, at),
    };
  });
}

interface Limit {
  readonly endpoint: number;
  readonly since: number;
  readonly count: number;
}

function asked(
  document: DocumentRow | undefined,
  limits: readonly Omit<Limit, 'endpoint'>[] | undefined,
): readonly Limit[] {
  if (document === undefined || limits === undefined) return [];
  return limits.map(({ since, count }) => ({ endpoint: document.endpoint_id, since, count }));
}

function most(limits: readonly Limit[]): readonly Limit[] {
  const byWindow = new Map<string, Limit>();
  for (const limit of limits) {
    const key = `${limit.endpoint} ${limit.since}`;
    if (limit.count > (byWindow.get(key)?.count ?? 0)) byWindow.set(key, limit);
  }
  return [...byWindow.values()];
}

/** Records how requests ended, and where their documents go. */
export async function end(work: Work, items: readonly EndItem[]): Promise<readonly Done[]> {
  await work.loadAll({
    documents: items.flatMap(({ document, requeue }) => [document, ...(requeue?.documents ?? [])]),
    // They no longer count.
    attempts: items.flatMap(({ attempt, outcome }) => (outcome === 'notSent' ? [attempt] : [])),
  });
  return items.map(({ attempt, document: id, outcome, http, message, next, requeue, at }) => {
    const document = work.rows.documents.get(id);
    if (document?.attempt !== attempt || isOfAnother(work, document)) return { isDone: false };
    work.add(
      {
        kind: 'ended',
        attempt: work.ref(attempt),
        document: work.ref(id),
        outcome,
        http,
        said: message,
        left: leftAt(work),
        ...(next !== null && besideResults(document, moveOf(next))),
      },
      at,
    );
    for (const other of new Set(requeue?.documents)) {
      if (requeue === undefined || work.rows.documents.get(other)?.state !== 'failed') continue;
      const { reason, message: why } = requeue;
      const due = other === id ? Math.ceil(requeue.due) : at;
      work.add(
        { kind: 'moved', documents: [work.ref(other)], state: 'queued', due, reason, message: why },
        at,
      );
    }
    return { isDone: true };
  });
}

/** Agents' clocks differ, and rate windows and budgets are for all. */
function leftAt({ agent, head }: Work): number | undefined {
  return agent === 0 ? undefined : head.now;
}

function moveOf({ due, answerLost, isOdd, ...next }: NextState): Move {
  return {
    ...next,
    due: due === undefined ? undefined : Math.max(0, Math.ceil(due)),
    answerLost: answerLost === true ? true : undefined,
    isOdd: isOdd === true ? true : undefined,
  };
}

/**
 * Combines the end of a request with results that came before its answer. The answer is older than they are, so their status wins. If this request's
 * answer was lost, a result since its beginning replaces it. If an earlier answer was lost, so does a result since the upload began, which includes
 * its repetition after a 401.
 */
function besideResults(document: DocumentRow, move: Move): Move {
  const { attempts, replays, result_at, status_at, known_at, answered, answer_lost, status } = document;
  if (result_at === null) return move;
  const since = attempts - replays;
  if (move.state === 'accepted') {
    const isNewer = status_at === attempts || (status_at !== null && answered === 0);
    return isNewer ? { ...move, status: status ?? undefined } : move;
  }
  if (move.state !== 'unconfirmed' && move.state !== 'queued') return move;
  const isLost = move.state === 'unconfirmed' || move.answerLost === true;
  // A document that the service is known to have is resent because a person asked: the result may be about an earlier request.
  const wasLost = answer_lost === 1 && !(known_at !== null && known_at < since) && answered === 0;
  const isProof = (isLost && result_at === attempts) || (wasLost && result_at >= since);
  return isProof && attempts > 0 ? { state: 'accepted' } : move;
}

const INTERRUPTED = toMessage({ is: 'interrupted' });

/** Between a 401 and the repetition, the latest request says whose upload it is. */
const UPLOADING = `SELECT ${columnsOf('documents', 'd')} FROM documents d
  WHERE d.state = 'uploading'
    AND coalesce(d.attempt, (SELECT a.id FROM attempts a WHERE a.document_id = d.id ORDER BY a.ended_at DESC LIMIT 1)) BETWEEN :first AND :last {lock d}`;

export interface RecoverItem {
  readonly at: number;
  /** Of the agent, if it is another. */
  readonly base?: number | undefined;
  /** Documents that are still being sent. */
  readonly except?: readonly number[] | undefined;
  readonly message?: string | undefined;
}
export interface RecoverAnswer extends MoveAnswer {
  /** The other agent is back: nothing was done. */
  readonly isBack?: true;
}

/** After a stop, or for an agent whose lease is over: what was being sent may have arrived, and is sent again under its name. */
export async function recover(work: Work, items: readonly RecoverItem[]): Promise<readonly RecoverAnswer[]> {
  const answers: RecoverAnswer[] = [];
  for (const { at, base = work.base, except = [], message = INTERRUPTED } of items) {
    if (base !== work.base && (await work.engine.takeOver?.(base)) !== true) {
      answers.push({ moved: [], isBack: true });
      continue;
    }
    const own = { first: base, last: base + CHAIN - 1 };
    const documents = (await work.find('documents', UPLOADING, null, own))
      .filter(({ id }) => !except.includes(id))
      .sort((a, b) => a.id - b.id);
    for (const document of documents) {
      const { id, attempt } = document;
      const next = { state: 'queued', reason: 'INTERRUPTED', message } as const;
      const move = besideResults(document, { ...next, ...(attempt !== null && { answerLost: true }) });
      const ref = work.ref(id);
      if (attempt === null) work.add({ kind: 'moved', documents: [ref], ...move }, at);
      else {
        const end = { attempt: work.ref(attempt), document: ref, outcome: 'unknown', said: message } as const;
        work.add({ kind: 'ended', ...end, left: leftAt(work), ...move }, at);
      }
    }
    answers.push({ moved: documents.map(({ id }) => id) });
  }
  return answers;
}

const FILES_WITH = `SELECT w.* FROM {rows document:int sha256:text} {lateral} (
  SELECT r.document AS document, count(*) AS n FROM files n WHERE n.id IN (${ofBytes('r.sha256')})) w`;

export async function move(work: Work, items: readonly MoveItem[]): Promise<readonly MoveAnswer[]> {
  await work.loadAll({ documents: items.flatMap(({ documents }) => documents) });
  const seenAgain = await seenSince(work, items);
  return items.map((item) => {
    const { at } = item;
    const rows = [...new Set(item.documents)].flatMap((id) => work.rows.documents.get(id) ?? []);
    /** One entry each: erasing one document's words must leave the others' alone. */
    const each = (documents: readonly DocumentRow[], next: (row: DocumentRow) => Move): MoveAnswer => {
      for (const row of documents)
        work.add({ kind: 'moved', documents: [work.ref(row.id)], ...next(row) }, at);
      return { moved: documents.map(({ id }) => id) };
    };
    switch (item.move) {
      case 'retry': {
        const isMeant = ({ state, due }: DocumentRow): boolean =>
          isUndecided(state) || (state === 'queued' && due > at);
        return each(rows.filter(isMeant), ({ created_at }) => ({
          state: 'queued',
          due: Math.min(created_at, at),
          afresh: true,
        }));
      }
      case 'fail': {
        const { reason, message } = item;
        return each(
          rows.filter(({ state }) => state === 'queued'),
          () => ({ state: 'failed', reason, message }),
        );
      }
      case 'resend':
        return each(
          rows.filter(({ state }) => state === 'accepted'),
          ({ created_at, attempts }) => ({
            state: 'queued',
            due: Math.min(created_at, at),
            afresh: true,
            resent: attempts,
          }),
        );
      case 'postpone': {
        const { reason, message } = item;
        const due = Math.max(0, Math.ceil(item.due));
        return each(rows.filter(isIdle), (row) =>
          besideResults(row, { state: 'queued', due, reason, message }),
        );
      }
      case 'lose': {
        const { message, elsewhere } = item;
        const isSeen = toMessage({ is: 'seenAgain' });
        return each(rows.filter(isIdle), ({ id }): Move => {
          if (seenAgain.has(id)) return { state: 'queued', due: at, reason: BYTES_MISSING, message: isSeen };
          return elsewhere === undefined
            ? { state: 'lost', reason: 'BYTES_GONE', message }
            : { state: 'queued', reason: BYTES_ELSEWHERE, ...elsewhere };
        });
      }
    }
  });
}

/** Documents whose bytes were seen while they were searched for. */
async function seenSince(work: Work, items: readonly MoveItem[]): Promise<ReadonlySet<number>> {
  const before = new Map<number, number>();
  for (const item of items)
    if (item.move === 'lose' && item.filesBefore !== null)
      for (const document of item.documents) before.set(document, item.filesBefore);
  const batch = [...before.keys()].flatMap((document) => {
    const sha256 = work.rows.documents.get(document)?.sha256;
    return sha256 === undefined ? [] : [{ document, sha256 }];
  });
  const now = await work.ask<{ readonly document: number; readonly n: number }>(FILES_WITH, batch);
  return new Set(now.flatMap(({ document, n }) => (n > (before.get(document) ?? n) ? [document] : [])));
}
