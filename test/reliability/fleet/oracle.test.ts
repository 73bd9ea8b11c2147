import { expect, test } from 'vitest';
import { formatLine, NO_HASH } from '../../../src/ledger/journal/line.ts';
import type { JournalEvent } from '../../../src/core/ports/journal.ts';
import { judge } from './oracle.ts';
import { drawPlan } from './plan.ts';
import type { Chain, World } from './world.ts';

const HASHES = ['a'.repeat(64), 'b'.repeat(64)];

test('the oracle finds nothing in a sound campaign', () => {
  expect(judge(world())).toEqual([]);
  expect(judge(marked(world()))).toEqual([]);
});

test.each<[string, (world: Writable) => void, RegExp]>([
  ['an image that was not stored', (w) => w.stored.pop(), /SCAN1\.jpg was not stored.*accepted/],
  [
    'a file that the ledger does not know',
    (w) => w.sightings.pop(),
    /the file SCAN1\.jpg \(b+\) is not in the ledger/,
  ],
  [
    'bytes under two names',
    (w) => w.stored.push({ ...w.stored[0]!, name: 'other' }),
    /stored under two names, n0 and other/,
  ],
  ['a name for two images', (w) => (w.stored[1]!.name = 'n0'), /n0 is stored with two different images/],
  [
    'a copy without a lost answer',
    (w) => (w.stored[0]!.tries = 2),
    /n0 was stored 2 times, but only 0 answers were lost/,
  ],
  [
    'a copy that is not marked',
    (w) => (marked(w).documents[0]!.answerLost = false),
    /n0 was stored 2 times, but the ledger records no lost answer/,
  ],
  [
    'a request without a record',
    (w) => w.requests.push({ name: 'n0', arrivedAt: 9, refusedAt: null }),
    /2 requests for n0 arrived, but only 1 are on record/,
  ],
  ['two acceptances', (w) => w.attempts.push({ ...w.attempts[0]!, id: 9 }), /n0 was accepted 2 times/],
  ['a document that waits', (w) => (w.documents[0]!.state = 'queued'), /n0 is queued/],
  ['a claim that nobody holds', (w) => (w.documents[0]!.claimedBy = 7), /n0 is still claimed by agent 7/],
  ['an attempt without an end', (w) => (w.attempts[0]!.outcome = null), /attempt 1 of agent a never ended/],
  [
    'an entry that is missing',
    (w) => w.chains[0]!.lines.splice(1, 1),
    /entry 3 of agent a does not follow entry 1/,
  ],
  [
    'an entry that was changed',
    (w) => (w.chains[0]!.lines[1]!.entry += ' '),
    /entry 2 of agent a: the entry was changed/,
  ],
  ['a history cut short', (w) => w.chains[0]!.lines.pop(), /ends with entry 5, but its head is 6/],
  [
    'too many requests',
    (w) => (w.perSecond = 1),
    /2 requests arrived within 3 ms; the limit is 1 per second/,
  ],
])('the oracle finds %s', (_, change, words) => {
  const broken = world();
  change(broken);
  expect(judge(broken).join('\n')).toMatch(words);
});

test('a seed always draws the same plan, and different seeds differ', () => {
  const settings = { seed: 1, seconds: 30, agents: 3, perSecond: null };
  expect(drawPlan(settings)).toEqual(drawPlan(settings));
  expect(drawPlan(settings).steps).not.toEqual(drawPlan({ ...settings, seed: 2 }).steps);
});

/** A world in which everything can be changed. */
type Writable<T = World> = T extends object ? { -readonly [K in keyof T]: Writable<T[K]> } : T;

function world(): Writable {
  return {
    scans: HASHES.map((sha256, at) => ({ path: `SCAN${at}.jpg`, sha256, isThere: true, isDue: true })),
    documents: HASHES.map((sha256, at) => ({
      id: at + 1,
      endpointUid: 'office',
      name: `n${at}`,
      sha256,
      state: 'accepted',
      path: `SCAN${at}.jpg`,
      message: null,
      answerLost: false,
      claimedBy: null,
    })),
    attempts: HASHES.map((_, at) => ({ id: at + 1, document: at + 1, agent: 'a', outcome: 'accepted' })),
    sightings: HASHES.map((sha256, at) => ({ path: `SCAN${at}.jpg`, verdict: 'document', sha256 })),
    chains: [chain()],
    stored: HASHES.map((sha256, at) => ({ endpointUid: 'office', name: `n${at}`, sha256, tries: 1 })),
    requests: HASHES.map((_, at) => ({ name: `n${at}`, arrivedAt: 1 + at * 3, refusedAt: null })),
    perSecond: null,
    stallMs: 0,
  };
}

/** Adds a lost answer and a second upload of the image. */
function marked(of: Writable): Writable {
  of.stored[0]!.tries = 2;
  of.requests.push({ name: 'n0', arrivedAt: 5_000, refusedAt: null });
  of.attempts.push({ id: 3, document: 1, agent: 'b', outcome: 'unknown' });
  of.documents[0]!.answerLost = true;
  return of;
}

function chain(): Writable<Chain> {
  const named = (document: number): JournalEvent => ({ kind: 'named', at: 1, facts: { document } });
  const accepted = (document: number): JournalEvent => ({
    kind: 'moved',
    at: 2,
    facts: { documents: [document], state: 'accepted' },
  });
  const events: JournalEvent[] = [
    { kind: 'begun', at: 0, facts: {} },
    named(1),
    named(2),
    { kind: 'began', at: 1, facts: { attempt: 1, document: 1 } },
    accepted(1),
    accepted(2),
  ];
  const lines: Writable<Chain>['lines'] = [];
  let head = { seq: 0, hash: NO_HASH };
  for (const event of events) {
    const line = formatLine(event, head, () => 'salt');
    const [entry = '', hash = '', personal = ''] = line.text.slice(0, -1).split('\t');
    lines.push({ seq: line.seq, entry, hash, personal });
    head = line;
  }
  return { agent: 'a', headSeq: head.seq, headHash: head.hash, lines };
}
