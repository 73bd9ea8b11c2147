import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import type { Config } from '../../config/config.ts';
import { describeError } from '../../core/domain/errors.ts';
import type { Finding } from '../../core/domain/finding.ts';
import { jsonObject } from '../../core/domain/jsonObject.ts';
import { movedAway } from '../../state-dir/stateMarks.ts';
import { movedWords } from '../../texts/en/errors/ledger.ts';
import { userNameOf } from '../../system/userName.ts';
import { within } from './inTime.ts';
import { ledgerFinding } from './ledgerFinding.ts';
import { clockAhead, syncTimes, systemdUnit, tailOf } from './machine.ts';

/** Milliseconds. Above this, each commit of the ledger delays a scan noticeably. */
const SLOW_SYNC_MS = 100;
/** Milliseconds. Above this, certificates and tokens fail, and people notice. */
const CLOCK_OFF_MS = 60_000;
const LOG_TAIL = 1_000_000;
const HOW_CLOCK: Partial<Record<NodeJS.Platform, string>> = {
  linux: ' (timedatectl set-ntp true)',
  win32: ' (w32tm /resync)',
};
const DAY_MS = 24 * 60 * 60_000;

/** Checks what `check` does not. Never throws, and every step has a time limit. */
export async function examine(options: {
  readonly config: Config | null;
  readonly stateDir: string;
  readonly offline: boolean;
  readonly version: string;
}): Promise<Finding[]> {
  const { config, stateDir, offline, version } = options;
  const looks: [subject: string, look: () => Promise<Finding>][] = [
    ['versions', async () => versions(version)],
    ['state directory', () => owner(stateDir)],
    ['moved', () => moved(stateDir)],
    ['disk speed', () => disk(stateDir)],
    ['ledger', () => ledgerFinding(config, stateDir)],
    ['log', () => log(stateDir)],
    ['service manager', service],
  ];
  if (config !== null && !offline) looks.push(['clock', () => clock(config)]);
  if (process.platform === 'linux') looks.push(['inotify', inotify]);
  return Promise.all(looks.map(([subject, look]) => within(subject, look)));
}

function versions(version: string): Finding {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const message = `receiptd ${version}, Node ${process.versions.node}, ${process.platform} ${process.arch}, time zone ${zone}.`;
  return { level: 'ok', subject: 'versions', message };
}

async function owner(stateDir: string): Promise<Finding> {
  const subject = 'state directory';
  const about = await stat(stateDir).catch(() => null);
  if (about === null)
    return {
      level: 'warn',
      subject,
      message: `${stateDir} does not exist yet; \`receiptd run\` creates it.`,
    };
  // Windows has no meaningful owner and mode; `check` covers the access list.
  if (process.platform === 'win32') return { level: 'ok', subject, message: `${stateDir} is there.` };
  const own = process.geteuid?.();
  const mode = (about.mode & 0o777).toString(8).padStart(3, '0');
  if (own === undefined || about.uid === own)
    return { level: 'ok', subject, message: `${stateDir} is yours (mode ${mode}).` };
  const name = (await userNameOf(about.uid)) ?? `#${about.uid}`;
  if (own === 0)
    return {
      level: 'ok',
      subject,
      message: `${stateDir} belongs to the user ${name} (mode ${mode}).`,
      names: [name],
    };
  const message = `${stateDir} belongs to the user ${name}, but this command runs as user ${own}. Run it as that user to see everything.`;
  return { level: 'warn', subject, message, names: [name] };
}

async function moved(stateDir: string): Promise<Finding> {
  const mark = await movedAway(stateDir).catch(() => null);
  if (mark === null)
    return { level: 'ok', subject: 'moved', message: 'The ledger was not moved to another PC.' };
  const message = `${movedWords(mark)} receiptd does not run here. [STATE_MOVED]`;
  return { level: 'fail', subject: 'moved', message };
}

