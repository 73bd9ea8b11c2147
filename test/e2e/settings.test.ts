/** Settings with another value than their default, each with its effect outside. Every check is named for its setting (test/inventory). */
import { existsSync } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { request as https } from 'node:https';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { createAuthority, hasOpenssl } from '../api/certificates.ts';
import { scriptedServer, sendJson } from '../api/scriptedServer.ts';
import { cleanUp } from '../support/cleanUp.ts';
import { drawReceipt, withTrailer } from '../support/images.ts';
import { hookServer, mailServer } from '../features/alerts/channels/receivers.ts';
import { pdfOf } from '../support/pdf.ts';
import { freePort, listen } from '../support/ports.ts';
import { OFFICE, prepare, until, type ConfigKeys, type Row, type Site } from './support/agent.ts';

const jpeg = (seed: string): Promise<Buffer> => drawReceipt({ type: 'jpeg', seed });

async function put(site: Site, path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(site.file(path)), { recursive: true });
  await writeFile(site.file(path), bytes);
}

/** Today's name, or that of a later day. */
const weekday = (days: number): string =>
  new Intl.DateTimeFormat('en', { weekday: 'short' }).format(Date.now() + days * 86_400_000);

interface FolderCase {
  readonly set: Record<string, unknown>;
  readonly file?: string;
  readonly bytes?: Buffer;
  /** From the rows of its folder. */
  readonly effect: (rows: readonly Row[], site: Site) => unknown;
  readonly expected: unknown;
}

const states = (rows: readonly Row[]): unknown => rows.map(({ state, reason }) => reason ?? state);
const drawn = pdfOf([{ content: 'BT /F1 24 Tf 72 700 Td (Total 12.30) Tj ET' }]);

const FOLDERS: Record<string, FolderCase> = {
  'folders[].recursive': {
    set: { recursive: true },
    file: 'sub/recursive.jpg',
    effect: states,
    expected: ['accepted'],
  },
  'folders[].include': { set: { include: ['*.png'] }, effect: states, expected: [] },
  'folders[].ignore': { set: { ignore: ['*.jpg'] }, effect: states, expected: [] },
  'folders[].builtInIgnores': {
    set: { builtInIgnores: false },
    file: '.hidden.jpg',
    effect: states,
    expected: ['accepted'],
  },
  'folders[].name': { set: { name: '{stem}-named' }, effect: ([row]) => row?.name, expected: 'a-named' },
  'folders[].nameMaxBytes': {
    set: { nameMaxBytes: 64 },
    file: `${'long'.repeat(30)}.jpg`,
    effect: ([row]) => row?.name?.length,
    expected: 64,
  },
  'folders[].accept': { set: { accept: ['png'] }, effect: states, expected: ['TYPE_NOT_ACCEPTED'] },
  'folders[].pages': {
    set: { pages: 'whole', accept: ['pdf'] },
    file: 'whole.pdf',
    bytes: drawn,
    effect: states,
    expected: ['accepted'],
  },
  'folders[].pageResolution': {
    set: { pageResolution: 72 },
    file: 'drawn.pdf',
    bytes: drawn,
    effect: async (rows, site) => {
      const page = rows.find(({ state }) => state === 'accepted');
      const file = site.sandbox.received().find(({ sha256 }) => sha256 === page?.sha256)?.file;
      return file === undefined ? states(rows) : (await sharp(file).metadata()).density;
    },
    expected: 72,
  },
  'folders[].maxFileSize': { set: { maxFileSize: '1kB' }, effect: states, expected: ['TOO_LARGE'] },
  'folders[].existing': { set: { existing: 'skip' }, effect: states, expected: ['EXISTING'] },
  'folders[].afterUpload': {
    set: { afterUpload: 'delete' },
    effect: ([row]) => existsSync(row?.path ?? ''),
    expected: false,
  },
  'folders[].archiveTo': {
    set: { afterUpload: 'archive', archiveTo: 'kept' },
    effect: ([row]) => row?.archivedTo?.includes('/kept/'),
    expected: true,
  },
};

