import { describe, expect, it } from 'vitest';
import { NEEDING_STATES } from '../../../src/core/domain/needsPerson.ts';
import { conditionOf, isOfOtherAgent, patienceOf, type Facts } from '../../../src/core/domain/problem.ts';
import { iso } from '../../../src/core/domain/words.ts';
import type { Hold } from '../../../src/core/domain/hold.ts';
import { LIST_STATES, type StateCount } from '../../../src/core/ports/ledgerReports.ts';
import { hold, HOUR, many, NOW, OFFICE, problemsWith, SCANS } from '../../support/calmAgent.ts';

const QUARTER = 15 * 60_000;
const FORMER = { ...OFFICE, uid: 'former' };

const needing = (state: StateCount['state'], count: number, reason?: string): StateCount => ({
  ...many(state, count),
  needsPerson: true,
  ...(reason !== undefined && { reason }),
});
const codes = (facts: Partial<Facts>) => problemsWith(facts).map(({ key, code }) => [key, code]);

const unreadable = {
  key: `FILE_UNREADABLE ${SCANS}`,
  code: 'FILE_UNREADABLE',
  params: { folder: SCANS, count: 1, system: 'EACCES', files: ['a.jpg'] },
  since: NOW,
} as const;

describe('the problems', () => {
  it('are none if nothing is wrong, or only dismissed cases and files that are no receipts', () => {
    expect(problemsWith({ counts: LIST_STATES.map((state) => many(state, 1)) })).toEqual([]);
    const folders = ['watching', 'starting', 'standby', 'paused'].map((state) => ({
      path: SCANS,
      state,
      why: null,
      since: NOW,
    }));
    expect(problemsWith({ folders })).toEqual([]);
  });

  it.each([
    ['missing', 'FOLDER_MISSING'],
    ['unreadable', 'FOLDER_UNREADABLE'],
    ['notADirectory', 'FOLDER_NOT_A_DIRECTORY'],
    ['unreachable', 'FOLDER_UNREACHABLE'],
    ['taken', 'FOLDER_TAKEN'],
  ])('include a folder that is %s, since when, and its settings', (state, code) => {
    const [problem, ...more] = problemsWith({
      folders: [{ path: SCANS, state, why: { is: 'missing', folder: SCANS }, since: NOW }],
    });
    expect(more).toEqual([]);
    expect(problem).toMatchObject({
      key: `folder ${SCANS}`,
      code,
      subject: SCANS,
      since: iso(NOW),
      needsAttention: true,
    });
    expect(problem?.actions).toContainEqual({
      operation: 'changeConfig',
      section: 'folders',
      folder: SCANS,
    });
  });

  it('include a folder whose first listing lasts longer than ten minutes, which resolves itself', () => {
    const starting = (lasted: number) =>
      problemsWith({ folders: [{ path: SCANS, state: 'starting', why: null, since: NOW - lasted }] });
    expect(starting(10 * 60_000 - 1)).toEqual([]);
    expect(starting(10 * 60_000)).toMatchObject([
      { key: `folder ${SCANS}`, code: 'FOLDER_UNLISTED', needsAttention: false, subject: SCANS },
    ]);
  });

  it('include a folder once, under one key, whatever the reason and whoever found it', () => {
    const params = { folder: SCANS, detail: 'No answer.' };
    const code = 'FOLDER_UNREACHABLE';
    const incidents = [{ key: `${code} ${SCANS}`, code, params, since: NOW } as const];
    const folder = (state: string) => [{ path: SCANS, state, why: null, since: NOW }];
    const key = `folder ${SCANS}`;
    expect(codes({ incidents, folders: folder('unreachable') })).toEqual([[key, code]]);
    // While the configuration changes, only the incident remains.
    expect(codes({ incidents, folders: folder('starting') })).toEqual([[key, code]]);
    expect(codes({ folders: folder('missing') })).toEqual([[key, 'FOLDER_MISSING']]);
    expect(problemsWith({ incidents })[0]?.actions[0]).toEqual({ operation: 'resume', target: SCANS });
  });

  it('are different ones if the code under the same key of an incident is another', () => {
    const incident = (key: string, code: 'PORT_IN_USE' | 'RESULTS_UNAVAILABLE') =>
      codes({ incidents: [{ key, code, params: { detail: '' }, since: NOW }] });
    expect(incident('results', 'PORT_IN_USE')).toEqual([['PORT_IN_USE results', 'PORT_IN_USE']]);
    expect(incident('results', 'RESULTS_UNAVAILABLE')).toEqual([
      ['RESULTS_UNAVAILABLE results', 'RESULTS_UNAVAILABLE'],
    ]);
    expect(incident('PORT_IN_USE x', 'PORT_IN_USE')).toEqual([['PORT_IN_USE x', 'PORT_IN_USE']]);
  });

  it('of an error say its message and hint', () => {
    const said = { code: 'FOLDER_UNWRITABLE', message: 'It is read-only.', hint: 'Remount it.' } as const;
    const incidents = [{ key: 'storage', since: NOW, ...conditionOf(said) }];
    expect(problemsWith({ incidents })).toMatchObject([
      { params: { detail: 'It is read-only. Remount it.' }, subject: null, actions: [{ operation: 'log' }] },
    ]);
  });

  const endpoint = { scope: 'endpoint', key: `${OFFICE.baseUrl}#${OFFICE.uid}` } as const;
  const service = { scope: 'service', key: OFFICE.baseUrl } as const;
  it.each<[Partial<Hold>, string, boolean, number | null | 'never', string]>([
    [{ ...service, reason: 'ECONNREFUSED' }, 'SERVICE_UNREACHABLE', false, QUARTER, 'tryHeld'],
    [{ ...service, reason: 'HTTP_503', demandedUntil: 1 }, 'SERVICE_BUSY', false, QUARTER, 'tryHeld'],
    [{ ...service, scope: 'credentials' }, 'CREDENTIALS_REFUSED', true, null, 'tryHeld'],
    [
      { ...service, scope: 'credentials', reason: 'KEYCHAIN_LOCKED' },
      'KEYCHAIN_LOCKED',
      true,
      null,
      'tryHeld',
    ],
    [{ ...endpoint, reason: 'HTTP_403' }, 'ENDPOINT_HELD', true, null, 'tryHeld'],
    [{ ...endpoint, reason: 'HTTP_429' }, 'ENDPOINT_BUSY', false, QUARTER, 'changeConfig'],
    [{ ...endpoint, reason: 'HTTP_402' }, 'ENDPOINT_BUSY', false, QUARTER, 'changeConfig'],
    [{ ...endpoint, reason: 'PAUSED', until: null }, 'UPLOADS_PAUSED', false, 'never', 'resume'],
    [{ scope: 'folder', key: SCANS, reason: 'PAUSED' }, 'UPLOADS_PAUSED', false, 'never', 'resume'],
    [{ reason: 'PAUSED' }, 'UPLOADS_PAUSED', false, 'never', 'resume'],
  ])('include a hold %j', (more, code, needsAttention, patience, operation) => {
    const [problem, ...others] = problemsWith({ holds: [hold(more)], counts: [many('held', 1204)] });
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      code,
      needsAttention,
      since: iso(NOW - HOUR),
      params: { waiting: 1204 },
      actions: [{ operation }, ...(code === 'ENDPOINT_HELD' ? [{}] : [])],
    });
    expect(problem && patienceOf(problem)).toBe(patience);
  });

  it('say who paused what', () => {
    const holds = [hold({ ...endpoint, reason: 'PAUSED', message: 'ann' })];
    expect(problemsWith({ holds })).toMatchObject([
      { params: { by: 'ann', target: 'office' }, actions: [{ operation: 'resume', target: 'office' }] },
    ]);
  });

  it('attribute refused credentials to their account and its endpoints only', () => {
    const shop = { ...OFFICE, uid: 'u-2' };
    const endpoints = [
      { alias: 'office', key: OFFICE },
      { alias: 'shop', key: shop, account: 'branch' },
    ];
    const counts = [many('queued', 5), many('held', 7, shop)];
    const of = (key: string) =>
      problemsWith({ endpoints, counts, holds: [hold({ scope: 'credentials', key })] });
    expect(of(`${OFFICE.baseUrl} account branch`)).toMatchObject([
      { params: { account: 'branch', waiting: 7 } },
    ]);
    expect(of(OFFICE.baseUrl)).toMatchObject([{ params: { account: null, waiting: 5 } }]);
    expect(of(OFFICE.baseUrl)[0]?.key).not.toBe(of(`${OFFICE.baseUrl} account branch`)[0]?.key);
  });

  it('include what needs attention once for each folder, with the number for each reason', () => {
    const other = { ...needing('failed', 1), folder: '/other' };
    const counts = [
      needing('failed', 2),
      needing('rejected', 3, 'TOO_LARGE'),
      { ...needing('rejected', 1, 'TOO_LARGE'), endpoint: FORMER },
      many('rejected', 70),
      many('accepted', 900),
      other,
    ];
    const [here, there, ...more] = problemsWith({ counts });
    expect(more).toEqual([]);
    expect(here).toMatchObject({ key: `documents ${SCANS}`, code: 'PERSON_NEEDED', since: null });
    expect(here?.params).toEqual({
      folder: SCANS,
      count: 6,
      needs: [
        { state: 'failed', reason: null, count: 2 },
        { state: 'rejected', reason: 'TOO_LARGE', count: 4 },
      ],
    });
    expect(here?.actions).toEqual([{ operation: 'list', states: ['failed', 'rejected'], folder: SCANS }]);
    expect(there?.subject).toBe('/other');
    for (const state of NEEDING_STATES)
      expect(problemsWith({ counts: [needing(state, 2)] })[0]?.actions).toMatchObject([{ states: [state] }]);
  });

  it('include an unreadable file once, as the incident that names it, and not once it is dismissed', () => {
    const counts = [needing('unreadable', 1, 'EACCES')];
    expect(codes({ counts, incidents: [unreadable] })).toEqual([[unreadable.key, 'FILE_UNREADABLE']]);
    expect(codes({ counts })).toEqual([[`documents ${SCANS}`, 'PERSON_NEEDED']]);
    // The incident can't name it.
    const misnamed = [...counts, needing('unreadable', 1, 'NAME_NOT_UTF8')];
    expect(problemsWith({ counts: misnamed, incidents: [unreadable] })).toMatchObject([
      { code: 'FILE_UNREADABLE' },
      { params: { count: 1 } },
    ]);
    expect(codes({ counts: [many('unreadable', 1)], incidents: [unreadable] })).toEqual([]);
  });

  it('include documents that wait for an endpoint which is no longer configured', () => {
    const waits = (folder: string) => ({ ...many('queued', 2, FORMER), folder });
    const counts = [many('queued', 2), many('accepted', 9, FORMER), waits('C:\\scans'), waits('/old')];
    expect(problemsWith({ counts })).toMatchObject([
      {
        code: 'ENDPOINT_GONE',
        params: { endpoint: `${OFFICE.baseUrl}#former`, count: 4, tookSome: true },
      },
    ]);
    expect(problemsWith({ counts: counts.slice(2) })).toMatchObject([{ params: { tookSome: false } }]);
  });

  it('of other agents of the fleet are told apart, because those alert about them', () => {
    const counts = [
      { ...many('queued', 2, FORMER), folder: 'share:mail' },
      { ...needing('failed', 4), folder: 'front:/a' },
      { ...needing('failed', 3), folder: 'back:/a' },
    ];
    const holds = [hold({ agent: 'front' })];
    const problems = problemsWith({ counts, holds });
    expect(problems.map(({ code, params }) => ({ code, ...params }))).toMatchObject([
      { code: 'ENDPOINT_HELD', agent: 'front' },
      { code: 'PERSON_NEEDED', folder: null, count: 7 },
    ]);
    expect(problems.map(isOfOtherAgent)).toEqual([true, true]);
    expect(problemsWith({ counts: [needing('failed', 4)], holds: [hold({})] }).map(isOfOtherAgent)).toEqual([
      false,
      false,
    ]);
  });
});
