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
