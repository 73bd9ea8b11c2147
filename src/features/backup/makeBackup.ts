import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { writeArchive, type NewMember } from '../../system/tar/write.ts';
import type { Config } from '../../config/config.ts';
import { readConfigFile, textOf } from '../../config/load.ts';
import { placeNew } from '../../system/durableFile.ts';
import { syncDirectory } from '../../system/syncDirectory.ts';
import { unwritable } from '../../state-dir/stateDir.ts';
import { markMovedAway, unmarkMovedAway } from '../../state-dir/stateMarks.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { endOfEntry } from '../../ledger/journal/read.ts';
import { verifyJournal } from '../../ledger/journal/verify.ts';
import { journalPathOf } from '../../ledger/sqlite/files.ts';
import { SCHEMA_VERSION } from '../../ledger/sqlite/tables.ts';
import { openSqliteReports } from '../../ledger/sqlite/openReports.ts';
import type { JournalHead } from '../../core/ports/journal.ts';
import { ledgerPath } from '../../state-dir/stateFiles.ts';
import { bytesOf, linkCopies, namesIn, wantedImages } from './images.ts';
import { FORMAT_VERSION, MANIFEST, SETTINGS, type Manifest } from './manifest.ts';
import { readBackup } from './readBackup.ts';
import { portableSettings } from './settings.ts';
import { toMessage } from '../../core/domain/why.ts';

/** Waiting documents whose image can't be found. */
export interface WithoutImage {
  readonly count: number;
  /** The first few paths. */
  readonly paths: readonly string[];
}

export interface BackupOptions {
  /** Absolute; a new file. */
  readonly file: string;
  readonly version: string;
  /** Requires that the caller holds the instance lock. This machine is closed before the archive gets its final name. */
  readonly final: boolean;
  /** Copies the ledger to a new file; works while an agent is running. */
  readonly copyLedger: (target: string) => Promise<JournalHead>;
  /** Called before anything takes effect. @throws to cancel the backup */
  readonly onWithoutImage: (missing: WithoutImage) => Promise<void>;
}

export interface BackedUp {
  readonly manifest: Manifest;
  readonly bytes: number;
  readonly withoutImage: WithoutImage;
}

/** Prefix of temporary directories. A crash leaves one behind, which a later backup removes after a day. */
const ASIDE = 'backing-up-';
const DAY_MS = 24 * 60 * 60_000;
const SHOWN = 20;

/**
 * Writes ledger, journal, waiting images and settings to a new archive: a consistent snapshot without secrets.
 *
 *   gathered aside ──▶ written beside its place ──▶ read back, all of it ──final: this machine is closed──▶ in its place
 *
 * A crash leaves no archive, or at worst a machine that is marked as closed, but never two agents that send.
 * @throws ReceiptdError OUTPUT_UNWRITABLE and what copying throws; nothing is left behind then
 */
export async function makeBackup(config: Config, options: BackupOptions): Promise<BackedUp> {
  const { stateDir } = config;
  // Fails early; `place` checks again at the end.
  if (existsSync(options.file)) throw Object.assign(new Error(`${options.file} exists`), { code: 'EEXIST' });
  await removeOld(stateDir);
  const aside = await fs.mkdtemp(join(stateDir, ASIDE)).catch((error: unknown) => {
    throw unwritable(stateDir, error);
  });
  try {
    const owner = await fs.stat(stateDir);
    // The agent writes the ledger copy itself, as its own user.
    if (process.geteuid?.() === 0) await fs.chown(aside, owner.uid, owner.gid);
    const { manifest, parts } = await gather(config, aside, options);
    return await write(stateDir, manifest, parts, aside, options);
  } finally {
    await fs.rm(aside, { recursive: true, force: true });
  }
}

type FilePart = NewMember & { readonly from: { readonly file: string; readonly size: number } };

async function gather(
  config: Config,
  aside: string,
  { copyLedger, version, final }: BackupOptions,
): Promise<{ manifest: Manifest; parts: readonly NewMember[] }> {
  const { stateDir } = config;
  const copies = join(aside, 'copies');
  await fs.mkdir(copies, { mode: 0o700 });
  // Before and after the copy of the ledger: the second pass finds images queued meanwhile, the first those sent meanwhile.
  await linkCopies(join(stateDir, 'spool'), copies);
  const ledger = join(aside, 'ledger.db');
  const head = await copyLedger(ledger);
  await linkCopies(join(stateDir, 'spool'), copies);
  await copyJournal(journalPathOf(ledgerPath(config)), head, journalPathOf(ledger));
  const text = textOf(await readConfigFile(config.file), config.file);
  const settings = await portableSettings(text, config);
  await fs.writeFile(join(aside, SETTINGS), settings.text, { mode: 0o600 });
  const shown = (await namesIn(join(stateDir, 'attention'))).filter((name) =>
    /^[0-9a-f]{8}\.json$/.test(name),
  );
  const others = ['results-handed', ...shown.map((name) => `attention/${name}`)].filter((name) =>
    existsSync(join(stateDir, name)),
  );
  for (const name of others) await fs.copyFile(join(stateDir, name), join(aside, basename(name)));
  const parts = await Promise.all(
    [SETTINGS, 'ledger.db', 'ledger.journal', ...others].map((name) =>
      hashed(name, join(aside, basename(name))),
    ),
  );
  const manifest: Manifest = {
    format: 'receiptd-backup',
    version: FORMAT_VERSION,
    id: randomUUID(),
    final,
    at: new Date().toISOString(),
    receiptd: version,
    schema: SCHEMA_VERSION,
    host: hostname(),
    stateDir,
    head: { ledger: head.ledger, seq: head.seq, hash: head.hash },
    ...(await countsOf(ledger, copies)),
    setUpAgain: settings.setUpAgain.map(toMessage),
    parts: parts.map(({ part, sha256 }) => ({ name: part.name, size: part.from.size, sha256 })),
  };
  return { manifest, parts: parts.map(({ part }) => part) };
}

