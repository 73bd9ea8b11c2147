/** Every setting that the schema has, except those read only at a start, applies to a running agent. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { AT_START } from '../../src/config/live.ts';
import { readConfig, type ReadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/config.ts';
import { openSqliteLedger } from '../../src/ledger/sqlite/open.ts';
import { OpenIncidents } from '../../src/daemon/openIncidents.ts';
import { Settings } from '../../src/wiring/settings.ts';
import { settingsOf } from '../config/settingsOfSchema.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { tempDir } from '../support/tempDir.ts';

/** Shares are part of what a start claims. */
const NOT_LIVE = new Set([...AT_START, 'stateDir', 'folders[].share']);
const LIVE = settingsOf().filter((id) => !NOT_LIVE.has(id));

const LIMITS = { concurrency: 3, rate: '5/min', perDay: 70, perMonth: 800 };
const TLS = { cert: 'tls.crt', key: 'tls.key' };
/** All of them, none with its default. */
const FULL = {
  service: {
    baseUrl: 'https://service.example',
    allowInsecureHttp: true,
    uploadContentType: 'application/octet-stream',
    proxy: 'http://proxy:3128',
    ca: 'ca.pem',
    answerLimit: '1kB',
    timeouts: { connect: '1s', progress: '2s', headers: '3s', body: '4s' },
  },
  credentials: { store: 'file', file: 'ours.json' },
  accounts: { branch: { store: 'file', file: 'branch.json' } },
  endpoints: { office: { uid: 'u-1', account: 'branch', ...LIMITS }, depot: { uid: 'u-2' } },
  folders: [
    {
      path: '/srv/scans',
      endpoint: 'depot',
      watch: 'poll',
      recursive: true,
      include: ['*.png'],
      ignore: ['b*'],
      builtInIgnores: false,
      settle: { short: '1s', long: '2s', patience: '3s' },
      name: '{stem}',
      nameMaxBytes: 64,
      accept: ['png', 'pdf'],
      pages: 'whole',
      pageResolution: 72,
      qualityCheck: 'warn',
      upright: true,
      maxFileSize: '1kB',
      existing: 'skip',
      afterUpload: 'archive',
      archiveTo: 'kept',
      afterUploadOn: ['DONE'],
      afterUploadExisting: 'leave',
      needsAttention: '_look',
      silentAfter: '4h',
    },
    { path: '/srv/more', endpoint: 'office' },
  ],
  delivery: {
    ...LIMITS,
    spread: false,
    bandwidth: '1kB/s',
    hours: ['Mon-Fri 07:00-19:00'],
    grace: '1s',
    parkAfter: 2,
  },
  intake: { reconcileEvery: '1s', pollEvery: '2s', takeOverAfter: '3s', confirmAbove: 4 },
  spool: 'always',
  storage: { spoolLimit: '1MB', keepFailed: '2h' },
  console: {
    listen: '127.0.0.1:8471',
    tls: TLS,
    hosts: ['scans.example'],
    thumbnails: 'off',
    roots: ['/srv/roots'],
  },
  monitoring: { listen: '127.0.0.1:9464' },
  language: 'de',
  alerts: {
    after: '0s',
    quietHours: ['Mon-Fri 19:00-07:00'],
    digest: '07:30',
    silentAfter: '3h',
    desktop: true,
    eventLog: true,
    command: ['/bin/tell'],
    webhook: { url: 'https://hooks.example', secretFile: 'secret' },
    email: {
      server: 'smtps://mail.example',
      user: 'scans',
      passwordFile: 'password',
      from: 'scans@example.com',
      to: ['ann@example.com'],
    },
  },
  results: {
    listen: '127.0.0.1:8472',
    tls: TLS,
    maxSize: '1kB',
    rate: '2/h',
    columns: { total: '/total' },
    command: ['/bin/book'],
  },
};

type Values = Record<string, unknown>;

/** They have no default; so they have another value first. */
const REQUIRED: Readonly<Record<string, string>> = {
  'service.baseUrl': 'https://other.example',
  'endpoints.*.uid': 'u-3',
  'folders[].path': '/srv/other',
  'folders[].endpoint': 'office',
};

/** A copy without one setting, and without what holds it as often as `above`. */
function without(id: string, above: number): object {
  const copy = structuredClone(FULL) as Values;
  const keys = id.split(/(?:\[\])?\./);
  const path = keys.slice(0, keys.length - above);
  const last = path.pop() ?? '';
  let holder = copy;
  for (const key of path) {
    const next = key === '*' ? Object.values(holder)[0] : holder[key];
    holder = (Array.isArray(next) ? next[0] : next) as Values;
  }
  const key = last === '*' ? (Object.keys(holder)[0] ?? '') : last;
  if (!Object.hasOwn(holder, key)) throw new Error(`FULL has no ${id}`);
  if (above === 0 && id in REQUIRED) holder[key] = REQUIRED[id];
  else delete holder[key];
  return copy;
}

/** Sections whose services outlive the agent's generation. */
const BESIDE = /^(?:console|monitoring|alerts|results)\./;

it('each is in what a running agent is given once the file says so', async () => {
  const dir = tempDir('live-settings');
  const file = join(dir, 'receiptd.yaml');
  const context = { env: {}, platform: process.platform, home: dir, cwd: dir, isRoot: false };
  const textOf = (keys: object): string => JSON.stringify({ ...keys, stateDir: 'state' });
  await writeFile(file, textOf(FULL));
  const [clock, log] = [new FakeClock(), new RecordedLog()];
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  onTestFinished(() => ledger.close());
  const lasting = { ledger, incidents: new OpenIncidents({ clock, log }), log, clock };
  let given: Config[] = [];
  const replace = async (config: Config): Promise<void> => void given.push(config);
  const settings = await Settings.read({ file, context, lasting, replace, foresee: async () => [] });
  settings.inEffect.onTaken((config) => given.push(config));
  const apply = async (text: string): Promise<void> => {
    given = [];
    await writeFile(file, text);
    await settings.inEffect.readAgain();
  };
  const full = textOf(FULL);
  const { config, parsed } = readConfig(full, file, context);
  // Functions can't be compared; what they come from is compared with them.
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
  const whole = plain(config);
  /** What needs the setting, such as a certificate its key, is left out with it. */
  const fewer = (id: string, above = 0): { text: string; read: ReadConfig } => {
    const text = textOf(without(id, above));
    try {
      return { text, read: readConfig(text, file, context) };
    } catch (error) {
      if (above > 1) throw error;
      return fewer(id, above + 1);
    }
  };
  for (const id of LIVE) {
    const { text, read } = fewer(id);
    expect.soft(read.parsed, `${id} has its default`).not.toEqual(parsed);
    await apply(text);
    await apply(full);
    expect.soft(given.map(plain), id).toEqual(BESIDE.test(id) ? [whole] : [whole, whole]);
  }
  expect(LIVE.length).toBeGreaterThan(70);
});
