import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Alerting, type Around } from '../../../src/features/alerts/alerting.ts';
import { alertOperations } from '../../../src/features/alerts/operations.ts';
import { alertsFile, openAlertStore, type AlertStore } from '../../../src/features/alerts/store.ts';
import type { AlertTimes } from '../../../src/features/alerts/times.ts';
import { parseHours } from '../../../src/core/domain/hours.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { local } from '../../../src/core/domain/words.ts';
import { textsIn } from '../../../src/texts/texts.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import type { Alert, AlertChannel, AlertChannelName } from '../../../src/core/ports/alert.ts';
import { admission, OFFICE, REFUSAL, send } from '../../contract/ledger/support.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { tempDir } from '../../support/tempDir.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
// Loaded before the fake clock runs.
const texts = Promise.resolve(await textsIn('en', local));
const TIMES: AlertTimes = { afterMs: 2 * MINUTE, quietHours: null, digest: null };

/** Accepts alerts, unless a test changes that. */
class Channel implements AlertChannel {
  readonly taken: Alert[] = [];
  attempts = 0;
  trouble: 'none' | 'refuses' | 'hangs' = 'none';
  readonly name: AlertChannelName;
  readonly receiver: AlertChannel['receiver'];

  constructor(name: AlertChannelName) {
    this.name = name;
    this.receiver = { of: `of ${name}`, setting: `alerts.${name}` };
  }

  async send(alert: Alert): Promise<void> {
    this.attempts += 1;
    if (this.trouble === 'hangs') await new Promise(() => {});
    if (this.trouble === 'refuses')
      throw new ReceiptdError({
        code: 'ALERT_UNDELIVERED',
        message: 'Nobody takes it.',
        hint: 'Look there.',
      });
    this.taken.push(alert);
  }

  /** Kind, and code and detail of each cause. */
  get said(): string[] {
    return this.taken.map(({ kind, causes }) =>
      [kind, ...causes.map(({ condition: { code, params } }) => [code, ...detailIn(params)].join(' '))].join(
        ': ',
      ),
    );
  }
}

function detailIn(params: object): string[] {
  return 'detail' in params ? [String(params.detail)] : [];
}

async function place() {
  const dir = tempDir('alerting');
  const clock = new FakeClock();
  const log = new RecordedLog();
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  onTestFinished(() => ledger.close());
  const incidents = new OpenIncidents({ clock, log });
  const folders: Around['folders'] = [{ path: '/scans', state: 'watching', why: null, since: 0 }];
  const world = { incidents, isLooking: false };
  let ids = 0;
  const start = async (
    channels: readonly AlertChannel[],
    { times = TIMES, store = openAlertStore(dir) }: { times?: AlertTimes; store?: AlertStore } = {},
  ) => {
    const alerting = await Alerting.open(
      {
        clock,
        log,
        incidents: world.incidents,
        ledger,
        store,
        host: 'scanpc',
        random: () => 0.5,
        newId: () => `alert-${(ids += 1)}`,
        around: () => ({
          incidents: world.incidents.list(),
          isOfGeneration: (key) => key.startsWith('generation'),
          folders,
          endpoints: [{ key: OFFICE, alias: 'office' }],
          isLooking: world.isLooking,
        }),
      },
      times,
    );
    alerting.take(times, channels, texts);
    const stop = new AbortController();
    const running = alerting.run(stop.signal);
    const end = async () => {
      stop.abort(new Error('the test is over'));
      await running;
    };
    onTestFinished(end);
    return { alerting, end };
  };
  const wrong = (key: string) => world.incidents.open({ key, code: 'DISK_FULL', params: { detail: key } });
  return { dir, clock, log, ledger, world, start, wrong };
}

