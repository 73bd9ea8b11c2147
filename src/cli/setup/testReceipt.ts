import { randomBytes, randomInt } from 'node:crypto';
import { access, constants, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { folderCovers } from '../../wiring/lookAtFolder.ts';
import type { Config } from '../../config/config.ts';
import { callControl } from '../../control/client.ts';
import { drawTestReceipt } from '../../demo/testReceipt.ts';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { local } from '../../core/domain/words.ts';
import type { ListRowJson } from '../../control/protocol/documents.ts';
import type { ListFilter } from '../../core/ports/ledgerReports.ts';
import { withReading } from '../reading.ts';
import { agentAnswers, openLog } from '../session.ts';
import type { TestReceiptTrouble } from '../../texts/facts.ts';
import type { Io } from '../io.ts';
import { loadContext } from '../io.ts';
import { VERSION } from '../version.ts';
import { SetupEnded } from './prompts.ts';

export interface Delivered {
  readonly file: string;
  readonly name: string;
  /** Status of the document at the service, verbatim. */
  readonly status: string | null;
  /** The service's response, verbatim. */
  readonly response: string | null;
}

const PREFIX = 'receiptd-test-';
const OWN = /^receiptd-test-\d{8}-\d{6}-[0-9a-f]{4}\.png$/;
/** States that can still end in acceptance, by themselves or after a problem is fixed. */
const WAITING = ['queued', 'uploading', 'held', 'unconfirmed'] as const;
const EVERY_MS = 100;
const LIMIT_MS = 60_000;
const REMOVAL_MS = 15_000;

/**
 * Puts a test receipt into the folder and waits until the service has accepted it, sent by the running agent or a temporary
 * one. Removes the file afterwards.
 * @throws ReceiptdError TEST_RECEIPT_UNDELIVERED
 */
export async function sendTestReceipt(io: Io, config: Config, folder: string): Promise<Delivered> {
  const at = Date.now();
  const time = new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-');
  const file = `${PREFIX}${time}-${randomBytes(2).toString('hex')}.png`;
  if (!folderCovers(folder, file, config)) {
    throw undelivered(file, { what: 'excluded', folder });
  }
  await access(folder, constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw undelivered(file, { what: 'unwritable', folder, system: systemCode(error) ?? null });
  });
  const waiting = await waitingBefore(config, folder);
  const agent = await anAgent(io, config);
  try {
    const soon = AbortSignal.any([io.stop, AbortSignal.timeout(LIMIT_MS)]);
    const wait: Wait = { ended: agent.ended, signal: soon };
    // Waits for a test receipt of an earlier attempt instead of adding another one.
    if (waiting !== null) {
      // Safe to delete: its name has our random digits, and its content was accepted.
      return await delivered(io, config, basename(waiting), wait, () => rm(waiting, { force: true }));
    }
    const path = join(folder, file);
    await watched(config, folder, file, wait);
    // A random number makes every picture different, so it is not a duplicate.
    const bytes = drawTestReceipt({ number: randomInt(1_000_000), at: local(at).slice(0, 16) });
    await writeFile(path, bytes, { flag: 'wx' });
    return await delivered(io, config, file, wait, () => removeOwn(path, bytes));
  } finally {
    await agent.stop();
  }
}

/** Waits until the file is accepted, then removes it with `remove`. */
async function delivered(
  io: Io,
  config: Config,
  file: string,
  wait: Wait,
  remove: () => Promise<void>,
): Promise<Delivered> {
  const row = await settled(io, config, file, wait);
  if (row.state !== 'accepted' || row.name === null) throw undelivered(file, howFar(row), row);
  await remove().catch(() => {});
  await removalSeen(config, row.name, wait);
  return { file, name: row.name, status: row.status, response: await responseOf(config, row.name) };
}

async function waitingBefore(config: Config, folder: string): Promise<string | null> {
  return first(config, { states: [...WAITING], folder, search: PREFIX }, ({ path, baseUrl }) =>
    baseUrl === config.service.baseUrl && OWN.test(basename(path)) ? path : null,
  );
}

/** Name of an earlier accepted test receipt, so that a repeated setup sends no other. Null: none. */
export async function acceptedBefore(config: Config, folder: string): Promise<string | null> {
  return first(config, { states: ['accepted'], folder, search: PREFIX }, ({ name, baseUrl }) =>
    baseUrl === config.service.baseUrl ? name : null,
  );
}

async function first(
  config: Config,
  filter: ListFilter,
  of: (row: ListRowJson) => string | null,
): Promise<string | null> {
  try {
    return await withReading(config, async (reading) => {
      for await (const row of reading.list(filter)) {
        const found = of(row);
        if (found !== null) return found;
      }
      return null;
    });
  } catch (error) {
    if (error instanceof ReceiptdError && ['LEDGER_MISSING', 'LEDGER_OLDER'].includes(error.code))
      return null;
    throw error;
  }
}

interface Wait {
  /** The error that ended the agent early, if any. */
  readonly ended: () => unknown;
  /** Aborts when it took too long, or setup was stopped. */
  readonly signal: AbortSignal;
}

