import { constants, createWriteStream, existsSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { acquireInstanceLock } from '../../state-dir/instanceLock.ts';
import { prepareStateDir, unwritable } from '../../state-dir/stateDir.ts';
import {
  commitRestore,
  finishRestore,
  movedAway,
  refuseIfMoved,
  STAGING,
} from '../../state-dir/stateMarks.ts';
import { refuseMovedLedger } from '../../state-dir/ledgerMoved.ts';
import { systemClock } from '../../system/systemClock.ts';
import { ReceiptdError, systemCode } from '../../core/domain/errors.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';
import { adoptLedger, type Adopted } from '../../ledger/sqlite/adopt.ts';
import { checkBackup } from '../../ledger/sqlite/backup.ts';
import { journalPathOf, syncFile } from '../../ledger/sqlite/files.ts';
import { ledgerPath } from '../../state-dir/stateFiles.ts';
import { namesIn } from './images.ts';
import { SETTINGS } from './manifest.ts';
import { acceptedHere, newerHere, relationTo, type Relation } from './relation.ts';
import { readBackup } from './readBackup.ts';
import { noteRestored, type BackupSource } from './source.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';
import { toMessage } from '../../core/domain/why.ts';

export interface RestoreOptions {
  /** Absolute. */
  readonly file: string;
  /** The same file, if the current user can't open it; closed at the end. */
  readonly opened?: FileHandle | null;
  readonly source: BackupSource;
  /** Replaces a different ledger, which is moved aside; `older` alone does not. */
  readonly replace: boolean;
  /** Restores an earlier state of the present ledger, and forgets what was recorded since. */
  readonly older: boolean;
  /** For inspection only: no agent may run on the restored state. */
  readonly isCopy: boolean;
  /** Operating-system user. */
  readonly by: string;
}

export interface Restored extends Adopted {
  readonly relation: Relation;
  /** Where the previous state was moved; null if there was none. */
  readonly setAside: string | null;
  /** Whether the restore was noted beside the file, for anyone who restores it elsewhere. */
  readonly isNoted: boolean;
}

/**
 * Restores a backup into the state directory: completely or not at all, even after a crash. If the local journal continues from the
 * backup, none of it is forgotten.
 * @throws ReceiptdError ARCHIVE_REFUSED, BACKUP_FAILED, LEDGER_NEWER, LEDGER_EXISTS, STATE_MOVED, ALREADY_RUNNING, DISK_FULL,
 * STATE_UNWRITABLE
 */
export async function restoreBackup(config: Config, options: RestoreOptions): Promise<Restored> {
  const { file, opened = null, source, older, isCopy } = options;
  const { stateDir } = config;
  await prepareStateDir(config);
  const lock = await acquireInstanceLock(stateDir, { evenIfMoved: true });
  const staging = join(stateDir, STAGING);
  try {
    await refuseMovedLedger(stateDir);
    await fs.mkdir(staging, { mode: 0o700 });
    const ledger = join(staging, 'ledger.db');
    const archived = await unpack(file, opened, source, ledger);
    const relation = await relationTo(config, source.head, archived);
    await refuseLoss(config, options, relation, archived);
    const goesOn = relation === 'earlier' && !older;
    if (goesOn)
      await fs.copyFile(journalPathOf(ledgerPath(config)), journalPathOf(ledger), constants.COPYFILE_FICLONE);
    const adopted = await adopt(ledger, options, goesOn, stateDir);
    await complete(staging, goesOn, stateDir);
    const at = new Date(systemClock.now()).toISOString();
    const isNoted =
      source.kind === 'archive' && !goesOn && !isCopy && (await noteRestored(file, stateDir, at));
    const aside = unused(stateDir, at);
    const closed = isCopy ? { at, file, isCopy } : null;
    await commitRestore(stateDir, { aside, keepsBackups: goesOn, closed });
    await finishRestore(stateDir);
    const kept = join(stateDir, aside);
    return { ...adopted, relation, setAside: existsSync(kept) ? kept : null, isNoted };
  } catch (error) {
    throw systemCode(error) === undefined ? error : unwritable(stateDir, error);
  } finally {
    // After a failure, the staged files are of no use; after success, the directory no longer exists.
    await fs.rm(staging, { recursive: true, force: true }).catch(() => {});
    await lock.release();
  }
}

/** An unused directory name for the previous state. */
function unused(stateDir: string, at: string): string {
  const name = `before-restore-${at.replaceAll(/[-:]|\.\d+/g, '')}`;
  for (let n = 1; ; n += 1) {
    const numbered = n === 1 ? name : `${name}-${n}`;
    if (!existsSync(join(stateDir, numbered))) return numbered;
  }
}

/** @returns the path of the backup's journal; null if it has none */
async function unpack(
  file: string,
  opened: FileHandle | null,
  source: BackupSource,
  ledger: string,
): Promise<string | null> {
  if (source.kind === 'ledger') {
    if (opened === null) await fs.copyFile(file, ledger, constants.COPYFILE_EXCL);
    else await pipeline(opened.createReadStream(), createWriteStream(ledger, { flags: 'wx', mode: 0o600 }));
    await fs.chmod(ledger, 0o600);
    return null;
  }
  const { head } = await readBackup(file, dirname(ledger), opened);
  const found = checkBackup(ledger);
  const isSame = found.ledger === head.ledger && found.seq === head.seq && found.hash === head.hash;
  if (isSame && head.seq === source.head.seq && head.hash === source.head.hash) return journalPathOf(ledger);
  throw refusedArchive(file, null);
}

/** Refuses to discard what is recorded here but not in the backup, unless the options allow it. */
async function refuseLoss(
  config: Config,
  { file, source, replace, older, isCopy }: RestoreOptions,
  relation: Relation,
  archived: string | null,
): Promise<void> {
  const { stateDir } = config;
  // A backup that comes back from the other PC replaces the mark; anything else would be a second agent.
  if (relation !== 'later' && !isCopy && (await movedAway(stateDir)) !== null) await refuseIfMoved(stateDir);
  if (relation === 'none' || relation === 'later' || (relation === 'earlier' && !older)) return;
  if (relation === 'other') return refuseOther(config, replace);
  if (older) return;
  const { entries, accepted } = newerHere(config, source.head, archived);
  if (entries > 0) {
    throw new ReceiptdError('LEDGER_EXISTS.newer', { stateDir, entries, file, accepted });
  }
  refuseOther(config, replace);
}

/** The ledger here is not the backup's: only `--replace` sets it aside. @throws ReceiptdError LEDGER_EXISTS */
export function refuseOther(config: Config, replace: boolean): void {
  if (replace) return;
  const accepted = acceptedHere(config);
  throw new ReceiptdError('LEDGER_EXISTS.other', {
    stateDir: config.stateDir,
    ledger: ledgerPath(config),
    accepted,
  });
}

async function adopt(
  path: string,
  { file, source, by }: RestoreOptions,
  goesOn: boolean,
  stateDir: string,
): Promise<Adopted> {
  const because = toMessage(
    source.kind === 'archive' && !goesOn
      ? { is: 'restoredArchive', host: source.manifest.host, at: source.manifest.at, by }
      : { is: 'restoredFile', file, by },
  );
  const isPair = source.kind === 'archive' && !goesOn;
  // With its own journal, the backup must be complete to be valid.
  const backupsDir = goesOn ? join(stateDir, 'backups') : `${path}.none`;
  try {
    return await adoptLedger({ path, backupsDir, because, at: systemClock.now(), isPair });
  } catch (error) {
    if (!isPair || !(error instanceof ReceiptdError) || error.code === 'LEDGER_NEWER') throw error;
    throw refusedArchive(file, error.message.replace(/\.$/, ''), error);
  }
}

/** `damage`: of the ledger in it; null if that ends at the wrong entry. */
function refusedArchive(file: string, damage: string | null, cause?: unknown): ReceiptdError {
  return new ReceiptdError('ARCHIVE_REFUSED.ledger', { file, damage }, { cause });
}

/**
 * Completes the staged state: every part exists, empty if need be, and is durable. If the present state continues, it keeps all but
 * its ledger, and gets the copies it lacks.
 */
async function complete(staging: string, goesOn: boolean, stateDir: string): Promise<void> {
  for (const name of await fs.readdir(staging))
    if (name === SETTINGS || /^ledger\.(?:db|journal)[-.]/.test(name))
      await fs.rm(join(staging, name), { recursive: true });
  if (goesOn) {
    await addCopies(join(staging, 'spool'), join(stateDir, 'spool'));
    for (const name of ['spool', 'attention', 'results-handed'])
      await fs.rm(join(staging, name), { recursive: true, force: true });
  } else {
    for (const folder of ['spool', 'attention']) await makeDirectory(join(staging, folder), 0o700);
    const handed = join(staging, 'results-handed');
    await fs.appendFile(handed, '', { mode: 0o600 });
    syncFile(handed);
  }
  for (const entry of await fs.readdir(staging, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) syncDirectorySync(join(entry.parentPath, entry.name));
  syncDirectorySync(staging);
}

/** The next sweep removes copies that nothing needs. */
async function addCopies(from: string, to: string): Promise<void> {
  for (const fanOut of await namesIn(from)) {
    await makeDirectory(join(to, fanOut), 0o700);
    for (const name of await namesIn(join(from, fanOut)))
      if (!existsSync(join(to, fanOut, name)))
        await fs.rename(join(from, fanOut, name), join(to, fanOut, name));
    syncDirectorySync(join(to, fanOut));
  }
}