it('alerting neither repeats nor loses an alert after a kill between two checks', async () => {
  const { dir, clock, log, world, start, wrong } = await place();
  const mail = new Channel('email');
  const hook = new Channel('webhook');
  hook.trouble = 'refuses';
  wrong('a');
  const first = await start([mail, hook]);
  await clock.advance(3 * MINUTE);
  expect([mail.said, hook.taken.length]).toEqual([['opened: DISK_FULL a'], 0]);
  expect(statSync(alertsFile(dir)).mode & 0o777).toBe(0o600);
  // A kill leaves the file as it was at that time.
  const left = readFileSync(alertsFile(dir));
  await first.end();
  writeFileSync(alertsFile(dir), left);

  world.incidents = new OpenIncidents({ clock, log });
  hook.trouble = 'none';
  const second = await start([mail, hook]);
  await clock.advance(20 * SECOND);
  expect(hook.taken.map(({ id }) => id)).toEqual([mail.taken[0]?.id]);
  wrong('a');
  await clock.advance(5 * MINUTE);
  expect(mail.taken).toHaveLength(1);
  world.incidents.close('a');
  await clock.advance(3 * MINUTE);
  expect(hook.said).toEqual(['opened: DISK_FULL a', 'closed: DISK_FULL a']);
  await second.end();
});

it('alerting delivers nothing in quiet hours, not even alerts that were due before', async () => {
  const { clock, start, wrong } = await place();
  const mail = new Channel('email');
  mail.trouble = 'refuses';
  const quietHours = parseHours(['09:05-09:20']);
  await start([mail], { times: { ...TIMES, quietHours } });
  wrong('a');
  await clock.advance(4.5 * MINUTE);
  mail.trouble = 'none';
  await clock.advance(15 * MINUTE);
  expect(mail.taken).toEqual([]);
  await clock.advance(5 * MINUTE);
  expect(mail.said).toContain('opened: DISK_FULL a');
});

it('alerting delivers through other channels while one fails, alerts about that one, and delivers through it later', async () => {
  const { clock, log, world, start, wrong } = await place();
  const mail = new Channel('email');
  const hook = new Channel('webhook');
  mail.trouble = 'hangs';
  const { alerting } = await start([mail, hook]);
  wrong('a');
  await clock.advance(10 * MINUTE);
  expect(hook.said).toEqual(['opened: DISK_FULL a', expect.stringMatching(/^opened: ALERT_UNDELIVERED /)]);
  expect(world.incidents.list()).toMatchObject([{ code: 'DISK_FULL' }, { code: 'ALERT_UNDELIVERED' }]);
  expect(mail.attempts).toBeLessThan(10);
  mail.trouble = 'none';
  // Somebody has repaired it and sends a test.
  expect(await alerting.test(new AbortController().signal)).toEqual([
    { channel: 'email', trouble: null },
    { channel: 'webhook', trouble: null },
  ]);
  await clock.advance(5 * MINUTE);
  expect(mail.said).toEqual(['test', 'opened: DISK_FULL a']);
  expect(hook.said.slice(2)).toEqual(['test', expect.stringMatching(/^closed: ALERT_UNDELIVERED /)]);
  expect(log.said('An alert could not be delivered')).toEqual([]);
});

it('alerting sends only the recovery to a channel that missed the alert', async () => {
  const { clock, world, start, wrong } = await place();
  const mail = new Channel('email');
  const hook = new Channel('webhook');
  mail.trouble = 'refuses';
  const { alerting } = await start([mail, hook]);
  wrong('a');
  await clock.advance(3 * MINUTE);
  world.incidents.close('a');
  await clock.advance(3 * MINUTE);
  mail.trouble = 'none';
  await alerting.test(new AbortController().signal);
  await clock.advance(5 * SECOND);
  expect(mail.said.slice(1)).toEqual(['closed: DISK_FULL a']);
  expect(hook.said.filter((subject) => subject.includes('DISK_FULL'))).toEqual([
    'opened: DISK_FULL a',
    'closed: DISK_FULL a',
  ]);
});

it('alerting alerts about a problem that replaces another, and reports the first one as over', async () => {
  const { clock, world, start } = await place();
  const mail = new Channel('email');
  await start([mail]);
  const open = (code: 'PORT_IN_USE' | 'RESULTS_UNAVAILABLE', detail: string) =>
    world.incidents.open({ key: 'results', code, params: { detail } });
  open('PORT_IN_USE', 'The port is taken.');
  await clock.advance(5 * MINUTE);
  open('RESULTS_UNAVAILABLE', 'The key is wrong.');
  open('RESULTS_UNAVAILABLE', 'The key is still wrong.');
  await clock.advance(5 * MINUTE);
  expect(mail.said.toSorted()).toEqual([
    'closed: PORT_IN_USE The port is taken.',
    'opened: PORT_IN_USE The port is taken.',
    'opened: RESULTS_UNAVAILABLE The key is still wrong.',
  ]);
});