interface SomeAgent extends Pick<Wait, 'ended'> {
  stop(): Promise<void>;
}

/** The running agent, or a temporary one in this process. */
async function anAgent(io: Io, config: Config): Promise<SomeAgent> {
  const [{ acquireInstanceLock }, { prepareStateDir }] = await Promise.all([
    import('../../state-dir/instanceLock.ts'),
    import('../../state-dir/stateDir.ts'),
  ]);
  if (await agentAnswers(config)) return { ended: () => null, stop: async () => {} };
  await prepareStateDir(config);
  let lock;
  try {
    lock = await acquireInstanceLock(config.stateDir);
  } catch (error) {
    // An agent is just starting.
    if (error instanceof ReceiptdError && error.code === 'ALREADY_RUNNING')
      return { ended: () => null, stop: async () => {} };
    throw error;
  }
  const { log, secrets } = await openLog(io, config, { toFile: true, level: 'warn' });
  const { runDaemon } = await import('../../wiring/daemon.ts');
  const stop = new AbortController();
  let trouble: unknown = null;
  const options = { config, context: loadContext(io), lock, log, secrets, env: io.env, lines: log.lines };
  const running = runDaemon(
    { ...options, onLogFile: options.log.onFile, version: VERSION, onReload: io.onReload },
    stop.signal,
  ).catch((error: unknown) => {
    trouble = error;
  });
  return {
    ended: () => trouble,
    async stop() {
      stop.abort(new Error('the test receipt is through'));
      await running;
      await log.close();
      await lock.release();
    },
  };
}

/** Waits until the folder is watched: files already present at that time may be ignored. */
async function watched(config: Config, folder: string, file: string, wait: Wait): Promise<void> {
  let last: TestReceiptTrouble = { what: 'noAgent' };
  await until(
    async () => {
      try {
        const { folders } = await callControl(config.stateDir, 'status', {});
        const found = folders.find(({ path }) => path === folder);
        last =
          found === undefined
            ? { what: 'unwatched', folder }
            : { what: 'notYetWatching', folder, state: found.state };
        return found?.state === 'watching' || null;
      } catch (error) {
        if (!(error instanceof ReceiptdError)) throw error;
        last = { what: 'error', ...error.within() };
        return null;
      }
    },
    wait,
    () => undelivered(file, last),
  );
}

/** Final states: nothing more happens without a person. */
const SETTLED = ['accepted', 'duplicate', 'rejected', 'failed', 'unconfirmed', 'lost', 'skipped'];

async function settled(io: Io, config: Config, file: string, wait: Wait): Promise<ListRowJson> {
  let last: ListRowJson | null = null;
  return until(
    async () => {
      last = await withReading(config, async (reading) => {
        let row = last;
        for await (const each of reading.list({ search: file })) row = each;
        return row;
      });
      return last !== null && SETTLED.includes(last.state) ? last : null;
    },
    wait,
    () =>
      io.stop.aborted
        ? new SetupEnded('ended by a signal')
        : undelivered(file, last === null ? { what: 'unseen' } : howFar(last), last),
  );
}

async function until<T>(
  look: () => Promise<T | null>,
  { ended, signal }: Wait,
  late: () => Error,
): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    const trouble = ended();
    if (trouble !== null) throw trouble;
    if (signal.aborted) throw late();
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

function howFar({ state, message, fact, reason }: ListRowJson): TestReceiptTrouble {
  return { what: 'state', state, detail: message ?? reason ?? '', why: fact };
}

/** `row`: the ledger's entry for the file. */
function undelivered(file: string, why: TestReceiptTrouble, row: ListRowJson | null = null): ReceiptdError {
  const isToCome = row !== null && ['queued', 'uploading', 'held'].includes(row.state);
  return new ReceiptdError('TEST_RECEIPT_UNDELIVERED', { file, isToCome, why });
}

async function responseOf(config: Config, name: string): Promise<string | null> {
  return withReading(config, async (reading) => {
    const all = await reading.details({ name });
    return all.find(({ baseUrl }) => baseUrl === config.service.baseUrl)?.response ?? null;
  });
}

/** Waits until the ledger knows that the file is gone, or the first audit would fail. Gives up quietly if it takes long. */
async function removalSeen(config: Config, name: string, wait: Wait): Promise<void> {
  const isGone = async (): Promise<true | null> => {
    return withReading(config, async (reading) => {
      const all = await reading.details({ name });
      return all.every(({ files }) => files.every(({ goneAt }) => goneAt !== null)) || null;
    });
  };
  const signal = AbortSignal.any([wait.signal, AbortSignal.timeout(REMOVAL_MS)]);
  await until(isGone, { ...wait, signal }, () => new Error('late')).catch(() => {});
}

/** Removes the file only if it is still ours; the agent may have archived or deleted it. */
async function removeOwn(path: string, bytes: Buffer): Promise<void> {
  const there = await readFile(path).catch(() => null);
  if (there?.equals(bytes) === true) await rm(path, { force: true });
}
