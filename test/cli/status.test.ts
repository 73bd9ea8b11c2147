import { noteJson } from '../../src/control/protocol/noteJson.ts';
import { NEEDING_STATES } from '../../src/core/domain/needsPerson.ts';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import type { Overview } from '../../src/cli/overview.ts';
import { printStatus } from '../../src/cli/statusText.ts';
import { troubles, type Trouble } from '../../src/control/queries/troubles.ts';
import type { Config } from '../../src/config/config.ts';
import {
  FOLDER_STATES,
  type FolderStatus,
  type StatusResponse,
} from '../../src/control/protocol/protocol.ts';
import { HOLD_SCOPES, type Hold } from '../../src/core/ports/hold.ts';
import { LIST_STATES, type StateCount } from '../../src/core/ports/ledgerReports.ts';
import { local } from '../../src/core/domain/words.ts';

const NOW = new Date(2026, 2, 2, 12, 0).getTime();
/** As +01:00, wherever the test runs. */
const ZONE = local(NOW).slice(-6);
const HOUR = 3_600_000;
const OFFICE = { baseUrl: 'https://service.example', uid: 'u-1' };
const SCANS = '/srv/scans';
const config = {
  endpoints: [{ alias: 'office', key: OFFICE }],
  folders: [{ path: SCANS, alias: 'office' }],
  intake: { pollEveryMs: 5_000 },
  ledger: { kind: 'sqlite' },
} as unknown as Config;

const watching: FolderStatus = {
  path: SCANS,
  endpoint: 'office',
  state: 'watching',
  message: null,
  since: new Date(NOW - 2 * HOUR).toISOString(),
  mode: 'events',
  fileSystem: 'ext4',
  settling: 0,
  lastListing: new Date(NOW - 60_000).toISOString(),
};
const daemon: StatusResponse = {
  pid: 4711,
  startedAt: new Date(NOW - 3 * HOUR).toISOString(),
  version: '1.2.3',
  folders: [watching],
  inFlight: 1,
  limitedBy: [],
  incidents: [],
  notes: [],
  spool: { mode: 'auto', used: 0, limit: 2_000_000_000, images: 0 },
};
const calm: Overview = { now: NOW, daemon, silent: null, counts: [], holds: [], oldestWaiting: null };

function many(state: StateCount['state'], count: number, endpoint = OFFICE): StateCount {
  return { endpoint, folder: SCANS, state, count };
}

function hold(more: Partial<Hold>): Hold {
  return {
    scope: 'endpoint',
    key: 'https://service.example#u-1',
    reason: 'HTTP_403',
    message: 'The service does not allow uploads to this endpoint.',
    since: NOW - HOUR,
    until: NOW + 60_000,
    demandedUntil: null,
    ...more,
  };
}

function textOf(overview: Partial<Overview>, used: Config = config): string {
  const stdout = new PassThrough();
  printStatus({ stdout, env: {} } as unknown as Io, used, { ...calm, ...overview });
  return String(stdout.read());
}

/** Who has to do with it: a person, or nobody. */
function sorted(overview: Partial<Overview>) {
  const all = troubles(config.endpoints, { ...calm, ...overview });
  return {
    person: all.filter(({ person }) => person).map(sentence),
    passing: all.filter(({ person }) => !person).map(sentence),
  };
}

const sentence = ({ text, advice }: Trouble): string => `${text} ${advice}`;

