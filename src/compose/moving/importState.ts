import { existsSync, statSync } from 'node:fs';
import fs from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { acquireInstanceLock } from '../../daemon/instanceLock.ts';
import { prepareStateDir } from '../../daemon/stateDir.ts';
import {
  commitImport,
  finishImport,
  lastImport,
  movedAway,
  refuseIfMoved,
  STAGING,
} from '../../daemon/stateMoved.ts';
import { systemClock } from '../../daemon/systemClock.ts';
import { ReceiptdError } from '../../domain/errors.ts';
import { counted } from '../../domain/words.ts';
import { syncDirectory } from '../../ledger/durable.ts';
import { adoptLedger } from '../../ledger/sqlite/adopt.ts';
import { journalPathOf } from '../../ledger/sqlite/files.ts';
import { ledgerPath, openReports } from '../reports.ts';
import { SETTINGS, type Manifest } from './manifest.ts';
import { compareWithArchive, headHere } from './newerHere.ts';
import { missingPaths } from './settings.ts';
import { unpack } from './unpack.ts';

export interface ImportOptions {
  /** Absolute. */
  readonly file: string;
  /** Puts a ledger that is there aside. */
  readonly replace: boolean;
  /** Even one that recorded more of the same ledger since. */
  readonly older?: boolean;
  /** Operating-system user. */
  readonly by: string;
}

export interface Imported {
  readonly manifest: Manifest;
  /** False where this very archive had been imported before; nothing was changed then. */
  readonly isNew: boolean;
  readonly documents: number;
  /** Where what was there before is kept; null if there was nothing. */
  readonly setAside: string | null;
}

/**
 * Puts what an archive holds into the state directory, all of it or nothing, whatever ends this on the way. Under the instance lock.
 * @throws ReceiptdError ARCHIVE_REFUSED, LEDGER_NEWER, LEDGER_EXISTS, STATE_MOVED, ALREADY_RUNNING, DISK_FULL, STATE_UNWRITABLE
 */
