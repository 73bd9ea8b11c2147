import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { saidBy, ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { failure, type Finding, type FindingFact } from '../../core/domain/finding.ts';
import { jsonObject } from '../../core/domain/jsonObject.ts';
import { movedAway } from '../../state-dir/stateMarks.ts';
import { userNameOf } from '../../system/userName.ts';
import { within } from './inTime.ts';
import { ledgerFinding } from './ledgerFinding.ts';
import { clockAhead, syncTimes, systemdUnit, tailOf } from './machine.ts';

/** Milliseconds. Above this, each commit of the ledger delays a scan noticeably. */
const SLOW_SYNC_MS = 100;
/** Milliseconds. Above this, certificates and tokens fail, and people notice. */
const CLOCK_OFF_MS = 60_000;
const LOG_TAIL = 1_000_000;
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

function versions(receiptd: string): Finding {
  const { platform, arch, versions: own } = process;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return ok('versions', { is: 'versions', receiptd, node: own.node, platform, arch, zone });
}

async function owner(stateDir: string): Promise<Finding> {
  const subject = 'state directory';
  const about = await stat(stateDir).catch(() => null);
  if (about === null) return warn(subject, { is: 'stateMissing', stateDir });
  // Windows has no meaningful owner and mode; `check` covers the access list.
  if (process.platform === 'win32') return ok(subject, { is: 'stateThere', stateDir });
  const own = process.geteuid?.();
  const mode = (about.mode & 0o777).toString(8).padStart(3, '0');
  if (own === undefined || about.uid === own) return ok(subject, { is: 'stateYours', stateDir, mode });
  const user = (await userNameOf(about.uid)) ?? `#${about.uid}`;
  const found =
    own === 0
      ? ok(subject, { is: 'stateOf', stateDir, user, mode })
      : warn(subject, { is: 'stateForeign', stateDir, user, own });
  return { ...found, names: [user] };
}

async function moved(stateDir: string): Promise<Finding> {
  const mark = await movedAway(stateDir).catch(() => null);
  if (mark === null) return ok('moved', { is: 'notMoved' });
  return failure('moved', new ReceiptdError('STATE_MOVED', { stateDir, ...mark }));
}

async function disk(stateDir: string): Promise<Finding> {
  const subject = 'disk speed';
  try {
    const times = await syncTimes(stateDir);
    const median = times[Math.floor(times.length / 2)] ?? 0;
    const isSlow = median > SLOW_SYNC_MS;
    const about = { writes: times.length, slowest: (times.at(-1) ?? 0).toFixed(1), isSlow };
    const fact = { is: 'diskSpeed', median: median.toFixed(1), ...about } as const;
    return isSlow ? warn(subject, fact) : ok(subject, fact);
  } catch (error) {
    return {
      level: 'fail',
      subject,
      fact: { is: 'stateUnwritable', system: systemCode(error) ?? saidBy(error).detail },
    };
  }
}

async function log(stateDir: string): Promise<Finding> {
  const since = Date.now() - DAY_MS;
  const found = new Map<string | null, number>();
  for (const line of (await tailOf(join(stateDir, 'logs', 'receiptd.log'), LOG_TAIL)).split('\n')) {
    if (!line.includes('"error"')) continue;
    const entry = jsonObject(line);
    if (entry.level !== 'error' || !(Date.parse(String(entry['time'] ?? entry['timestamp'])) >= since))
      continue;
    const code = typeof entry['code'] === 'string' ? entry['code'] : null;
    found.set(code, (found.get(code) ?? 0) + 1);
  }
  const codes = [...found].slice(0, 10).map(([code, times]) => ({ code, times }));
  return codes.length === 0 ? ok('log', { is: 'noErrors' }) : warn('log', { is: 'errors', codes });
}

async function service(): Promise<Finding> {
  const subject = 'service manager';
  if (process.platform !== 'linux') return ok(subject, { is: 'serviceElsewhere' });
  const unit = await systemdUnit();
  if (unit === null) return ok(subject, { is: 'noUnit' });
  const {
    ActiveState: active = 'unknown',
    SubState: sub = '',
    NRestarts: restarts = '0',
    Result: result = '',
  } = unit;
  const fact = { is: 'unit', active, sub, restarts, result } as const;
  return active === 'failed' || Number(restarts) > 5 ? warn(subject, fact) : ok(subject, fact);
}

async function clock(config: Config): Promise<Finding> {
  const ahead = await clockAhead(config);
  if (ahead === null) return warn('clock', { is: 'clockUnknown' });
  const seconds = Math.round(Math.abs(ahead) / 1000);
  if (Math.abs(ahead) < CLOCK_OFF_MS) return ok('clock', { is: 'clockRight', seconds });
  return warn('clock', { is: 'clockWrong', seconds, isAhead: ahead > 0, platform: process.platform });
}

async function inotify(): Promise<Finding> {
  const read = async (name: string) =>
    Number(await readFile(`/proc/sys/fs/inotify/${name}`, 'utf8').catch(() => 'NaN'));
  const [instances, watches, queued] = [
    await read('max_user_instances'),
    await read('max_user_watches'),
    await read('max_queued_events'),
  ];
  const isFew = instances < 16;
  const fact = { is: 'inotify', instances, watches, queued, isFew } as const;
  return isFew ? warn('inotify', fact) : ok('inotify', fact);
}

const ok = (subject: string, fact: FindingFact): Finding => ({ level: 'ok', subject, fact });
const warn = (subject: string, fact: FindingFact): Finding => ({ level: 'warn', subject, fact });
