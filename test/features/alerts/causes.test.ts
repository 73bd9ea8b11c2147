import { expect, it } from 'vitest';
import { causesOf, type Sight } from '../../../src/features/alerts/causes.ts';
import type { Incident } from '../../../src/core/ports/incident.ts';
import type { Hold } from '../../../src/core/ports/hold.ts';
import type { ListState } from '../../../src/core/ports/ledgerReports.ts';

const OFFICE = { baseUrl: 'https://api.example.com', uid: 'u-1' };
const ENDPOINT = `${OFFICE.baseUrl}#${OFFICE.uid}`;

const sight = (more: Partial<Sight>): Sight => ({
  now: 1_000,
  incidents: [],
  isOfGeneration: () => true,
  folders: [],
  holds: [],
  counts: [],
  endpoints: [{ key: OFFICE, alias: 'office' }],
  ...more,
});
const hold = (more: Partial<Hold>): Hold => ({
  scope: 'service',
  key: OFFICE.baseUrl,
  reason: 'TIMEOUT',
  message: 'No answer came',
  since: 1,
  until: 2,
  demandedUntil: null,
  ...more,
});
const shown = (more: Partial<Sight>) =>
  [...causesOf(sight(more)).values()].map(({ key, code, patienceMs }) => [key, code, patienceMs]);

it('a missing folder is one cause, whatever the reason and whoever reports it', () => {
  const incident = {
    key: 'FOLDER_UNREACHABLE /scans',
    code: 'FOLDER_UNREACHABLE',
    message: '/scans gives no answer.',
    hint: 'Bring it back.',
    since: 5,
  } as const;
  const folder = (state: string) => ({ path: '/scans', state, message: null, since: 5 });
  expect(shown({ incidents: [incident], folders: [folder('unreachable')] })).toEqual([
    ['folder /scans', 'FOLDER_UNREACHABLE', null],
  ]);
  // While the configuration changes, only the incident remains.
  expect(shown({ incidents: [incident], folders: [folder('starting')] })).toEqual([
    ['folder /scans', 'FOLDER_UNREACHABLE', null],
  ]);
  expect(shown({ folders: [folder('missing')] })).toEqual([['folder /scans', 'FOLDER_MISSING', null]]);
  expect(shown({ folders: [folder('watching')] })).toEqual([]);
});

it('the cause of a hold contains its code once', () => {
  const message = 'No token: ECONNREFUSED. [SERVICE_UNREACHABLE]';
  const [cause] = causesOf(sight({ holds: [hold({ message })] })).values();
  expect(cause?.message).toMatch(/: No token: ECONNREFUSED\.$/);
});

it('a hold is a cause unless a person made it; one that resolves itself must last', () => {
  const quarter = 15 * 60_000;
  const endpoint = { scope: 'endpoint', key: ENDPOINT } as const;
  expect(shown({ holds: [hold({})] })).toEqual([
    [`hold service ${OFFICE.baseUrl}`, 'SERVICE_UNREACHABLE', quarter],
  ]);
  expect(shown({ holds: [hold({ scope: 'credentials' })] })).toMatchObject(
    [[{}, 'CREDENTIALS_REFUSED', null]].map(([, ...rest]) => [expect.any(String), ...rest]),
  );
  expect(shown({ holds: [hold({ ...endpoint, reason: 'HTTP_429' })] })).toEqual([
    [`hold endpoint ${ENDPOINT} HTTP_429`, 'ENDPOINT_REFUSED', quarter],
  ]);
  expect(shown({ holds: [hold({ ...endpoint, reason: 'HTTP_403' })] })).toEqual([
    [`hold endpoint ${ENDPOINT} HTTP_403`, 'ENDPOINT_FORBIDDEN', null],
  ]);
  expect(shown({ holds: [hold({ ...endpoint, reason: 'PAUSED' })] })).toEqual([]);
});

it('the credentials of each account are a separate cause, which names the account', () => {
  const [own, branch] = [
    causesOf(sight({ holds: [hold({ scope: 'credentials' })] })),
    causesOf(sight({ holds: [hold({ scope: 'credentials', key: `${OFFICE.baseUrl} account branch` })] })),
  ].map((causes) => [...causes.values()][0]);
  expect(own?.message).toMatch(/^The credentials are not accepted: /);
  expect(branch?.message).toMatch(/^The credentials of account branch are not accepted: /);
  expect(branch?.hint).toBe('Enter new ones with `receiptd login --account branch`.');
  expect(branch?.key).not.toBe(own?.key);
});

it('another code under the same key of an incident is another cause', () => {
  const incident = (key: string, code: Incident['code']) => ({
    key,
    code,
    message: '.',
    hint: '.',
    since: 5,
  });
  expect(shown({ incidents: [incident('results', 'PORT_IN_USE')] })).toEqual([
    ['incident results PORT_IN_USE', 'PORT_IN_USE', null],
  ]);
  expect(shown({ incidents: [incident('results', 'RESULTS_UNAVAILABLE')] })).toEqual([
    ['incident results RESULTS_UNAVAILABLE', 'RESULTS_UNAVAILABLE', null],
  ]);
  // Such a key already contains the code and the channel.
  expect(shown({ incidents: [incident('ALERT_UNDELIVERED email', 'ALERT_UNDELIVERED')] })).toEqual([
    ['incident ALERT_UNDELIVERED email', 'ALERT_UNDELIVERED', null],
  ]);
});

it('documents and files that need a person are one cause per folder, with their number', () => {
  const plain = (folder: string, state: ListState, value: number) => ({
    endpoint: OFFICE,
    folder,
    state,
    count: value,
  });
  const count = (folder: string, state: ListState, value: number, reason?: string) => ({
    ...plain(folder, state, value),
    needsPerson: true as const,
    reason,
  });
  const counts = [
    count('/a', 'failed', 2),
    count('/a', 'lost', 1),
    count('/a', 'rejected', 4, 'TOO_LARGE'),
    plain('/a', 'rejected', 70),
    plain('/a', 'accepted', 900),
    plain('/b', 'queued', 7),
    plain('/b', 'failed', 2),
    count('/c', 'failed', 1),
  ];
  const [a, c, ...more] = causesOf(sight({ counts })).values();
  expect(more).toEqual([]);
  expect(a).toMatchObject({
    key: 'documents /a',
    code: 'PERSON_NEEDED',
    count: 7,
    message: '7 scans from /a need a person: 2 failed, 1 lost, 4 too large.',
    hint: expect.stringContaining('`receiptd list --needs-person`'),
  });
  expect(c?.message).toBe('1 scan from /c needs a person: 1 failed.');
  expect(c?.hint).toContain('List it with');
});

it('documents that wait for an endpoint that is no longer configured are a cause', () => {
  const counts = [{ endpoint: OFFICE, folder: '/a', state: 'held', count: 4 } as const];
  expect(shown({ counts })).toEqual([]);
  expect(shown({ counts, endpoints: [] })).toEqual([[`orphans ${ENDPOINT}`, 'ENDPOINT_UNKNOWN', null]]);
});

it('documents in the own folders of other agents of the fleet are no cause here', () => {
  const of = { endpoint: OFFICE, count: 4 } as const;
  const counts = [
    { ...of, folder: 'front:/a', state: 'held' },
    { ...of, folder: 'share:mail', state: 'queued' },
    { ...of, folder: 'front:/a', state: 'failed', needsPerson: true },
  ] as const;
  expect(shown({ counts, endpoints: [] })).toEqual([]);
  // A Windows drive.
  expect(shown({ counts: [{ ...of, folder: 'C:\\scans', state: 'held' }], endpoints: [] })).toHaveLength(1);
});