it('alerting lists which channels have delivered, which have not yet, and what is over', async () => {
  const { clock, dir, world, start, wrong } = await place();
  const mail = new Channel('email');
  const hook = new Channel('webhook');
  mail.trouble = 'refuses';
  hook.trouble = 'refuses';
  const first = await start([mail, hook]);
  const disk = async (alerting = first.alerting) => {
    const { open } = await alertOperations(alerting, new AbortController().signal).alerts({});
    return open.find(({ code }) => code === 'DISK_FULL');
  };
  wrong('a');
  await clock.advance(3 * MINUTE);
  expect(await disk()).toMatchObject({ toldAt: null, toldBy: [], waitingFor: ['email', 'webhook'] });
  mail.trouble = 'none';
  await clock.advance(10 * MINUTE);
  const told = await disk();
  expect(told).toMatchObject({ overSince: null, toldBy: ['email'], waitingFor: ['webhook'] });
  expect(Date.parse(told?.toldAt ?? '')).toBeGreaterThan(Date.parse(told?.since ?? '') + 3 * MINUTE);
  world.incidents.close('a');
  first.alerting.take(TIMES, [mail, hook], texts);
  const endedAt = clock.now();
  await clock.advance(10 * SECOND);
  expect(Date.parse((await disk())?.overSince ?? '') - endedAt).toBeLessThan(5 * SECOND);
  await first.end();
  expect(readFileSync(alertsFile(dir), 'utf8')).toContain('"takenBy":["email"]');
});

it('alerting gives up on an alert that no channel delivers within a day, and logs that', async () => {
  const { clock, log, start, wrong } = await place();
  const mail = new Channel('email');
  mail.trouble = 'refuses';
  await start([mail]);
  wrong('a');
  await clock.advance(3 * MINUTE);
  for (let hour = 0; hour < 30; hour += 1) {
    await clock.advance(20 * SECOND);
    clock.jump(HOUR);
  }
  expect(log.said('An alert could not be delivered for')).toMatchObject([
    { level: 'error', fields: { channel: 'email', code: 'ALERT_UNDELIVERED' } },
  ]);
  expect(mail.attempts).toBeLessThan(80);
});

it('alerting records an alert before sending it, and sends it even if it cannot be recorded', async () => {
  const { dir, clock, log, start, wrong } = await place();
  const mail = new Channel('email');
  const seen: string[] = [];
  const send = mail.send.bind(mail);
  mail.send = async (alert) => {
    seen.push(readFileSync(alertsFile(dir), 'utf8'));
    await send(alert);
  };
  wrong('a');
  const first = await start([mail]);
  await clock.advance(3 * MINUTE);
  expect(seen[0]).toContain(`"told":{"alert":"${mail.taken[0]?.id}"`);
  await first.end();

  const full: AlertStore = {
    ...openAlertStore(dir),
    save: () => Promise.reject(new Error('no space is left')),
  };
  await start([mail], { store: full });
  wrong('b');
  await clock.advance(3 * MINUTE);
  expect(mail.said.at(-1)).toBe('opened: DISK_FULL b');
  expect(log.said('Sent alerts could not be recorded')).toHaveLength(1);
});

it('alerting replaces a damaged file, and logs that', async () => {
  const { dir, clock, log, start, wrong } = await place();
  for (const text of ['{"version":1,"entr', '{"version":7}', 'null']) {
    writeFileSync(alertsFile(dir), text);
    const mail = new Channel('email');
    wrong('a');
    const { end } = await start([mail]);
    await clock.advance(3 * MINUTE);
    expect(mail.taken).toHaveLength(1);
    await end();
  }
  expect(log.said('Earlier alerts are unknown')).toHaveLength(3);
});

it('alerting applies a changed configuration at once, and repeats no alert', async () => {
  const { clock, start, wrong } = await place();
  const mail = new Channel('email');
  const hook = new Channel('webhook');
  const { alerting } = await start([]);
  wrong('a');
  await clock.advance(5 * MINUTE);
  alerting.take(TIMES, [mail], texts);
  await clock.advance(SECOND);
  expect(mail.said).toEqual(['opened: DISK_FULL a']);
  alerting.take(TIMES, [mail, hook], texts);
  await clock.advance(5 * MINUTE);
  expect([mail.taken.length, hook.taken.length]).toEqual([1, 0]);
});

