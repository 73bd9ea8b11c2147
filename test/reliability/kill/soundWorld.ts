/** A sound end of a round, for tests of the oracle, and builders of its parts. */
import { UIDS } from '../support/office.ts';
import type { Ended } from './agent.ts';
import type { JournalDocument, JournalView } from './journalFile.ts';
import type { Scan } from './scanner.ts';
import type { Upload } from './site.ts';
import type { Observation, Row, Run, Stored, World } from './world.ts';

const OFFICE = UIDS.office;
const FOLDER = {
  path: '/site/scans',
  archive: '/site/scans/archive',
  endpoint: 'office',
  endpointUid: OFFICE,
};
export const [A, B] = ['a'.repeat(64), 'b'.repeat(64)];

export type Writable<T> = { -readonly [K in keyof T]: T[K] };

export const scan = (name: string, sha256: string, more: Partial<Scan> = {}): Scan => ({
  endpointUid: OFFICE,
  sha256,
  kind: 'image',
  path: `/site/scans/${name}`,
  gone: null,
  ...more,
});

export const row = (name: string, sha256: string, more: Partial<Row> = {}): Row => ({
  name,
  endpointUid: OFFICE,
  sha256,
  state: 'accepted',
  status: 'PROCESSING',
  path: `/site/scans/${name}`,
  attempts: 1,
  reason: null,
  message: null,
  answerLost: false,
  archivedTo: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  ...more,
});

export const told = (name: string, sha256: string, more: Partial<JournalDocument> = {}): JournalDocument => ({
  endpointUid: OFFICE,
  name,
  sha256,
  requests: 1,
  unknown: 0,
  state: 'accepted',
  ...more,
});

export const stored = (name: string, sha256: string, more: Partial<Stored> = {}): Stored => ({
  endpointUid: OFFICE,
  name,
  sha256,
  actual: sha256,
  tries: 1,
  ...more,
});

export const upload = (name: string, arrivedAt: number, more: Partial<Upload> = {}): Upload => ({
  arrivedAt,
  endpointUid: OFFICE,
  name,
  ending: '200',
  fault: null,
  ...more,
});

export const ended = (startedAt: number, more: Partial<Ended> = {}): Ended => ({
  status: null,
  signal: 'SIGKILL',
  output: '',
  killedAt: null,
  asPlanned: true,
  startedAt,
  endedAt: startedAt + 900,
  ...more,
});

export const run = (startedAt: number, more: Partial<Run> = {}): Run => ({
  kind: 'daemon',
  kill: { kind: 'moment', from: 'start', afterMs: 900 },
  ended: ended(startedAt),
  ...more,
});

export const journal = (documents: JournalDocument[], more: Partial<JournalView> = {}): JournalView => ({
  documents,
  sightings: new Map([
    ['/site/scans/a.jpg', { verdict: 'document', sha256: A, entry: 2 }],
    ['/site/scans/b.jpg', { verdict: 'document', sha256: B, entry: 3 }],
  ]),
  archived: [],
  problem: null,
  entries: 10,
  rebuilt: 0,
  ...more,
});

const observation = (
  at: number,
  documents: JournalDocument[],
  more: Partial<Observation> = {},
): Observation => ({
  at,
  journal: journal(documents),
  files: [
    { path: '/site/scans/a.jpg', sha256: A },
    { path: '/site/scans/b.jpg', sha256: B },
  ],
  scans: [scan('a.jpg', A), scan('b.jpg', B)],
  ...more,
});

/** Two images: the first was accepted in the run that was killed, the second in the last run. */
export function sound(): Writable<World> {
  return {
    settings: {
      spool: 'auto',
      afterUpload: 'keep',
      archive: 'inside',
      folders: 1,
      watch: 'auto',
      concurrency: 2,
      perSecond: 2,
      perDay: 3,
      template: '{stem}',
      onRepeat: 'accept',
      impatient: false,
    },
    folders: [FOLDER],
    observations: [
      observation(1000, [told('a.jpg', A), told('b.jpg', B, { state: 'queued', requests: 0 })]),
      observation(2000, [told('a.jpg', A), told('b.jpg', B)]),
    ],
    runs: [run(0), run(1000, { kind: 'once', kill: null, ended: ended(1000, { status: 0, signal: null }) })],
    uploads: [upload('a.jpg', 500), upload('b.jpg', 1500)],
    stored: [stored('a.jpg', A), stored('b.jpg', B)],
    mostAtOnce: 2,
    arrivals: [500, 1500],
    stallMs: 10,
    requestsOfTheDay: 1,
    rows: [row('a.jpg', A), row('b.jpg', B)],
    audit: { status: 0, text: '' },
    verify: { status: 0, text: '' },
    stateFiles: ['ledger.db', 'ledger.journal', 'instance.lock', 'reserve', 'logs/receiptd.log'],
    ledgerWasDamaged: false,
    journalWasLost: false,
  };
}
