import { CHAIN } from '../entries.ts';
import { columnsOf, type DocumentRow } from '../schema.ts';
import type { Work } from '../work.ts';
import { KnownDocuments } from './places.ts';
import { recover, type RecoverAnswer, type RecoverItem } from './send.ts';
import { toMessage } from '../../core/domain/why.ts';

export interface RetireItem extends RecoverItem {
  readonly base: number;
  /** What the agent had not handed on: this one does so instead. */
  readonly results: readonly number[];
}

const OPEN_HOLDS = `SELECT ${columnsOf('holds', 'h')} FROM holds h WHERE h.open = 1 AND h.paused = 0 AND h.agent = :agent`;

/** Takes over from agents that will not come back. */
export async function retire(work: Work, items: readonly RetireItem[]): Promise<readonly RecoverAnswer[]> {
  const answers: RecoverAnswer[] = [];
  for (const item of items) {
    const { base, results, at } = item;
    const [answer = { moved: [] }] = await recover(work, [item]);
    answers.push(answer);
    if (answer.isBack === true) continue;
    for (const { scope, key } of await work.find('holds', OPEN_HOLDS, null, { agent: base / CHAIN }))
      work.add({ kind: 'released', scope, key, of: base }, at);
    for (const result of results) work.add({ kind: 'passed', result: work.ref(result) }, at);
  }
  return answers;
}

/** Reason of a failed document whose bytes another ledger had brought into the same endpoint. */
export const TWIN = 'TWIN';

export interface MergeItem {
  /** The chain; null if it was here before. */
  readonly ledger: string | null;
  readonly at: number;
}

export interface MergeAnswer {
  /** Documents that have the bytes or the name of one that was here. */
  readonly twins: number;
  readonly failed: number;
  readonly renamed: number;
}

const TWINS_IN = `SELECT DISTINCT d.endpoint_id AS id FROM documents d WHERE d.twin <> 0 AND d.id > :first AND d.id < :next`;
const TWINS = `SELECT ${columnsOf('documents', 'd')} FROM documents d WHERE d.twin <> 0 AND d.id > :first AND d.id < :next {lock d}`;
const SAME_BYTES = `SELECT r.id AS id, b.id AS other FROM {rows id:int endpoint_id:int sha256:text} documents b
  WHERE b.endpoint_id = r.endpoint_id AND b.sha256 = r.sha256 AND b.twin = 0`;

/**
 * Ends the move of this agent's ledger to a shared one, or what brings one forward that went back. Of the documents that wait, those whose bytes were here
 * fail: nobody can say which of two names was meant. Those that were never sent, and only have another image's name, get a new one.
 */
export async function merge(work: Work, items: readonly MergeItem[]): Promise<readonly MergeAnswer[]> {
  const range = { first: work.base, next: work.base + CHAIN };
  const endpoints = await work.ask<{ readonly id: number }>(TWINS_IN, null, range);
  // Locked: no other agent names anything in them meanwhile.
  await work.loadAll({ endpoints: endpoints.map(({ id }) => id) });
  const twins = await work.find('documents', TWINS, null, range);
  const waiting = twins.filter(({ state }) => state === 'queued');
  const found = await work.ask<{ readonly id: number; readonly other: number }>(SAME_BYTES, waiting);
  const others = new Map(found.map(({ id, other }) => [id, other]));
  const unsent = waiting.filter(({ id, attempts }) => attempts === 0 && !others.has(id));
  const known = new KnownDocuments(work);
  await known.findNames(
    unsent.flatMap((row) => newNames(row).map((name) => ({ endpoint: row.endpoint_id, name }))),
  );
  return items.map(({ ledger, at }) => {
    for (const row of waiting) {
      const other = others.get(row.id);
      if (other === undefined) continue;
      const message = toMessage({ is: 'twin', document: other });
      work.add({ kind: 'moved', documents: [work.ref(row.id)], state: 'failed', reason: TWIN, message }, at);
    }
    for (const row of unsent) {
      const name = newNames(row).find((each) => !known.hasName(row.endpoint_id, each));
      if (name === undefined) throw new Error(`document ${row.id} has no free name`);
      work.add({ kind: 'moved', documents: [work.ref(row.id)], state: 'queued', name }, at);
      known.add(row);
    }
    if (ledger !== null) work.add({ kind: 'shared', ledger, because: toMessage({ is: 'movedHere' }) }, at);
    return { twins: twins.length, failed: others.size, renamed: unsent.length };
  });
}

/** No longer than the old name, or than every endpoint allows; the last one is unique to these bytes. */
function newNames({ name, sha256 }: DocumentRow): readonly string[] {
  const limit = Math.max(Buffer.byteLength(name), sha256.length);
  const suffix = `-${sha256.slice(0, 16)}`;
  let stem = Array.from(name);
  while (Buffer.byteLength(stem.join('')) > limit - suffix.length) stem = stem.slice(0, -1);
  return [`${stem.join('')}${suffix}`, sha256];
}
