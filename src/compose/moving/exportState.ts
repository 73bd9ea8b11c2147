import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { writeArchive, type Part } from '../../archive/write.ts';
import type { Config } from '../../config/config.ts';
import { readConfigFile, textOf } from '../../config/load.ts';
import { unwritable } from '../../daemon/stateDir.ts';
import { markMovedAway, unmarkMovedAway } from '../../daemon/stateMoved.ts';
import { ReceiptdError, systemCode } from '../../domain/errors.ts';
import { endOfEntry } from '../../ledger/sqlite/adopt.ts';
import { journalPathOf } from '../../ledger/sqlite/files.ts';
import { LATEST_VERSION } from '../../ledger/sqlite/migrate.ts';
import type { JournalHead } from '../../ports/journal.ts';
import { ledgerPath } from '../reports.ts';
import { FORMAT_VERSION, MANIFEST, SETTINGS, type Manifest, type PartEntry } from './manifest.ts';
import { portableSettings } from './settings.ts';
import { copyOriginal, linkCopies, namesIn, sha256Of, waitingIn } from './waiting.ts';

export interface ExportOptions {
  /** Absolute; a new file. */
  readonly file: string;
  readonly version: string;
  /** The caller holds the instance lock then, and this machine is marked as moved away before the archive is there. */
  readonly final: boolean;
  /** Copies the ledger to a new file, beside a running agent too. */
  readonly backup: (target: string) => Promise<JournalHead>;
  /** Asked before anything is written where the images of waiting documents can't be had. @throws to end it */
  readonly onWithoutImage: (paths: readonly string[]) => Promise<void>;
}

export interface Exported {
  readonly manifest: Manifest;
  readonly bytes: number;
  readonly withoutImage: readonly string[];
}

/** One that was killed leaves this behind; the next one removes it after a day. */
const ASIDE = 'exporting-';
const DAY_MS = 24 * 60 * 60_000;

/**
 * Writes ledger, journal, images that wait and settings into a new archive: all of one moment, and no secrets.
 * @throws ReceiptdError OUTPUT_UNWRITABLE and what backing up throws; nothing is left behind then
 */
export async function exportState(config: Config, options: ExportOptions): Promise<Exported> {
  const { stateDir } = config;
  await removeOld(stateDir);
  const aside = await fs.mkdtemp(join(stateDir, ASIDE)).catch((error: unknown) => {
    throw unwritable(stateDir, error);
  });
  const owner = await fs.stat(stateDir);
  // The agent writes its part itself, as its own user.
  if (process.geteuid?.() === 0) await fs.chown(aside, owner.uid, owner.gid);
  try {
    const { manifest, parts, withoutImage } = await gather(config, aside, options);
    const bytes = await write(stateDir, manifest, parts, options);
    return { manifest, bytes, withoutImage };
  } finally {
    await fs.rm(aside, { recursive: true, force: true });
  }
}

