import { expect, it } from 'vitest';
import { agree } from './oracle.ts';

const document = { endpointUid: 'u', sha256: 'a', name: 'n', state: 'accepted', answerLost: false };
const queued = { ...document, state: 'queued' };
const stored = { endpointUid: 'u', sha256: 'a', name: 'n', tries: 1 };

it.each([
  [[document], [stored], []],
  [[document, document], [stored], ['image u a has two documents, n and n']],
  [[document, { ...queued, sha256: 'b' }], [stored], ['the name n was given to two images']],
  [
    [document],
    [stored, stored],
    ['image u a is stored under two names, n and n', 'n is stored with two different images'],
  ],
  [[], [stored], ['image u a is stored as n, but the ledger does not know it']],
  [[{ ...queued, name: 'm' }], [stored], ['image u a is stored as n, but the ledger calls it m']],
  [[document], [{ ...stored, tries: 2 }], ['n was stored 2 times, but the ledger records no lost answer']],
  [[{ ...document, answerLost: true }], [{ ...stored, tries: 2 }], []],
  [[document], [], ['n is accepted, but the service does not have it']],
])('of %j and %j the oracle says %j', (documents, received, sentences) => {
  expect([...agree(documents, received)]).toEqual(sentences);
});
