/** An agent with nothing wrong, as `status` sees it. */
import { problemsOf, type Facts, type Problem } from '../../src/core/domain/problem.ts';
import type { Overview } from '../../src/cli/overview.ts';
import type { Config } from '../../src/config/config.ts';
import type { FolderStatus, StatusResponse } from '../../src/control/protocol/protocol.ts';
import type { Hold } from '../../src/core/domain/hold.ts';
import type { StateCount } from '../../src/core/ports/ledgerReports.ts';

export const NOW = new Date(2026, 2, 2, 12, 0).getTime();
export const HOUR = 3_600_000;
export const OFFICE = { baseUrl: 'https://service.example', uid: 'u-1' };
export const SCANS = '/srv/scans';
export const config = {
  endpoints: [{ alias: 'office', key: OFFICE }],
  folders: [{ path: SCANS, alias: 'office' }],
  intake: { pollEvery: 5_000 },
  ledger: { kind: 'sqlite' },
} as unknown as Config;

export const watching: FolderStatus = {
  path: SCANS,
  endpoint: 'office',
  state: 'watching',
  message: null,
  fact: null,
  since: new Date(NOW - 2 * HOUR).toISOString(),
  mode: 'events',
  fileSystem: 'ext4',
  settling: 0,
  lastListing: new Date(NOW - 60_000).toISOString(),
};
export const daemon: StatusResponse = {
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
export const calm: Overview = {
  now: NOW,
  daemon,
  silent: null,
  problems: [],
  counts: [],
  holds: [],
  oldestWaiting: null,
};

/** What is wrong, besides nothing. */
export function problemsWith(more: Partial<Facts>): Problem[] {
  const none = { now: NOW, incidents: [], folders: [], holds: [], counts: [], endpoints: config.endpoints };
  return problemsOf({ ...none, ...more });
}

export function many(state: StateCount['state'], count: number, endpoint = OFFICE): StateCount {
  return { endpoint, folder: SCANS, state, count };
}

export function hold(more: Partial<Hold>): Hold {
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