async function countsOf(
  ledger: string,
  copies: string,
): Promise<Pick<Manifest, 'documents' | 'waiting' | 'images'>> {
  let [waiting, count, bytes] = [0, 0, 0];
  for await (const { path, size } of wantedImages(ledger, copies)) {
    if (path !== null) waiting += 1;
    count += 1;
    bytes += size;
  }
  const reports = await openSqliteReports({ path: ledger });
  try {
    const counts = await reports.documentCounts();
    const documents = counts.reduce((sum, each) => sum + each.count, 0);
    return { documents, waiting, images: { count, bytes } };
  } finally {
    await reports.close();
  }
}

/** Copies the journal up to the entry with which the copied ledger ends. */
async function copyJournal(journal: string, head: JournalHead, to: string): Promise<void> {
  const end = endOfEntry(journal, head);
  if (end === null) {
    throw new ReceiptdError('JOURNAL_DAMAGED.behind', { journal });
  }
  const from = await fs.open(journal, 'r');
  const target = await fs.open(to, 'wx', 0o600);
  try {
    const chunks = from.createReadStream({ end: end - 1, autoClose: false });
    for await (const chunk of chunks as AsyncIterable<Buffer>) await target.writeFile(chunk);
  } finally {
    await from.close();
    await target.close();
  }
  // Restoring reads all of it, and would refuse what is broken.
  const { findings } = await verifyJournal(to, { head });
  if (findings.length > 0) throw new ReceiptdError('JOURNAL_DAMAGED.notBackedUp', { journal });
}

async function hashed(name: string, file: string): Promise<{ part: FilePart; sha256: string }> {
  const digest = createHash('sha256');
  let size = 0;
  const handle = await fs.open(file, 'r');
  try {
    for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      digest.update(chunk);
      size += chunk.length;
    }
  } finally {
    await handle.close();
  }
  return { part: { name, from: { file, size } }, sha256: digest.digest('hex') };
}

async function write(
  stateDir: string,
  manifest: Manifest,
  parts: readonly NewMember[],
  aside: string,
  { file, final, onWithoutImage }: BackupOptions,
): Promise<BackedUp> {
  const written = `${file}.${manifest.id}.tmp`;
  const paths: string[] = [];
  let [count, isMarked] = [0, false];
  const all = async function* (): AsyncGenerator<NewMember> {
    yield { name: MANIFEST, from: Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`) };
    yield* parts;
    const copies = join(aside, 'copies');
    for await (const image of wantedImages(join(aside, 'ledger.db'), copies)) {
      const bytes = await bytesOf(image, copies);
      if (bytes !== null) yield { name: `spool/${image.sha256}`, from: bytes };
      else if (image.path !== null) {
        count += 1;
        if (paths.length < SHOWN) paths.push(image.path);
      }
    }
  };
  try {
    await writeArchive(written, all(), new Date(manifest.at));
    const { size } = await fs.stat(written);
    await readBack(written, file, manifest.id);
    if (count > 0) await onWithoutImage({ count, paths });
    // Before the archive exists: a crash in between leaves an agent that waits, never two that send.
    if (final) {
      await markMovedAway(stateDir, { at: manifest.at, file, isCopy: false });
      isMarked = true;
    }
    await place(written, file);
    return { manifest, bytes: size, withoutImage: { count, paths } };
  } catch (error) {
    if (isMarked) await unmarkMovedAway(stateDir);
    throw error;
  } finally {
    await fs.rm(written, { force: true }).catch(() => {});
  }
}

/** Verifies the written archive, because a faulty USB stick must be noticed before anything depends on it. */
async function readBack(written: string, file: string, id: string): Promise<void> {
  try {
    if ((await readBackup(written, null)).id === id) return;
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    throw unsound(file, error);
  }
  throw unsound(file);
}

/** `error`: left out if it holds another backup. */
function unsound(file: string, error?: ReceiptdError): ReceiptdError {
  const why = error?.within() ?? { detail: '' };
  return new ReceiptdError(
    'BACKUP_FAILED.unsound',
    { file, isOther: error === undefined, ...why },
    { cause: error },
  );
}

/** Gives the archive its final name. Never overwrites a file. */
async function place(written: string, file: string): Promise<void> {
  await placeNew(written, file);
  try {
    await syncDirectory(dirname(file));
  } catch (error) {
    // A backup that failed must not be restored elsewhere while this machine continues.
    await fs.rm(file, { force: true });
    throw error;
  }
}

async function removeOld(stateDir: string): Promise<void> {
  for (const name of await namesIn(stateDir)) {
    if (!name.startsWith(ASIDE)) continue;
    const { mtimeMs } = await fs.stat(join(stateDir, name));
    if (Date.now() - mtimeMs > DAY_MS) await fs.rm(join(stateDir, name), { recursive: true, force: true });
  }
}