async function gather(config: Config, aside: string, options: ExportOptions) {
  const { stateDir } = config;
  const images = join(aside, 'images');
  await fs.mkdir(images, { mode: 0o700 });
  // Before the ledger is copied and after: what is queued meanwhile is found the second time, what is sent the first.
  await linkCopies(join(stateDir, 'spool'), images);
  const ledger = join(aside, 'ledger.db');
  const head = await options.backup(ledger);
  await linkCopies(join(stateDir, 'spool'), images);
  const journal = await journalUpTo(journalPathOf(ledgerPath(config)), head, join(aside, 'ledger.journal'));
  const { documents, waiting, wanted, perhaps } = await waitingIn(ledger);
  const withoutImage: string[] = [];
  for (const [sha256, { path }] of wanted) {
    const copy = join(images, sha256);
    const isThere = await exists(copy);
    if (!isThere && !(await copyOriginal(path, sha256, copy))) withoutImage.push(path);
  }
  if (withoutImage.length > 0) await options.onWithoutImage(withoutImage);
  const { text, anew } = await portableSettings(
    textOf(await readConfigFile(config.file), config.file),
    config,
  );
  const parts: Part[] = [];
  const entries: PartEntry[] = [];
  const add = async (name: string, file: string): Promise<void> => {
    const { sha256, size } = await sha256Of(file);
    parts.push({ name, from: { file, size } });
    entries.push({ name, size, sha256 });
  };
  await add('ledger.db', ledger);
  await add('ledger.journal', journal);
  await fs.writeFile(join(aside, SETTINGS), text, { mode: 0o600 });
  await add(SETTINGS, join(aside, SETTINGS));
  if (await exists(join(stateDir, 'results-handed'))) {
    await fs.copyFile(join(stateDir, 'results-handed'), join(aside, 'results-handed'));
    await add('results-handed', join(aside, 'results-handed'));
  }
  for (const name of await namesIn(join(stateDir, 'attention'))) {
    if (!/^[0-9a-f]{8}\.json$/.test(name)) continue;
    await fs.copyFile(join(stateDir, 'attention', name), join(aside, name));
    await add(`attention/${name}`, join(aside, name));
  }
  for (const name of await namesIn(images))
    if (wanted.has(name) || perhaps.has(name)) await add(`spool/${name}`, join(images, name));
  const manifest: Manifest = {
    format: 'receiptd-state',
    version: FORMAT_VERSION,
    id: randomUUID(),
    final: options.final,
    at: new Date().toISOString(),
    receiptd: options.version,
    schema: LATEST_VERSION,
    host: hostname(),
    stateDir,
    head: { ledger: head.ledger, seq: head.seq, hash: head.hash },
    documents,
    waiting,
    anew: [...anew],
    parts: entries,
  };
  return { manifest, parts, withoutImage };
}

/** The journal goes on; the ledger that was copied ends with this entry. */
async function journalUpTo(journal: string, head: JournalHead, to: string): Promise<string> {
  const end = endOfEntry(journal, head);
  if (end === null) {
    throw new ReceiptdError(
      'JOURNAL_DAMAGED',
      `The journal ${journal} does not hold what the ledger ends with.`,
      {
        hint: 'Start receiptd once, which mends that; `receiptd ledger verify` says more.',
      },
    );
  }
  const from = await fs.open(journal, 'r');
  const target = await fs.open(to, 'wx', 0o600);
  try {
    for await (const chunk of from.createReadStream({
      end: end - 1,
      autoClose: false,
    }) as AsyncIterable<Buffer>)
      await target.writeFile(chunk);
  } finally {
    await from.close();
    await target.close();
  }
  return to;
}

async function write(
  stateDir: string,
  manifest: Manifest,
  parts: readonly Part[],
  { file }: ExportOptions,
): Promise<number> {
  const aside = `${file}.${manifest.id}.tmp`;
  let isMarked = false;
  try {
    const first: Part = { name: MANIFEST, from: Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`) };
    await writeArchive(aside, [first, ...parts], new Date(manifest.at));
    const { size } = await fs.stat(aside);
    // Before there is an archive to go on from elsewhere: a kill in between leaves an agent that waits, never two that send.
    if (manifest.final) {
      await markMovedAway(stateDir, { id: manifest.id, at: manifest.at });
      isMarked = true;
    }
    await place(aside, file);
    return size;
  } catch (error) {
    if (isMarked) await unmarkMovedAway(stateDir);
    throw error;
  } finally {
    await fs.rm(aside, { force: true }).catch(() => {});
  }
}

/** Never over another file. */
async function place(aside: string, file: string): Promise<void> {
  try {
    await fs.link(aside, file);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(systemCode(error) ?? '')) throw error;
    // A stick with a file system that has no links.
    if (await exists(file)) throw Object.assign(new Error(`${file} exists`), { code: 'EEXIST' });
    await fs.rename(aside, file);
  }
}

async function removeOld(stateDir: string): Promise<void> {
  for (const name of await namesIn(stateDir)) {
    if (!name.startsWith(ASIDE)) continue;
    const { mtimeMs } = await fs.stat(join(stateDir, name));
    if (Date.now() - mtimeMs > DAY_MS) await fs.rm(join(stateDir, name), { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return fs.stat(path).then(
    () => true,
    () => false,
  );
}
