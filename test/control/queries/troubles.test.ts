import { NEEDING_STATES } from '../../../src/core/domain/needsPerson.ts';
import { describe, expect, it } from 'vitest';
import type { Overview } from '../../../src/cli/overview.ts';
import { troubles, type Trouble } from '../../../src/control/queries/troubles.ts';
import type { Hold } from '../../../src/core/ports/hold.ts';
import { LIST_STATES } from '../../../src/core/ports/ledgerReports.ts';
import {
  calm,
  config,
  daemon,
  hold,
  HOUR,
  many,
  NOW,
  OFFICE,
  SCANS,
  watching,
  ZONE,
} from '../../support/calmAgent.ts';

/** Who must act: a person or nobody. */
function sorted(overview: Partial<Overview>) {
  const all = troubles(config.endpoints, { ...calm, ...overview });
  return {
    person: all.filter(({ person }) => person).map(sentence),
    passing: all.filter(({ person }) => !person).map(sentence),
  };
}

const sentence = ({ text, advice }: Trouble): string => `${text} ${advice}`;

describe('the problems in the status', () => {
  it.each(['missing', 'unreadable', 'notADirectory', 'unreachable', 'taken'] as const)(
    'include a folder that is %s, with the time and what to do',
    (state) => {
      const folder = { ...watching, state, message: `${SCANS} is in trouble.` };
      const { person } = sorted({ daemon: { ...daemon, folders: [folder] } });
      expect(person).toHaveLength(1);
      expect(person[0]).toMatch(
        /^\/srv\/scans is in trouble\. Since 2026-03-02 10:00:00 [+-]\d\d:\d\d\. .{30,}\. \[FOLDER_[A-Z_]+\]$/,
      );
    },
  );

  it('include an unreadable file once, as the incident that names it', () => {
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
    const misnamed = [
      ...counts,
      { ...many('unreadable', 1), needsPerson: true as const, reason: 'NAME_NOT_UTF8' },
    ];
    expect(sorted({ counts: misnamed, daemon: { ...daemon, incidents: [incident] } }).person).toEqual([
      expect.stringContaining('a.jpg'),
      expect.stringContaining('Rename the file'),
    ]);
    const dismissed = [many('unreadable', 1)];
    expect(sorted({ counts: dismissed, daemon: { ...daemon, incidents: [incident] } }).person).toEqual([]);
  });

  it('include a folder once if an incident already covers it', () => {
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
      expect(found[who][0]).toContain('1,204 documents are waiting');
      expect(found[who][0]).toContain(advice);
      expect(found[who][0]).toContain(more.until === null ? 'paused' : '2026-03-02 12:01:00');
      // The bare code is for programs.
      expect(found[who][0]).not.toMatch(/HTTP_\d|PAUSED/);
    },
  );

  it('end a hold with its code, and say once that it is retried', () => {
    const message = 'The service answered HTTP 503. receiptd retries automatically. [SERVICE_ANSWER]';
    const [text = ''] = sorted({ holds: [hold({ scope: 'service', key: OFFICE.baseUrl, message })] }).passing;
    expect(text).toMatch(/ The service answered HTTP 503\. Nothing is lost, .* \[SERVICE_ANSWER\]$/);
    expect(text).not.toContain('automatically');
  });

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
    expect(branch).toContain('7 documents are waiting');
    expect(branch).toContain('`receiptd login --account branch`');
    expect(of(OFFICE.baseUrl)).toMatch(
      /^The credentials have not worked .*5 documents are waiting.*`receiptd login`/,
    );
  });

  it('state that a hold is retried once the agent runs', () => {
    const [text] = sorted({ daemon: null, holds: [hold({})] }).person;
    expect(text).toContain('it is retried when the agent runs');
  });

  it('list each state that needs a person, with the command that lists its documents', () => {
    for (const state of NEEDING_STATES) {
      const { person, passing } = sorted({ counts: [{ ...many(state, 2), needsPerson: true }] });
      expect(passing).toEqual([]);
      expect(person).toEqual([expect.stringContaining(`receiptd list --needs-person --state ${state}\``)]);
    }
    // Dismissed, or not a receipt.
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
  });

  it('include an endpoint that has waiting documents but is no longer configured', () => {
    const former = { ...OFFICE, uid: 'former' };
    const { person } = sorted({ counts: [many('queued', 2, former), many('accepted', 9, former)] });
    expect(person).toEqual([
      expect.stringMatching(
        /^2 documents are waiting for the endpoint .*#former, which is no longer in the config/,
      ),
    ]);
  });
});