test('each setting of a folder has its effect', async () => {
  const site = await prepare();
  const dirOf = (id: string): string => `in-${id.replace(/\W/g, '')}`;
  for (const [id, { file = 'a.jpg', bytes }] of Object.entries(FOLDERS))
    await put(site, `${dirOf(id)}/${file}`, bytes ?? (await jpeg(id)));
  await site.configure({
    folders: Object.entries(FOLDERS).map(([id, { set }]) => ({
      path: site.file(dirOf(id)),
      endpoint: 'office',
      settle: { long: '50ms' },
      ...set,
    })),
  });
  await site.quickOnce();
  const rows = await site.list();
  for (const [id, { effect, expected }] of Object.entries(FOLDERS)) {
    const its = rows.filter(({ path }) => path.startsWith(`${site.file(dirOf(id))}/`));
    expect.soft(await effect(its, site), id).toEqual(expected);
  }
});

/** With three files to send: how many are sent, or what keeps them. */
const LIMITS: Record<string, ConfigKeys> = {
  'endpoints.*.perDay': { endpoints: { office: { uid: OFFICE, perDay: 2 } } },
  'endpoints.*.perMonth': { endpoints: { office: { uid: OFFICE, perMonth: 2 } } },
  'delivery.perDay': { delivery: { perDay: 2 } },
  'delivery.perMonth': { delivery: { perMonth: 2 } },
};
const CLOSED: ConfigKeys = { delivery: { hours: [`${weekday(3)} 10:00-11:00`] } };

test('each budget and sending hours have their effect', async () => {
  const limited = async ([id, keys]: [string, ConfigKeys]) => {
    const site = await prepare(keys);
    for (const seed of ['a', 'b', 'c']) await put(site, `inbox/${seed}.jpg`, await jpeg(seed));
    expect.soft((await site.quickOnce()).status, id).toBe(4);
    expect.soft(site.sandbox.stats().stored, id).toBe(id === 'delivery.hours' ? 0 : 2);
  };
  await Promise.all(Object.entries({ ...LIMITS, 'delivery.hours': CLOSED }).map(limited));
});

test('rates, a bandwidth and a document that the service fails on have their effect', async () => {
  const rates: Record<string, ConfigKeys> = {
    'endpoints.*.rate': { endpoints: { office: { uid: OFFICE, rate: '2/h' } }, delivery: { spread: false } },
    'delivery.rate': { delivery: { rate: '2/h', spread: false } },
    'delivery.spread': { delivery: { rate: '20/h', spread: false } },
  };
  const rated = async ([id, keys]: [string, ConfigKeys]) => {
    const files = id === 'delivery.spread' ? 12 : 3;
    const site = await prepare(keys);
    for (let n = 0; n < files; n += 1) await put(site, `inbox/${n}.jpg`, await jpeg(`${n}`));
    await site.quickStart();
    const stored = () => site.sandbox.stats().stored;
    const limitedBy = async () => (await status(site)).daemon.limitedBy.length;
    await until(async () => stored() === files || (stored() >= 2 && (await limitedBy()) > 0), id).catch(
      () => {},
    );
    expect.soft(stored(), id).toBe(id === 'delivery.spread' ? files : 2);
  };

  const slowed = async () => {
    const slow = await prepare({ delivery: { bandwidth: '1kB/s' } });
    await put(slow, 'inbox/a.jpg', await jpeg('slow'));
    await slow.quickOnce();
    const [{ attempts }] = JSON.parse(
      await slow.quickMust('show', '--json', String((await slow.list())[0]?.name)),
    ) as [{ attempts: [{ startedAt: string; finishedAt: string }] }];
    const tookMs = Date.parse(attempts[0].finishedAt) - Date.parse(attempts[0].startedAt);
    expect.soft(tookMs, 'delivery.bandwidth').toBeGreaterThan(1_500);
  };

  const parked = async () => {
    const site = await prepare();
    await site.configure({
      delivery: { parkAfter: 1 },
      intake: { pollEvery: '100ms' },
      folders: [
        { path: site.file('inbox'), endpoint: 'office' },
        { path: site.file('polled'), endpoint: 'office', watch: 'poll' },
      ],
    });
    site.sandbox.misbehave({ kind: 'status', status: 500, nameIncludes: 'bad' });
    for (const name of ['a', 'bad', 'c']) await put(site, `inbox/${name}.jpg`, await jpeg(name));
    await site.quickStart();
    const bad = async () => (await site.list()).find(({ name }) => name?.startsWith('bad'));
    await until(
      async () => (await bad())?.reason === 'PARKED' || Number((await bad())?.attempts) > 1,
      'the bad one',
    );
    expect.soft((await bad())?.reason, 'delivery.parkAfter').toBe('PARKED');
    // By default, listings are five seconds apart.
    let last = NaN;
    await soft('intake.pollEvery', async () => {
      const before = last;
      last = Date.parse((await folderOf(site, 'polled'))?.lastListing ?? '');
      return last > before && last < before + 4_000;
    });
  };
  await Promise.all([...Object.entries(rates).map(rated), slowed(), parked()]);
});

