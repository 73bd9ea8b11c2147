/** The oracle for a document at the end: its permitted states, given everything that the wire carried about it. */
import type { DocumentDetail } from '../../../src/core/ports/ledgerReports.ts';
import { mayBeRecord, mayBeStored, type Given } from './judge.ts';
import { isVerdict } from '../../oracle/answers.ts';

export interface Sent {
  readonly id: number;
  readonly bytes: Buffer;
  /** Every request about the document, in order. */
  readonly given: Given[];
}

/** The breach in one sentence, or null. */
export function judgeDocument({ document, attempts }: DocumentDetail, { bytes, given }: Sent): string | null {
  const { state, reason, answerLost, name } = document;
  const story = `${JSON.stringify(name)} is ${state} (${reason ?? 'no reason'})`;
  const last = given.at(-1);
  if (!last) return `${story}, though it was never sent`;
  if (attempts.length < given.length)
    return `${story} after ${given.length} requests, but ${attempts.length} are recorded`;
  if (attempts.some(({ finishedAt }) => finishedAt === null)) return `${story} with an open attempt`;
  for (const { exchange } of given) {
    if (exchange.wholeRequest && !exchange.body.equals(bytes)) return `${story}, but other bytes were sent`;
  }
  const isPlainlyLost = (each: Given): boolean => mayBeStored(each) && !each.reply.wire.truth.unsure;
  if (given.slice(0, -1).some(isPlainlyLost) && !answerLost)
    return `${story}, was sent again although it may have been stored, and is not marked`;

  const lastStatus = last.reply.wire.truth.status;
  switch (state) {
    case 'accepted': {
      const isSaid = given.some(({ reply }) => {
        const { truth } = reply.wire;
        return truth.status === 200 && mayBeRecord({ truth });
      });
      return isSaid ? null : `${story}, without a complete record with HTTP 200`;
    }
    case 'failed':
      if (!isVerdict(lastStatus) || last.reply.wire.truth.malformed)
        return `${story}, though its last answer was HTTP ${lastStatus}`;
      return given.slice(0, -1).some(isPlainlyLost) ? `${story}, though an earlier answer was lost` : null;
    case 'unconfirmed':
      if (lastStatus === 409) return null;
      if (lastStatus === null || lastStatus < 400 || lastStatus >= 500)
        return `${story}, though its last answer was HTTP ${lastStatus}`;
      return given.slice(0, -1).some(mayBeStored) ? null : `${story}, though no earlier answer was lost`;
    case 'queued':
    case 'uploading':
    case 'lost':
      return story;
  }
}
