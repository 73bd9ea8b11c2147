import { BYTES_MISSING, MOVED, type Document } from '../core/domain/document.ts';
import type { Transition } from '../core/ports/ledgerQueue.ts';
import type { LedgerEvent, Move } from './events.ts';

/** How the end of an attempt moves its document. */
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

/** Rounds up: back-off with jitter yields fractions of a millisecond, which an INTEGER column refuses. */
export function wholeTime(ms: number): number {
  return Math.max(0, Math.ceil(ms));
}

/** For a document that a person moved to another endpoint, where its bytes are the document given. Nobody has to act on it any more. */
export function movedTo(id: number, { name, endpoint }: Document, by: string): readonly LedgerEvent[] {
  const message = `Moved to endpoint ${endpoint.uid}, as ${name}.`;
  return [
    { kind: 'moved', documents: [id], state: 'failed', reason: MOVED, message },
    { kind: 'dismissed', documents: [id], sightings: [], by },
  ];
}

/** For a document whose image was seen again during the search for its missing bytes. */
export function seenAgain(at: number): Move {
  const why = { reason: BYTES_MISSING, message: 'Its image was seen again during the search for it.' };
  return moveOf({ state: 'queued', notBefore: at, ...why, answerLost: false, serverError: false });
}