describe('status', () => {
  it('reports in one line that nothing is wrong', () => {
    expect(textOf({ counts: [many('accepted', 1204), many('duplicate', 1)] }).split('\n')).toEqual([
      `Running since 2026-03-02 09:00:00 ${ZONE} (process 4711, version 1.2.3); 1 upload is under way.`,
      'Nothing is wrong. Nothing is waiting to be sent.',
      '',
      '/srv/scans → endpoint office',
      `  Watched since 2026-03-02 10:00:00 ${ZONE}; new files are noticed at once; file system ext4; last listed 2026-03-02 11:59:00 ${ZONE}.`,
      '  1,204 accepted, 1 duplicate (not sent again).',
      '',
    ]);
  });

  it('shows the number waiting and for how long, what slows uploads, and the size of the spool', () => {
    const text = textOf({
      counts: [many('queued', 1500), many('uploading', 2)],
      oldestWaiting: NOW - 3 * HOUR,
      daemon: {
        ...daemon,
        notes: [noteJson({ kind: 'deferred', images: 1_204 })],
        spool: { mode: 'auto', used: 12_400_000, limit: 2_000_000_000, images: 3 },
        folders: [{ ...watching, mode: 'polled', fileSystem: 'nfs', settling: 2 }],
      },
    });
    expect(text).toContain('1,502 documents are waiting to be sent, the oldest for 3 hours.\n');
    expect(text).toContain('1,204 images were deferred while the ledger was unreachable,');
    expect(text).toContain('Copies of 3 images are kept in the state directory (12 MB of at most 2.0 GB).\n');
    expect(text).toContain('listed every 5 seconds; file system nfs;');
    expect(text).toContain('2 files are not at rest yet.\n');
  });

  it('uses the singular for one copy, and reports where a ledger was moved', () => {
    const spool = { mode: 'auto', used: 100, limit: 2_000_000_000, images: 1 } as const;
    expect(textOf({ daemon: { ...daemon, spool } })).toContain('A copy of 1 image is kept in the state');
    const moved = textOf({
      daemon: null,
      movedAway: 'The ledger was moved to another PC (2026-01-31T08:00:00.000Z), and receiptd runs there.',
    });
    expect(moved).toContain('moved to another PC (2026-01-31T08:00:00.000Z)');
    expect(moved).not.toContain('Start it');
  });

  it('reports that no agent is running, or that the running agent does not respond properly', () => {
    expect(textOf({ daemon: null })).toMatch(/^Not running\. Start it with `receiptd run`\.\n/);
    const silent = "This version does not understand the running agent's answer. [CONTROL_FAILED]";
    expect(textOf({ daemon: null, silent })).toContain(`Running, but not responding properly: ${silent}\n`);
    expect(textOf({ daemon: null })).not.toContain('Nothing is wrong');
  });

  it('shows which ledger is shared, and the name of this agent', () => {
    const url = 'postgres://receiptd@db1.example.com,db2.example.com/scans?sslmode=verify-full';
    const ledger = { kind: 'postgres', url, passwordFile: null, ca: null, agent: 'front', leaseMs: 15_000 };
    const text = textOf({}, { ...config, ledger } as unknown as Config);
    expect(text).toContain(
      'The ledger is the database scans at db1.example.com, db2.example.com, shared by several agents. This agent is front.',
    );
    expect(textOf({})).not.toContain('which agents share');
  });

  it('shows no document counts while a shared ledger is unreachable', () => {
    const incident = {
      code: 'LEDGER_UNREACHABLE',
      subject: null,
      message: "The ledger can't be reached.",
      hint: '',
      since: daemon.startedAt,
    } as const;
    const text = textOf({ daemon: { ...daemon, incidents: [incident] }, counts: [] });
    expect(text).not.toContain('Nothing seen yet');
    expect(text).toMatch(/can't be reached\. Since [^.]*\. \[LEDGER_UNREACHABLE\]\n/);
    expect(textOf({ counts: [] })).toContain('Nothing seen yet.');
  });

  it('does not report a folder that another agent watches as a problem', () => {
    const folder = { ...watching, state: 'standby', message: 'Agent back picks up its scans.' } as const;
    const text = textOf({ daemon: { ...daemon, folders: [folder] } });
    expect(text).toMatch(
      /On standby since .*; its documents are also sent from here; Agent back picks up its scans\.\n/,
    );
    expect(sorted({ daemon: { ...daemon, folders: [folder] } })).toEqual({ person: [], passing: [] });
  });

  it('escapes terminal sequences and line breaks in file names and messages', () => {
    const text = textOf({ holds: [hold({ message: 'a\u001b[31m\nb' })] });
    expect(text).not.toContain('\u001b');
    expect(text).toContain('a\\u001b[31m\\nb');
  });
});

describe('the problems in the status', () => {
  it.each([
    ['missing', 'person'],
    ['unreadable', 'person'],
    ['notADirectory', 'person'],
    ['unreachable', 'person'],
    ['taken', 'person'],
  ] as const)('include a folder that is %s (%s), with the time and what to do', (state, who) => {
    const folder = { ...watching, state, message: `${SCANS} is in trouble.` };
    const found = sorted({ daemon: { ...daemon, folders: [folder] } });
    expect(found[who]).toHaveLength(1);
    expect(found[who][0]).toMatch(
      /^\/srv\/scans is in trouble\. Since 2026-03-02 10:00:00 [+-]\d\d:\d\d\. .{30,}\.$/,
    );
  });

  it('report an unreadable file once, as the incident that names it', () => {
    const counts = [{ ...many('unreadable', 1), needsPerson: true as const, reason: 'EACCES' }];
    const incident = {
      code: 'FILE_UNREADABLE' as const,
      subject: SCANS,
      message: `1 file in ${SCANS} can't be read (EACCES): a.jpg.`,
      hint: "Allow the agent's user to read them.",
      since: new Date(NOW - HOUR).toISOString(),
    };
    const told = sorted({ counts, daemon: { ...daemon, incidents: [incident] } });
    expect(told.person).toEqual([expect.stringContaining('a.jpg')]);
    expect(sorted({ counts }).person).toEqual([expect.stringContaining("1 file can't be opened")]);
    const dismissed = [many('unreadable', 1)];
    expect(sorted({ counts: dismissed, daemon: { ...daemon, incidents: [incident] } }).person).toEqual([]);
  });

  it('report a folder once if an incident already covers it', () => {
    const folder = { ...watching, state: 'unreachable' as const, message: `${SCANS} does not answer.` };
    const incident = {
      code: 'FOLDER_UNREACHABLE' as const,
      subject: SCANS,
      message: `${SCANS} does not answer.`,
      hint: 'Look at the share.',
      since: new Date(NOW - HOUR).toISOString(),
    };
    const found = sorted({ daemon: { ...daemon, folders: [folder], incidents: [incident] } });
    expect(found.passing).toEqual([]);
    expect(found.person).toEqual([
      `${SCANS} does not answer. Since 2026-03-02 11:00:00 ${ZONE}. Look at the share. [FOLDER_UNREACHABLE]`,
    ]);
  });

  it.each([
    [{ scope: 'service', key: OFFICE.baseUrl, reason: 'ECONNREFUSED' }, 'passing', 'Nothing is lost'],
    [{ scope: 'credentials', key: OFFICE.baseUrl, reason: 'HTTP_401' }, 'person', '`receiptd login`'],
    [{ reason: 'HTTP_403' }, 'person', '`receiptd retry --all`'],
    [{ reason: 'HTTP_402' }, 'person', '`receiptd retry --all`'],
    [{ reason: 'HTTP_429' }, 'passing', 'Nothing is lost'],
    [{ reason: 'PAUSED', until: null }, 'person', '`receiptd resume office`'],
    [
      { scope: 'folder', key: SCANS, reason: 'PAUSED', until: null },
      'person',
      `\`receiptd resume ${SCANS}\``,
    ],
  ] as [Partial<Hold>, 'person' | 'passing', string][])(
    'include a hold %j (%s), with the time and what to do',
    (more, who, advice) => {
      const found = sorted({ holds: [hold(more)], counts: [many('held', 1204)] });
      expect(found[who]).toHaveLength(1);
      expect(found[who][0]).toContain('since 2026-03-02 11:00:00');
      expect(found[who][0]).toContain('1,204 documents wait for that');
      expect(found[who][0]).toContain(advice);
      expect(found[who][0]).toContain(more.until === null ? 'paused' : '2026-03-02 12:01:00');
      // The bare code is for programs.
      expect(found[who][0]).not.toMatch(/HTTP_\d|PAUSED/);
    },
  );

  it('attribute rejected credentials to their account and its endpoints only', () => {
    const shop = { ...OFFICE, uid: 'u-2' };
    const endpoints = [
      { alias: 'office', key: OFFICE },
      { alias: 'shop', key: shop, account: 'branch' },
    ];
    const counts = [many('queued', 5), many('held', 7, shop)];
    const of = (key: string) =>
      troubles(endpoints, { ...calm, holds: [hold({ scope: 'credentials', key })], counts }).map(sentence)[0];
    const branch = of(`${OFFICE.baseUrl} account branch`);
    expect(branch).toContain('The credentials of account branch have not worked');
    expect(branch).toContain('7 documents wait for that');
    expect(branch).toContain('`receiptd login --account branch`');
    expect(of(OFFICE.baseUrl)).toMatch(
      /^The credentials have not worked .*5 documents wait for that.*`receiptd login`/,
    );
  });

  it('say that a hold is retried once the agent runs', () => {
    const [text] = sorted({ daemon: null, holds: [hold({})] }).person;
    expect(text).toContain('it is retried when the agent runs');
  });

  it('list each state that needs a person, with the command that lists its documents', () => {
    for (const state of NEEDING_STATES) {
      const { person, passing } = sorted({ counts: [{ ...many(state, 2), needsPerson: true }] });
      expect(passing).toEqual([]);
      expect(person).toEqual([expect.stringContaining(`receiptd list --needs-person --state ${state}\``)]);
    }
    // Dismissed, or no receipt.
    expect(sorted({ counts: LIST_STATES.map((state) => many(state, 1)) })).toEqual({
      person: [],
      passing: [],
    });
  });

  it.each([
    ['TOO_LARGE', '3 files are too large to be sent.'],
    ['PDF_NOT_ACCEPTED', '3 PDFs were not sent, because their folder does not accept PDFs.'],
    ['TYPE_NOT_ACCEPTED', '3 images are of a type that their folder does not accept.'],
    ['TYPE_UNKNOWN', "3 images are of a type that can't be sent."],
    ['DAMAGED', '3 damaged files may be receipts.'],
  ])('include files that may be receipts, with the reason in plain words: %s', (reason, text) => {
    const counts = [{ ...many('rejected', 3), needsPerson: true as const, reason }, many('rejected', 7)];
    expect(sorted({ counts }).person).toEqual([expect.stringContaining(text)]);
    expect(textOf({ counts })).not.toContain('Nothing is wrong');
  });

  it('include an endpoint that has waiting documents but is no longer configured', () => {
    const former = { ...OFFICE, uid: 'former' };
    const { person } = sorted({ counts: [many('queued', 2, former), many('accepted', 9, former)] });
    expect(person).toEqual([
      expect.stringMatching(/^2 documents wait for the endpoint .*#former, which is no longer in the config/),
    ]);
  });

  it('have a sentence for every folder state and every kind of hold', () => {
    for (const state of FOLDER_STATES) {
      const text = textOf({ daemon: { ...daemon, folders: [{ ...watching, state }] } });
      // The hold says since when it is paused.
      expect(text).toContain(state === 'paused' ? 'paused' : '2026-03-02 10:00:00');
      expect(text).not.toContain('undefined');
    }
    for (const scope of HOLD_SCOPES) expect(textOf({ holds: [hold({ scope })] })).toMatch(/:\n {2}\S.+\.\n/);
  });
});