export async function importState(config: Config, options: ImportOptions): Promise<Imported> {
  const { file, replace, by } = options;
  const { stateDir } = config;
  await prepareStateDir(config);
  const lock = await acquireInstanceLock(stateDir, { evenIfMoved: true });
  const staging = join(stateDir, STAGING);
  try {
    // What a kill left before the import counted.
    await fs.rm(staging, { recursive: true, force: true });
    await fs.mkdir(staging, { mode: 0o700 });
    const manifest = await unpack(file, staging);
    const mark = await movedAway(stateDir);
    if (mark === null && (await isImported(config, manifest, replace)))
      return { manifest, isNew: false, documents: manifest.documents, setAside: null };
    const journal = journalPathOf(join(staging, 'ledger.db'));
    const { continues, entries, accepted } = await compareWithArchive(config, journal, manifest.head);
    // Who comes back from there takes the mark's place; anybody else would be a second one.
    if (mark !== null && (!continues || mark.id === manifest.id)) await refuseIfMoved(stateDir);
    if (!replace) await refuseExisting(config);
    else if (entries > 0 && !options.older) throw newerThan(file, config, entries, accepted);
    const { documents } = adopt(staging, manifest, by);
    await makeWhole(staging);
    const stamp = new Date(systemClock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const aside = join(stateDir, `before-import-${stamp}-${manifest.id.slice(0, 8)}`);
    await commitImport(stateDir, { id: manifest.id, aside: basename(aside) });
    await finishImport(stateDir);
    return { manifest, isNew: true, documents, setAside: existsSync(aside) ? aside : null };
  } finally {
    // Nothing of it counts; once it does, there is none.
    await fs.rm(staging, { recursive: true, force: true }).catch(() => {});
    await lock.release();
  }
}

/** Before this. One that was destroyed since may be replaced by the same. */
async function isImported(config: Config, { id, head }: Manifest, replace: boolean): Promise<boolean> {
  if ((await lastImport(config.stateDir)) !== id || !existsSync(ledgerPath(config))) return false;
  if (!replace) return true;
  const here = await headHere(config);
  return here !== null && here.seq >= head.seq;
}

function newerThan(file: string, { stateDir }: Config, entries: number, accepted: number): ReceiptdError {
  const newer = counted(entries, 'entry', 'entries');
  const sent = counted(accepted, 'document that was accepted since', 'documents that were accepted since');
  const lost =
    accepted === 0 ? 'they would be lost' : `${sent} would be sent again, if found in a watched folder`;
  return new ReceiptdError(
    'LEDGER_EXISTS',
    `The ledger in ${stateDir} is ${newer} newer than ${file}: ${lost}.`,
    {
      hint: 'To mend a ledger, start receiptd, or use `receiptd ledger restore`: both take over what the journal says. To go back to the older state all the same, say --older.',
    },
  );
}

function adopt(staging: string, { head, host, at }: Manifest, by: string): { readonly documents: number } {
  const because = `Moved here from ${host} (state of ${at}) by ${by}.`;
  try {
    return adoptLedger(join(staging, 'ledger.db'), head, because, systemClock.now());
  } catch (error) {
    if (!(error instanceof ReceiptdError) || error.code === 'LEDGER_NEWER') throw error;
    throw new ReceiptdError('ARCHIVE_REFUSED', `The ledger in the archive can't be used: ${error.message}`, {
      hint: 'Nothing was imported. Make another with `receiptd export-state`.',
      cause: error,
    });
  }
}

/** Every part is there, if need be with nothing in it, and on the disk. */
async function makeWhole(staging: string): Promise<void> {
  for (const left of ['ledger.db-wal', 'ledger.db-shm', SETTINGS])
    await fs.rm(join(staging, left), { force: true });
  for (const folder of ['spool', 'attention'])
    await fs.mkdir(join(staging, folder), { recursive: true, mode: 0o700 });
  const handed = await fs.open(join(staging, 'results-handed'), 'a', 0o600);
  await handle(handed);
  for (const entry of await fs.readdir(staging, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) syncDirectory(join(entry.parentPath, entry.name));
  syncDirectory(staging);
}

async function handle(file: fs.FileHandle): Promise<void> {
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function refuseExisting(config: Config): Promise<void> {
  const path = ledgerPath(config);
  if (!(await holdsSomething(config))) return;
  throw new ReceiptdError('LEDGER_EXISTS', `There is a ledger in ${config.stateDir} already: ${path}.`, {
    hint: 'To put it aside and use the archive instead, say --replace.',
  });
}

/** One that can't be read may hold anything. */
async function holdsSomething(config: Config): Promise<boolean> {
  const path = ledgerPath(config);
  try {
    const reports = await openReports(config);
    try {
      return (await reports.counts()).some(({ count }) => count > 0);
    } finally {
      await reports.close();
    }
  } catch (error) {
    if (!(error instanceof ReceiptdError) || error.code !== 'LEDGER_MISSING') return true;
    // Gone, or of an older version.
    const journal = statSync(journalPathOf(path), { throwIfNoEntry: false });
    return existsSync(path) || (journal !== undefined && journal.size > 0);
  }
}

/** What does not fit this machine, in sentences. */
export async function misfits(config: Config): Promise<string[]> {
  const sentences = missingPaths(config);
  const reports = await openReports(config);
  try {
    const counts = await reports.documentCounts();
    const waiting = counts.filter(({ state }) =>
      ['queued', 'held', 'uploading', 'unconfirmed'].includes(state),
    );
    const known = new Set(config.endpoints.map(({ key }) => `${key.baseUrl} ${key.uid}`));
    for (const { endpoint, count } of waiting)
      if (endpoint !== null && !known.has(`${endpoint.baseUrl} ${endpoint.uid}`))
        sentences.push(
          `${count} waiting for the endpoint ${endpoint.uid}, which the configuration does not have.`,
        );
    const folders = new Set(config.folders.map(({ path }) => path));
    for (const folder of new Set(waiting.map((each) => each.folder)))
      if (!folders.has(folder))
        sentences.push(
          `Documents wait that were scanned into ${folder}, which the configuration does not watch.`,
        );
  } finally {
    await reports.close();
  }
  return sentences;
}
