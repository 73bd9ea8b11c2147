import { BYTES_MISSING } from '../core/domain/document.ts';
import type { Transition } from '../core/ports/ledgerQueue.ts';
import type { Move } from './events.ts';

/** How an attempt's end moves its document. */
export function moveOf(transition: Transition): Move {
  switch (transition.state) {
    case 'accepted': {
      const { state, serviceStatus: status, response } = transition;
      return { state, status, response };
    }
    case 'failed':
    case 'unconfirmed':
      return transition;
    case 'queued':
      return { ...transition, how: 'later', notBefore: wholeTime(transition.notBefore) };
  }
}

/** Back-off with jitter ends between milliseconds, where an INTEGER column refuses it. */
export function wholeTime(ms: number): number {
  return Math.max(0, Math.ceil(ms));
}

/** Of a document whose bytes were seen again while nothing was found of them. */
export function seenAgain(at: number): Move {
  const why = { reason: BYTES_MISSING, message: 'Its image was seen again during the search for it.' };
  return moveOf({ state: 'queued', notBefore: at, ...why, answerLost: false, serverError: false });
}