it('alerting alerts about holds and documents too, and about holds that resolve themselves only once they last', async () => {
  const { clock, ledger, start } = await place();
  const mail = new Channel('email');
  await start([mail]);
  const { document } = await ledger.admit({ ...admission('a.jpg', 'a'), at: clock.now() });
  await send(ledger, document.id, { at: clock.now(), ...REFUSAL });
  const about = { key: 'https://api.example.com', message: 'No answer came.', since: clock.now() };
  const hold = { ...about, scope: 'service', reason: 'TIMEOUT', until: null, demandedUntil: null } as const;
  await ledger.putHold(hold);
  await clock.advance(14 * MINUTE);
  expect(mail.said).toEqual(['opened: PERSON_NEEDED']);
  await clock.advance(2 * MINUTE);
  expect(mail.said.slice(1)).toEqual(['opened: SERVICE_UNREACHABLE No answer came.']);
  await ledger.clearHold('service', about.key);
  await ledger.retry(await ledger.retriable(0, 1_000, clock.now()), clock.now());
  await clock.advance(4 * MINUTE);
  expect(mail.taken.slice(2).flatMap(({ kind, causes }) => [kind, causes.length])).toEqual(['closed', 2]);
});

it.each(['fails', 'hangs'] as const)(
  'alerts are sent while a digest is due and the ledger %s; the digest follows once it can be read',
  async (how) => {
    const { clock, log, ledger, start, wrong } = await place();
    const mail = new Channel('email');
    await start([mail], { times: { ...TIMES, digest: 9 * 60 + 5 } });
    await clock.advance(6 * MINUTE);
    expect(mail.taken).toHaveLength(1);
    const spies = (['holds', 'counts', 'seenCounts', 'countAccepted'] as const).map((name) =>
      vi.spyOn(ledger, name).mockImplementation(async () => {
        if (how === 'hangs') await new Promise(() => {});
        throw new ReceiptdError({ code: 'LEDGER_UNREACHABLE', message: 'It is away.' });
      }),
    );
    wrong('a');
    clock.jump(24 * HOUR);
    await clock.advance(10 * MINUTE);
    expect(mail.said.slice(1)).toEqual(['opened: DISK_FULL a']);
    expect(log.lines.filter(({ message }) => message.startsWith('The digest waits'))).toHaveLength(1);
    for (const spy of spies) spy.mockRestore();
    await clock.advance(MINUTE);
    expect(mail.said.slice(2)).toEqual([expect.stringMatching(/^digest/)]);
  },
);

it('alerting sends a digest that counts the day by folder and lists open alerts', async () => {
  const { clock, ledger, start, wrong } = await place();
  const mail = new Channel('email');
  await start([mail], { times: { ...TIMES, digest: 9 * 60 + 5 } });
  await clock.advance(10 * MINUTE);
  expect(mail.said).toEqual(['digest']);
  for (const name of ['a', 'b', 'c']) {
    const { document } = await ledger.admit({ ...admission(`${name}.jpg`, name), at: clock.now() });
    if (name === 'c') continue;
    const end = name === 'a' ? {} : REFUSAL;
    await send(ledger, document.id, { from: clock.now(), at: clock.now(), ...end });
  }
  wrong('x');
  await clock.advance(MINUTE);
  clock.jump(24 * HOUR);
  // The machine slept for most of the time, so earlier problems may be over in a moment.
  await clock.advance(MINUTE);
  expect(mail.taken.filter(({ kind }) => kind === 'opened')).toEqual([]);
  await clock.advance(10 * MINUTE);
  const [opened] = mail.taken.filter(({ kind }) => kind === 'opened');
  expect(opened?.causes.map(({ condition }) => condition.code)).toEqual(['DISK_FULL', 'PERSON_NEEDED']);
  const digests = mail.taken.filter(({ kind }) => kind === 'digest');
  expect(digests).toHaveLength(2);
  const [, digest] = digests;
  const { text, causes } = digest ?? { text: '', causes: [] };
  // Folder, sent, duplicates, rejected, waiting, and those that need attention.
  expect(text).toMatch(/^\/scans +1 +0 +0 +1 +1$/m);
  expect(causes.map(({ condition }) => condition.code)).toContain('DISK_FULL');
  for (const { message, hint } of causes)
    expect([text.includes(`- ${message} `), text.includes(hint)]).toEqual([true, true]);
});
