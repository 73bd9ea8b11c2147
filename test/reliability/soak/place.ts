import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import YAML from 'yaml';
import { UIDS, type Alias } from '../support/office.ts';

/** Limits that the service must never see exceeded. `depot` has the short window, `office` the long one. */
export const LIMITS = {
  concurrency: 8,
  office: { concurrency: 6, count: 2400, intervalMs: 60_000, rate: '2400/min' },
  depot: { concurrency: 4, count: 30, intervalMs: 1_000, rate: '30/s' },
} as const;

/** Timeout of an upload, per phase of the request. */
const TIMEOUT = '3s';
export const LOG_FILES = { maxBytes: 1_000_000, files: 3 };

export interface Inbox {
  readonly key: 'counter' | 'tree' | 'share' | 'filed' | 'emptied';
  readonly dir: string;
  readonly alias: Alias;
  readonly after: 'keep' | 'archive' | 'delete';
  readonly recursive: boolean;
  readonly polled: boolean;
}

/** A directory with a config, five watched folders, and space for the state and the sandbox. */
export interface Place {
  readonly dir: string;
  readonly config: string;
  readonly stateDir: string;
  readonly sandboxDir: string;
  readonly archive: string;
  readonly inboxes: readonly Inbox[];
}

export async function makePlace(): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-soak-'));
  const inbox = (key: Inbox['key'], alias: Alias, more: Partial<Inbox> = {}): Inbox => ({
    key,
    dir: join(dir, key),
    alias,
    after: 'keep',
    recursive: false,
    polled: false,
    ...more,
  });
  const inboxes = [
    inbox('counter', 'office'),
    inbox('tree', 'office', { recursive: true }),
    inbox('share', 'depot', { polled: true }),
    inbox('filed', 'office', { after: 'archive' }),
    inbox('emptied', 'depot', { after: 'delete' }),
  ];
  for (const each of inboxes) await mkdir(each.dir);
  return {
    dir,
    config: join(dir, 'receiptd.yaml'),
    stateDir: join(dir, 'state'),
    sandboxDir: join(dir, 'sandbox'),
    archive: join(dir, 'filed', 'archive'),
    inboxes,
  };
}

export async function writeConfig(place: Place, baseUrl: string): Promise<void> {
  const { office, depot } = LIMITS;
  const config = {
    service: { baseUrl, timeouts: { connect: TIMEOUT, progress: TIMEOUT, headers: TIMEOUT, body: TIMEOUT } },
    endpoints: {
      office: { uid: UIDS.office, concurrency: office.concurrency, rate: office.rate },
      depot: { uid: UIDS.depot, concurrency: depot.concurrency, rate: depot.rate },
    },
    folders: place.inboxes.map(({ dir, alias, after, recursive, polled }) => ({
      path: dir,
      endpoint: alias,
      recursive,
      watch: polled ? 'poll' : 'auto',
      afterUpload: after,
      ...(after === 'archive' && { archiveTo: place.archive }),
      // Lets a fault of the service target one endpoint.
      name: `${alias}-{stem}-{hash:12}`,
      settle: { short: '200ms', long: '1s', patience: '4s' },
    })),
    delivery: { concurrency: LIMITS.concurrency, grace: '5s' },
    intake: { reconcileEvery: '10s', pollEvery: '1s' },
    storage: { backupEvery: '10m', backups: 2 },
    stateDir: place.stateDir,
    log: { level: 'info', maxSize: `${LOG_FILES.maxBytes / 1_000_000}MB`, maxFiles: LOG_FILES.files },
  };
  await writeFile(place.config, YAML.stringify(config));
}