// Given by a reload, except those that wait for a start; test/wiring/liveSettings.test.ts has the same for each setting.
test.skipIf(!hasOpenssl)('each setting of the agent has its effect', async () => {
  const [console, monitoring, results] = [await freePort(), await freePort(), await freePort()];
  const authority = createAuthority();
  cleanUp(() => authority.remove());
  const tls = authority.issue('IP:127.0.0.1');
  const site = await prepare();
  await writeFile(site.file('tls.crt'), tls.cert);
  await writeFile(site.file('tls.key'), tls.key);
  const files = { cert: site.file('tls.crt'), key: site.file('tls.key') };
  const folder = (name: string, more: object = {}) => ({
    path: site.file(name),
    endpoint: 'office',
    ...more,
  });
  const { hooks, url: hook } = await hookServer();
  const { mails, port: mail } = await mailServer({
    onAuth: ({ username }, _, done) => done(null, { user: username }),
  });
  await writeFile(site.file('secret'), `whsec_${'c2VjcmV0'.repeat(4)}`, { mode: 0o600 });
  await writeFile(site.file('password'), 'of mail', { mode: 0o600 });
  const catTo = (name: string) => ['/bin/sh', '-c', `/bin/cat >> ${site.file(name)}`];
  const atStart = {
    storage: { reserve: '1MB' },
    log: { level: 'debug', maxSize: '1kB', maxFiles: 2 },
  };
  const keys = {
    ...atStart,
    folders: [
      folder('inbox'),
      folder('polled', { watch: 'poll' }),
      folder('short', { settle: { short: '1h' } }),
      folder('long', { settle: { long: '1h' } }),
      folder('patience', { settle: { patience: '100ms' } }),
    ],
    intake: { reconcileEvery: '1s', confirmAbove: 0 },
    spool: 'always',
    storage: { ...atStart.storage, spoolLimit: '1MB' },
    console: { listen: `127.0.0.1:${console}`, hosts: ['scans.example'], tls: files },
    monitoring: { listen: `127.0.0.1:${monitoring}` },
    results: {
      listen: `127.0.0.1:${results}`,
      tls: files,
      maxSize: '1kB',
      rate: '2/h',
      columns: { total: '/total' },
      command: catTo('booked'),
    },
    alerts: {
      after: '0s',
      quietHours: [`${weekday(0)}-${weekday(1)} 00:00-24:00`],
      desktop: true,
      eventLog: true,
      command: catTo('told'),
      webhook: { url: hook, secretFile: 'secret' },
      email: {
        server: `smtp://127.0.0.1:${mail}`,
        user: 'scans',
        passwordFile: 'password',
        from: 'us@example.com',
        to: ['ann@example.com'],
      },
    },
  };
  // Without any program that could show an alert here.
  site.env['PATH'] = '/nowhere';
  await site.configure(atStart);
  const agent = await site.quickStart();
  await site.configure(keys);
  // There when its folder is watched for the first time.
  await put(site, 'short/b.jpg', await jpeg('b'));
  await site.quickMust('reload');
  await put(site, 'inbox/a.jpg', await jpeg('a'));
  await put(site, 'long/c.pdf', drawn);
  await put(site, 'patience/d.jpg', (await jpeg('d')).subarray(0, 2_000));
  const began = Date.now();
  await until(async () => (await site.list('--state', 'accepted')).length > 0, 'it to be accepted');

  const listings = new Set<unknown>();
  await soft(
    'intake.reconcileEvery',
    async () => listings.add((await folderOf(site, 'inbox'))?.lastListing).size > 2,
  );
  await soft(
    'folders[].settle.patience',
    async () => (await site.list('--state', 'incomplete')).length === 1,
  );
  await soft('log.maxSize', async () => (await readdir(site.file('state/logs'))).length > 1);
  expect.soft((await folderOf(site, 'polled'))?.mode, 'folders[].watch').toBe('polled');
  expect.soft((await status(site)).daemon.spool.mode, 'spool').toBe('always');
  expect.soft((await status(site)).daemon.spool.limit, 'storage.spoolLimit').toBe(1_000_000);
  expect.soft((await stat(site.file('state/reserve'))).size, 'storage.reserve').toBe(1_000_000);
  expect.soft(agent.stderr.includes('"level":"debug"'), 'log.level').toBe(true);
  await soft('intake.confirmAbove', async () => /"level":"warn".*first time/.test(agent.stderr));
  const alerts = JSON.parse(await site.quickMust('alerts', '--json')) as {
    channels: string[];
    quietUntil: unknown;
  };
  expect.soft(alerts.quietUntil, 'alerts.quietHours').not.toBeNull();
  const channels = ['desktop', 'eventLog', 'command', 'webhook', 'email'];
  expect.soft(alerts.channels, 'alerts.desktop alerts.eventLog').toEqual(channels);
  await site.look('alerts', 'test');
  expect.soft(existsSync(site.file('told')), 'alerts.command').toBe(true);
  const signature = expect.stringMatching(/^v1,/) as string;
  expect
    .soft(hooks, 'alerts.webhook.url alerts.webhook.secretFile')
    .toMatchObject([{ headers: { 'webhook-signature': signature } }]);
  expect.soft(mails, 'alerts.email').toMatchObject([{ to: ['ann@example.com'], user: 'scans' }]);
  expect.soft(mails[0]?.headers.get('from'), 'alerts.email.from').toContain('us@example.com');

  const call = (port: number, path: string, body: string | null, host = '127.0.0.1') =>
    new Promise<number | string>((resolve) => {
      const options = {
        port,
        path,
        method: body === null ? 'GET' : 'POST',
        headers: { host: `${host}:${port}` },
        rejectUnauthorized: false,
      };
      https(options, (response) => resolve(response.resume().statusCode ?? 0))
        .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
        .end(body ?? undefined);
    });
  await soft(
    'console.listen console.tls.cert console.tls.key',
    async () => (await call(console, '/', null)) === 200,
  );
  expect.soft(await call(console, '/', null, 'scans.example'), 'console.hosts').toBe(200);
  expect.soft(await call(console, '/', null, 'other.example'), 'other host').not.toBe(200);
  expect
    .soft(
      await fetch(`http://127.0.0.1:${monitoring}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
      'monitoring.listen',
    )
    .toBe(true);
  const url = new URL(
    await site.quickMust('results', 'url', '--endpoint', 'office', '--base', 'https://x.example'),
  );
  const post = (body: object) => call(results, url.pathname, JSON.stringify(body));
  const result = {
    name: (await site.list('--state', 'accepted'))[0]?.name,
    endpointUid: OFFICE,
    status: 'DONE',
    total: 7,
  };
  expect.soft(await post({ ...result, more: 'x'.repeat(1_000) }), 'results.maxSize').toBe(413);
  expect.soft(await post(result), 'results.listen results.tls.cert results.tls.key').toBe(204);
  expect.soft(await post(result), 'results.rate').toBe(429);
  expect.soft((await site.list('--where', 'total=7').catch(() => [])).length, 'results.columns').toBe(1);
  await soft('results.command', async () => existsSync(site.file('booked')));

  await until(() => Date.now() > began + 7_000, 'files that grow to settle by default');
  expect.soft((await folderOf(site, 'short'))?.settling, 'folders[].settle.short').toBe(1);
  expect.soft((await folderOf(site, 'long'))?.settling, 'folders[].settle.long').toBe(1);
  await agent.stop();
  expect.soft((await readdir(site.file('state/logs'))).length, 'log.maxFiles').toBe(3);
});

interface Status {
  readonly daemon: {
    readonly spool: { readonly limit: number; readonly mode: string };
    readonly limitedBy: readonly object[];
    readonly notes: readonly { readonly about: { readonly kind: string } }[];
    readonly folders: readonly { path: string; mode: string; settling: number; lastListing: string }[];
  };
}

const status = async (site: Site): Promise<Status> =>
  JSON.parse(await site.quickMust('status', '--json')) as Status;
const folderOf = async (site: Site, name: string) =>
  (await status(site)).daemon.folders.find(({ path }) => path === site.file(name));

/** Waits for what would take minutes by default. */
async function soft(id: string, condition: () => Promise<boolean>): Promise<void> {
  const held = await until(condition, id, 30_000).then(
    () => true,
    () => false,
  );
  expect.soft(held, id).toBe(true);
}

test('each setting of the service has its effect on requests', async () => {
  // A listener that never speaks TLS; by default, a connection is given up after 10 s.
  const { port, close } = await listen(createServer());
  cleanUp(close);
  const silent = await prepare();
  await silent.configure({
    service: { baseUrl: `https://127.0.0.1:${port}`, timeouts: { connect: '1m' } },
  });
  const check = silent.spawn('check', '--config', silent.config);
  const began = Date.now();

  const TOKEN = { access_token: 'token', expires_in: 86_400, scope: '', token_type: 'Bearer' };
  const types: unknown[] = [];
  const server = await scriptedServer((request, response) => {
    if (request.url === '/v2/oauth2/token') return sendJson(response, 200, TOKEN);
    types.push(request.headers['content-type']);
    const name = new URL(request.url, 'http://x').searchParams.get('name');
    return sendJson(response, 200, {
      name,
      endpointUid: OFFICE,
      status: 'PROCESSING',
      more: 'x'.repeat(3_000),
    });
  });
  const site = await prepare();
  await site.configure({
    service: { baseUrl: server.baseUrl, uploadContentType: 'application/octet-stream', answerLimit: '1kB' },
  });
  await put(site, 'inbox/a.jpg', await jpeg('a'));
  await site.quickOnce();
  expect.soft(types, 'service.uploadContentType').toEqual(['application/octet-stream']);
  const [{ name }] = (await site.list()) as [Row];
  const [shown] = JSON.parse(await site.quickMust('show', String(name), '--json')) as [{ response: string }];
  expect.soft(shown.response.length, 'service.answerLimit').toBe(1_000);
  expect.soft(await site.quickMust('show', String(name))).toContain('(the ledger keeps the beginning of 3');

  const stalls: Record<
    string,
    { readonly at: 'beforeBody' | 'beforeAnswer' | 'midAnswer'; readonly size: number }
  > = {
    progress: { at: 'beforeBody', size: 16_000_000 },
    headers: { at: 'beforeAnswer', size: 0 },
    body: { at: 'midAnswer', size: 0 },
  };
  const stall = async ([key, { at, size }]: [string, (typeof stalls)[string]]) => {
    const stalled = await prepare();
    await stalled.configure({ service: { baseUrl: stalled.sandbox.url, timeouts: { [key]: '300ms' } } });
    stalled.sandbox.misbehave({ kind: 'stall', at, times: 1 });
    await put(stalled, 'inbox/a.jpg', withTrailer(await jpeg('a'), size));
    await stalled.quickStart();
    await soft(`service.timeouts.${key}`, async () => stalled.sandbox.stats().uploadArrivals.length > 1);
  };
  await Promise.all(Object.entries(stalls).map(stall));

  const open = await prepare();
  await open.configure({ service: { baseUrl: 'http://scans.example', allowInsecureHttp: true } });
  const list = (await open.look('list')).stderr;
  expect.soft(list, 'service.allowInsecureHttp').toContain('LEDGER_MISSING');
  expect.soft(list, 'stateDir').toContain(open.stateDir);
  // The environment has credentials, where they may not be looked for.
  Object.assign(open.env, { RECEIPTD_CLIENT_ID_B: 'b', RECEIPTD_CLIENT_SECRET_B: 'b' });
  await open.configure({
    credentials: { store: 'systemd' },
    accounts: { b: { store: 'file', file: 'elsewhere.json' } },
    endpoints: { office: { uid: OFFICE, account: 'b' } },
  });
  const whoami = async (...args: string[]) => (await open.look('whoami', ...args)).stderr;
  expect.soft(await whoami(), 'credentials.store').toContain('CREDENTIALS_MISSING');
  expect.soft(await whoami('--account', 'b'), 'accounts.*.store').toContain('CREDENTIALS_MISSING');
  expect.soft(await whoami('--account', 'b'), 'accounts.*.file').toContain(open.file('elsewhere.json'));
  await open.configure({
    ledger: {
      kind: 'postgres',
      url: 'postgres://u@db.invalid/r?sslmode=disable',
      allowInsecure: true,
      agent: 'desk',
    },
  });
  expect.soft((await open.look('list')).stderr, 'ledger.allowInsecure').toContain('LEDGER_UNREACHABLE');

  await until(() => Date.now() > began + 13_000, 'a connection that is not given up');
  expect.soft(check.alive, 'service.timeouts.connect').toBe(true);
});