async function disk(stateDir: string): Promise<Finding> {
  const subject = 'disk speed';
  try {
    const times = await syncTimes(stateDir);
    const median = times[Math.floor(times.length / 2)] ?? 0;
    const message = `Writing to the disk of the state directory takes ${median.toFixed(1)} ms (median of ${times.length} writes; slowest ${(times.at(-1) ?? 0).toFixed(1)} ms).`;
    return median > SLOW_SYNC_MS
      ? { level: 'warn', subject, message: `${message} That is slow: use a local disk.` }
      : { level: 'ok', subject, message };
  } catch (error) {
    return { level: 'fail', subject, message: `The state directory can't be written: ${wordsOf(error)}.` };
  }
}

async function log(stateDir: string): Promise<Finding> {
  const subject = 'log';
  const since = Date.now() - DAY_MS;
  const codes = new Map<string, number>();
  for (const line of (await tailOf(join(stateDir, 'logs', 'receiptd.log'), LOG_TAIL)).split('\n')) {
    if (!line.includes('"error"')) continue;
    const entry = jsonObject(line);
    if (entry.level !== 'error' || !(Date.parse(String(entry['time'] ?? entry['timestamp'])) >= since))
      continue;
    const code = typeof entry['code'] === 'string' ? entry['code'] : 'without a code';
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  const all = [...codes].map(([code, times]) => `${code} (${times})`);
  return all.length === 0
    ? { level: 'ok', subject, message: 'No errors in the last 24 hours.' }
    : { level: 'warn', subject, message: `Errors in the last 24 hours: ${all.slice(0, 10).join(', ')}.` };
}

async function service(): Promise<Finding> {
  const subject = 'service manager';
  if (process.platform !== 'linux') {
    const message = 'Not checked here; run `receiptd service status`.';
    return { level: 'ok', subject, message };
  }
  const unit = await systemdUnit();
  if (unit === null) return { level: 'ok', subject, message: 'There is no systemd unit named receiptd.' };
  const { ActiveState = 'unknown', SubState = '', NRestarts = '0', Result = '' } = unit;
  const message = `The unit receiptd is ${ActiveState} (${SubState}), restarted ${NRestarts} times; result ${Result}.`;
  return { level: ActiveState === 'failed' || Number(NRestarts) > 5 ? 'warn' : 'ok', subject, message };
}

async function clock(config: Config): Promise<Finding> {
  const subject = 'clock';
  const ahead = await clockAhead(config);
  if (ahead === null)
    return {
      level: 'warn',
      subject,
      message: "It can't be compared with the service's clock, because the service sent no time.",
    };
  const off = `${Math.round(Math.abs(ahead) / 1000)} s`;
  if (Math.abs(ahead) < CLOCK_OFF_MS)
    return { level: 'ok', subject, message: `It is within ${off} of the service's clock.` };
  const message = `It is ${off} ${ahead > 0 ? 'ahead of' : 'behind'} the service's clock. Correct it, and keep it correct${HOW_CLOCK[process.platform] ?? ''}.`;
  return { level: 'warn', subject, message };
}

async function inotify(): Promise<Finding> {
  const subject = 'inotify';
  const read = async (name: string) =>
    Number(await readFile(`/proc/sys/fs/inotify/${name}`, 'utf8').catch(() => 'NaN'));
  const [instances, watches, queued] = [
    await read('max_user_instances'),
    await read('max_user_watches'),
    await read('max_queued_events'),
  ];
  const message = `The system allows ${instances} instances, ${watches} watches and ${queued} queued events for each user.`;
  return instances < 16
    ? {
        level: 'warn',
        subject,
        message: `${message} Raise the first one: sysctl fs.inotify.max_user_instances=128. [WATCH_LIMIT]`,
      }
    : { level: 'ok', subject, message };
}

function wordsOf(error: unknown): string {
  const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : Number.NaN;
  return getSystemErrorMap().get(errno)?.[1] ?? describeError(error).detail;
}
