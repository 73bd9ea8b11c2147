import { describe, expect, test } from 'vitest';
import { judge } from './oracle/judge.ts';
import {
  A,
  B,
  ended,
  journal,
  row,
  run,
  scan,
  sound,
  stored,
  told,
  upload,
  type Writable,
} from './soundWorld.ts';
import type { Observation, World } from './world.ts';

const inTheEnd = (world: World): Observation => world.observations.at(-1)!;
/** Changes the last observation. */
const ending = (world: Writable<World>, more: Partial<Observation>): void => {
  world.observations = [...world.observations.slice(0, -1), { ...inTheEnd(world), ...more }];
};

const BREACHES: Record<string, readonly [says: string, tamper: (world: Writable<World>) => void]> = {
  'an image stored under two names': [
    'is stored under two names',
    (world) => (world.stored = [...world.stored, stored('a-2.jpg', A)]),
  ],
  'a name with two images': [
    'given to two images',
    (world) => (world.rows = [row('a.jpg', A), row('a.jpg', B)]),
  ],
  'an accepted image that the service does not have': [
    'but the service does not have it',
    (world) => (world.stored = [stored('b.jpg', B)]),
  ],
  'changed bytes at the service': [
    'different bytes than it was sent with',
    (world) => (world.stored = [stored('a.jpg', A, { actual: B }), stored('b.jpg', B)]),
  ],
  'half an image sent': [
    'never in a folder',
    (world) => (world.stored = [...world.stored, stored('half.jpg', 'c'.repeat(64))]),
  ],
  'an image that the ledger does not know': [
    'is not in the ledger',
    (world) => (world.rows = [row('a.jpg', A)]),
  ],
  'a file that the ledger does not know': [
    'the file /site/scans/a.jpg is not in the ledger',
    (world) =>
      ending(world, { journal: journal([told('a.jpg', A), told('b.jpg', B)], { sightings: new Map() }) }),
  ],
  'an image that waits forever': [
    'nothing may still be waiting at the end',
    (world) => (world.rows = [row('a.jpg', A), row('b.jpg', B, { state: 'queued' })]),
  ],
  'a loss of what was copied': [
    'its bytes were there',
    (world) => {
      world.rows = [row('a.jpg', A), row('b.jpg', B, { state: 'lost' })];
      const gone = { how: 'deleted', knownAs: 'copied' } as const;
      ending(world, { scans: [scan('a.jpg', A), scan('b.jpg', B, { gone })] });
    },
  ],
  'a document that failed by an outage': [
    'the service never refused it',
    (world) => (world.rows = [row('a.jpg', A), row('b.jpg', B, { state: 'failed' })]),
  ],
  'a document stored again without a record of a lost answer': [
    'the ledger records no lost answer',
    (world) => (world.stored = [stored('a.jpg', A, { tries: 2 }), stored('b.jpg', B)]),
  ],
  'a document sent again although its acceptance was durable': [
    'although its acceptance was on record',
    (world) => (world.uploads = [...world.uploads, upload('a.jpg', 1600)]),
  ],
  'a document sent again by the process that had its acceptance': [
    'which already had the answer that it was accepted',
    (world) => (world.uploads = [...world.uploads, upload('b.jpg', 1600)]),
  ],
  'another name after a restart': [
    'was named a.jpg, then a-2.jpg',
    (world) => {
      world.rows = [row('a-2.jpg', A), row('b.jpg', B)];
      world.stored = [stored('a-2.jpg', A), stored('b.jpg', B)];
    },
  ],
  'a name sent before it was durable': [
    'but was not on record',
    (world) => (world.uploads = [upload('a.jpg', 500), upload('early.jpg', 600), upload('b.jpg', 1500)]),
  ],
  'a request that was not recorded': [
    '2 requests for a.jpg arrived, but only 1 are on record',
    (world) =>
      (world.uploads = [
        upload('a.jpg', 400, { ending: 'aborted' }),
        upload('a.jpg', 500),
        upload('b.jpg', 1500),
      ]),
  ],
  'too many uploads at once': ['3 uploads at once; the limit is 2', (world) => (world.mostAtOnce = 3)],
  'too many uploads a second': [
    '3 requests arrived within 300 ms',
    (world) => (world.arrivals = [500, 600, 800]),
  ],
  'too many uploads a day': ['4 requests in a day; the limit is 3', (world) => (world.requestsOfTheDay = 4)],
  'an original that was deleted although it should be kept': [
    'originals should be kept',
    (world) => ending(world, { files: [{ path: '/site/scans/a.jpg', sha256: A }] }),
  ],
  'an original that was deleted before its acceptance': [
    'its acceptance is not on record',
    (world) => {
      world.settings = { ...world.settings, afterUpload: 'delete' };
      const [first, last] = world.observations;
      world.observations = [
        { ...first!, files: [{ path: '/site/scans/a.jpg', sha256: A }] },
        { ...last!, files: [] },
      ];
    },
  ],
  'an original that reached no archive': [
    'neither in place nor in the archive',
    (world) => {
      world.settings = { ...world.settings, afterUpload: 'archive' };
      ending(world, { files: [] });
    },
  ],
  'an original that was overwritten': [
    'has different bytes',
    (world) =>
      ending(world, { files: [{ path: '/site/scans/a.jpg', sha256: B }, ...inTheEnd(world).files.slice(1)] }),
  ],
  'a file left aside': [
    'was left over',
    (world) =>
      ending(world, {
        files: [...inTheEnd(world).files, { path: '/site/scans/.receiptd-aside-0123abcd/c.jpg', sha256: A }],
      }),
  ],
  'half a copy in the spool': [
    'is left in the state directory',
    (world) => (world.stateFiles = [...world.stateFiles, `spool/aa/.${A}.new`]),
  ],
  'a copy that nobody needs': [
    'a copy is left in the spool',
    (world) => (world.stateFiles = [...world.stateFiles, `spool/aa/${A}`]),
  ],
  'a ledger set aside although it was sound': [
    'but was not damaged',
    (world) => (world.stateFiles = [...world.stateFiles, 'ledger.db.aside-20260131T120000000Z']),
  ],
  'a broken chain': [
    'does not follow',
    (world) =>
      ending(world, {
        journal: journal([told('a.jpg', A), told('b.jpg', B)], {
          problem: 'entry 3 of the journal does not follow entry 1',
        }),
      }),
  ],
  'a ledger that contradicts the journal': [
    'lost in the journal, but accepted in the ledger',
    (world) => ending(world, { journal: journal([told('a.jpg', A), told('b.jpg', B, { state: 'lost' })]) }),
  ],
  'a verification with findings': [
    'ledger verify ended with 3',
    (world) => (world.verify = { status: 3, text: '' }),
  ],
  'a file that the audit misses': ['audit ended with 3', (world) => (world.audit = { status: 3, text: '' })],
  'an agent that ended by itself': [
    'by itself',
    (world) =>
      (world.runs = [run(0, { ended: ended(0, { status: 1, signal: null }) }), ...world.runs.slice(1)]),
  ],
  'a wrong exit status': [
    'instead of 0',
    (world) =>
      (world.runs = [
        ...world.runs.slice(0, -1),
        { ...world.runs.at(-1)!, ended: ended(1000, { status: 4, signal: null }) },
      ]),
  ],
  'a loss that the run did not report': [
    'instead of 3',
    (world) => {
      world.rows = [row('a.jpg', A), row('b.jpg', B, { state: 'lost' })];
      ending(world, { journal: journal([told('a.jpg', A), told('b.jpg', B, { state: 'lost' })]) });
    },
  ],
  'a failure of an earlier run that the last run reported as its own': [
    'instead of 0',
    (world) => {
      const [first, ...others] = world.observations;
      const documents = [told('a.jpg', A, { state: 'failed' }), told('b.jpg', B)];
      world.observations = [{ ...first!, journal: journal(documents) }, ...others];
      world.rows = [row('a.jpg', A, { state: 'failed' }), row('b.jpg', B)];
      ending(world, { journal: journal(documents) });
      world.runs = [
        ...world.runs.slice(0, -1),
        { ...world.runs.at(-1)!, ended: ended(1000, { status: 3, signal: null }) },
      ];
    },
  ],
  'a stack trace': [
    'printed a stack trace',
    (world) =>
      (world.runs = [
        run(0, { ended: ended(0, { output: 'Error\n    at commit (store.js:1:2)\n' }) }),
        ...world.runs.slice(1),
      ]),
  ],
};

describe('the oracle', () => {
  test('finds nothing if every promise was kept', () => {
    expect(judge(sound())).toEqual([]);
  });

  test.each(Object.entries(BREACHES))('catches %s', (_, [says, tamper]) => {
    const world = sound();
    tamper(world);
    expect(judge(world).join('\n')).toContain(says);
  });

  test('accepts a lost answer and a loss if the ledger records them and they were unavoidable', () => {
    const world = sound();
    world.stored = [stored('a.jpg', A, { tries: 2 })];
    world.rows = [row('a.jpg', A, { answerLost: true }), row('b.jpg', B, { state: 'lost' })];
    const gone = { how: 'deleted', knownAs: 'named' } as const;
    ending(world, {
      journal: journal([told('a.jpg', A), told('b.jpg', B, { state: 'lost' })]),
      scans: [scan('a.jpg', A), scan('b.jpg', B, { gone })],
    });
    world.uploads = [upload('a.jpg', 500)];
    world.runs = [
      ...world.runs.slice(0, -1),
      { ...world.runs.at(-1)!, ended: ended(1000, { status: 3, signal: null }) },
    ];
    expect(judge(world)).toEqual([]);
  });
});
