import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getSystemErrorMap } from 'node:util';
import type { Config } from '../../config/config.ts';
import { openPlainFile } from '../../system/plainFile.ts';
import { movedAway, sayMoved } from '../../state-dir/stateMarks.ts';
import { userNameOf } from '../../system/userName.ts';
import { describeError } from '../../core/domain/errors.ts';
import { jsonObject } from '../../core/domain/jsonObject.ts';
import { counted } from '../../core/domain/words.ts';
import { endOfEntry } from '../../ledger/sqlite/adopt.ts';
import { openForReading } from '../../ledger/sqlite/connection.ts';
import { storeFailure } from '../../ledger/sqlite/failure.ts';
import { journalPathOf } from '../../ledger/sqlite/files.ts';
import { openSqliteReports } from '../../ledger/sqlite/openReports.ts';
import type { Finding } from '../../core/domain/finding.ts';
import { withReports } from '../../ledger/configured/reports.ts';
import { ledgerPath } from '../../state-dir/stateFiles.ts';
import { clockAhead, syncTimes, systemdUnit } from './machine.ts';

/** Above this a scan waits noticeably for each of the ledger's commits. Milliseconds. */
const SLOW_SYNC_MS = 100;
/** Certificates, tokens and people notice it. Milliseconds. */
const CLOCK_OFF_MS = 60_000;
/** Looking through a larger one takes longer than anybody waits; `ledger verify` does. */
const LARGE_LEDGER = 500_000_000;
const LOG_TAIL = 1_000_000;
const HOW_CLOCK: Partial<Record<NodeJS.Platform, string>> = {
  linux: ' (timedatectl set-ntp true)',
  win32: ' (w32tm /resync)',
};
const DAY_MS = 24 * 60 * 60_000;
/** Of one look: a share that hangs must not hang the doctor. */
export const LOOK_MS = 30_000;

/** What `check` does not look at. Never throws, never waits forever. */
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
    ['ledger', () => ledgerOf(config, stateDir)],
    ['log', () => log(stateDir)],
    ['service manager', service],
  ];
  if (config !== null && !offline) looks.push(['clock', () => clock(config)]);
  if (process.platform === 'linux') looks.push(['inotify', inotify]);
  return Promise.all(looks.map(([subject, look]) => within(subject, look)));
}

/** The finding, or why there is none. */
async function within(subject: string, look: () => Promise<Finding>): Promise<Finding> {
  const [finding] = await withinAll(subject, async () => [await look()]);
  return finding ?? { level: 'warn', subject, message: 'This could not be checked.' };
}

export async function withinAll(
  subject: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const message = `Checking this took longer than ${LOOK_MS / 1000} s and was stopped. A share or a disk may not be responding.`;
  try {
    return await orElse(look, () => [{ level: 'fail', subject, message }]);
  } catch (error) {
    return [{ level: 'fail', subject, message: describeError(error).detail }];
  }
}

/** What the work gives, or `late` where it takes longer than anybody waits. */
export async function orElse<T>(work: () => Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(late()), LOOK_MS);
  });
  try {
    return await Promise.race([work(), end]);
  } finally {
    clearTimeout(timer);
  }
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
  // Neither an owner nor a mode that says anything; `check` looks at the access list.
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
  const message = `${sayMoved(mark)} receiptd does not run here. [STATE_MOVED]`;
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

/** What SQLite says, in our words. */
function asFailure(error: unknown, stateDir: string): Error {
  const failure = storeFailure(error, ledgerPath({ stateDir }), 'read');
  return failure instanceof Error ? failure : new Error(String(failure));
}

function ledgerOf(config: Config | null, stateDir: string): Promise<Finding> {
  if (config?.ledger.kind === 'postgres') return sharedLedger(config);
  return ledger(stateDir).catch((error: unknown) => Promise.reject(asFailure(error, stateDir)));
}

async function sharedLedger(config: Config): Promise<Finding> {
  const subject = 'ledger';
  return withReports(config, async (reports) => {
    const documents = (await reports.documentCounts()).reduce((sum, each) => sum + each.count, 0);
    return {
      level: 'ok',
      subject,
      message: `It can be read and contains ${counted(documents, 'document')}.`,
    };
  });
}

async function ledger(stateDir: string): Promise<Finding> {
  const subject = 'ledger';
  const path = ledgerPath({ stateDir });
  if (!existsSync(path) && !existsSync(journalPathOf(path)) && existsSync(stateDir)) {
    const message = 'It does not exist yet; `receiptd run` creates it. [LEDGER_MISSING]';
    return { level: 'warn', subject, message };
  }
  await refuseOddFiles(stateDir);
  const db = openForReading(path, { anyVersion: true });
  try {
    const { size } = await stat(path);
    if (size <= LARGE_LEDGER) {
      const [row]: Record<string, unknown>[] = db.prepare('PRAGMA quick_check(1)').all();
      const verdict = Object.values(row ?? {})[0];
      if (verdict !== 'ok')
        return { level: 'fail', subject, message: `It is damaged: ${String(verdict)}. [LEDGER_DAMAGED]` };
    }
  } finally {
    db.close();
  }
  const reports = await openSqliteReports({ path });
  try {
    const head = await reports.head();
    if (head !== null && endOfEntry(journalPathOf(path), head) === null) {
      const message =
        'The journal is missing the most recent entries of the ledger. The next start repairs that. [JOURNAL_DAMAGED]';
      return { level: 'fail', subject, message };
    }
    const documents = (await reports.documentCounts()).reduce((sum, each) => sum + each.count, 0);
    return {
      level: 'ok',
      subject,
      message: `It passes a quick check, matches the journal and contains ${counted(documents, 'document')}.`,
    };
  } finally {
    await reports.close();
  }
}

/** SQLite would wait forever for somebody to write into a FIFO, and nothing else would go on. @throws what is odd */
export async function refuseOddFiles(stateDir: string): Promise<void> {
  const path = ledgerPath({ stateDir });
  for (const file of [path, `${path}-wal`, `${path}-shm`, journalPathOf(path)]) {
    const about = await stat(file).catch(() => null);
    if (about !== null && !about.isFile()) throw new Error(`${file} is not a regular file`);
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

/** The last bytes of a file, from the beginning of a line; nothing where it can't be read. */
export async function tailOf(file: string, bytes: number): Promise<string> {
  try {
    const handle = await openPlainFile(file);
    try {
      const { size } = await handle.stat();
      const from = Math.max(0, size - bytes);
      const buffer = Buffer.alloc(size - from);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
      const text = buffer.toString('utf8', 0, bytesRead);
      return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}

function wordsOf(error: unknown): string {
  const errno = error instanceof Error && 'errno' in error ? Number(error.errno) : Number.NaN;
  return getSystemErrorMap().get(errno)?.[1] ?? describeError(error).detail;
}
