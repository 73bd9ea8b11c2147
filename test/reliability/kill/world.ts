import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { sha256 } from '../support/digest.ts';
import { unlessGone } from '../support/files.ts';
import { runToEnd, type Ended } from './agent.ts';
import { Books, readJournal, type Entry, type Journal } from '../../oracle/journal.ts';
import type { Kill, Settings } from './plan.ts';
import type { Scan, Scanner } from './scanner.ts';
import type { Site, SiteFolder, Upload } from './site.ts';
import { ROWS, type Row } from '../../support/listRows.ts';
export type { Row };

const HEAD = z.looseObject({ seq: z.number() });

export interface FoundFile {
  /** Absolute path. */
  readonly path: string;
  readonly sha256: string;
}

/** Folders and journal between runs. */
export interface Observation {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly entries: readonly Entry[];
  readonly books: Books;
  /** What is wrong with the journal. */
  readonly problem: string | null;
  /** All files in the folders and archives. */
  readonly files: readonly FoundFile[];
  readonly scans: readonly Scan[];
}

export interface Run {
  readonly kind: 'daemon' | 'once' | 'restore';
  /** Null for the last run, which is not killed. */
  readonly kill: Kill | null;
  readonly ended: Ended;
}

export interface Stored {
  readonly endpointUid: string;
  readonly name: string;
  readonly sha256: string;
  /** Hash of the stored bytes. */
  readonly actual: string;
  readonly tries: number;
}

export interface Said {
  readonly status: number | null;
  readonly text: string;
}

export interface World {
  readonly settings: Settings;
  readonly folders: readonly SiteFolder[];
  /** One after each run; the last one is the end. */
  readonly observations: readonly Observation[];
  readonly runs: readonly Run[];
  readonly uploads: readonly Upload[];
  readonly stored: readonly Stored[];
  readonly mostAtOnce: number;
  /** How much closer together arrivals may appear than they were. */
  readonly stallMs: number;
  /** When the daily budget was lifted, in monotonic milliseconds; null if the day had ended by then. */
  readonly liftedAt: number | null;
  readonly rows: readonly Row[];
  readonly audit: Said;
  readonly verify: Said;
  /** Relative to the state directory. */
  readonly stateFiles: readonly string[];
  readonly ledgerWasDamaged: boolean;
  /** A run killed before it started a new journal may leave none. */
  readonly journalWasLost: boolean;
}

export async function observe(site: Site, scanner: Scanner): Promise<Observation> {
  return scanner.still(async () => {
    const roots = new Set(site.folders.flatMap(({ path, archive }) => [path, archive]));
    const found = new Map<string, FoundFile>();
    for (const root of roots) for (const file of await filesBelow(root)) found.set(file.path, file);
    const { entries, problem } = await journalOf(site.stateDir);
    return {
      at: performance.now(),
      entries,
      books: Books.of(entries),
      problem,
      files: [...found.values()],
      scans: scanner.scans.map((scan) => ({ ...scan })),
    };
  });
}

/** The end of a round, once nothing runs any more. */
export async function lookAround(
  site: Site,
  known: Pick<World, 'observations' | 'runs' | 'liftedAt' | 'ledgerWasDamaged' | 'journalWasLost'>,
): Promise<World> {
  const { sandbox, settings, folders, uploads, stallMs } = site;
  const stored = await Promise.all(
    sandbox.received().map(async ({ endpointUid, name, sha256: hash, tries, file }) => ({
      endpointUid,
      name,
      sha256: hash,
      tries,
      actual: sha256(await readFile(file)),
    })),
  );
  const rows = await say(site, 'list', '--json');
  if (rows.status !== 0) throw new Error(`receiptd list: ${rows.text}`);
  return {
    ...known,
    settings,
    folders,
    uploads,
    stored,
    stallMs,
    mostAtOnce: sandbox.stats().maxConcurrentUploads,
    rows: ROWS.parse(JSON.parse(rows.text)),
    audit: await say(site, 'audit', '--json'),
    verify: await say(site, 'ledger', 'verify', '--json'),
    stateFiles: (await filesBelow(site.stateDir)).map(({ path }) => relative(site.stateDir, path)).sort(),
  };
}

/** No entries if there is no journal yet. */
export async function journalOf(stateDir: string): Promise<Journal> {
  return readJournal((await unlessGone(readFile(join(stateDir, 'ledger.journal'), 'utf8'))) ?? '');
}

/** Whether the ledger has everything that is in the journal, so that the journal can be dropped. */
export async function ledgerIsWhole(site: Site): Promise<boolean> {
  const { status, text } = await say(site, 'ledger', 'head', '--json');
  if (status !== 0) return false;
  const { seq } = HEAD.parse(JSON.parse(text));
  return seq === ((await journalOf(site.stateDir)).entries.at(-1)?.seq ?? 0);
}

/**
 * Runs in a separate process: the driver releases a closed ledger's files only once its statements are collected, so that damage to them
 * (damage.ts) would hit a connection that still has them open.
 */
async function say(site: Site, ...args: string[]): Promise<Said> {
  const { status, output } = await runToEnd(site, args);
  return { status, text: output };
}

/** Skips files that disappear meanwhile, since the agent may be running. */
async function filesBelow(root: string): Promise<FoundFile[]> {
  let entries = null;
  // A directory that disappears during its listing fails the whole listing.
  while (entries === null && existsSync(root))
    entries = await unlessGone(readdir(root, { recursive: true, withFileTypes: true }));
  const found = await Promise.all(
    (entries ?? [])
      .filter((entry) => entry.isFile() || (entry.isDirectory() && entry.name.startsWith('.receiptd-')))
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        if (entry.isDirectory()) return { path, sha256: '' };
        const bytes = await unlessGone(readFile(path));
        return bytes && { path, sha256: sha256(bytes) };
      }),
  );
  return found.filter((file) => file !== null);
}
