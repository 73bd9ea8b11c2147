import { CHAIN } from '../entries.ts';
import { columnsOf, type Work } from '../work.ts';
import { recover, type RecoverAnswer, type RecoverItem } from './send.ts';

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
