/** The program starts on what a power failure left at any moment of a recorded day. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../e2e/support/agent.ts';
import { Disk, type Left } from './disk.ts';
import { nameOfUpload } from './rules.ts';
import { PERSONAL, type Story } from './story.ts';

/** `lost`: everything but this file's unsynced bytes is there. Writes reach a disk in any order. */
export interface Crash {
  readonly after: number;
  readonly left: Left;
  readonly lost: string | null;
}

/** Unsynced bytes of these files matter to nobody. */
const NO_MATTER = /\/(?:reserve|instance\.|logs\/|booked|\.probe|ledger\.db-shm)|\/backing-up-/;

/**
 * Every moment between two calls that change the disk, each with everything unsynced lost, with names but not contents, and with one file
 * behind the others.
 */
export function crashesOf({ site, calls }: Story): Crash[] {
  const disk = new Disk(site.dir);
  const crashes: Crash[] = [];
  for (const [after, call] of calls.entries()) {
    disk.apply(call);
    if (call.kind === 'began' || ('path' in call && NO_MATTER.test(call.path))) continue;
    crashes.push({ after, left: 'synced', lost: null }, { after, left: 'names', lost: null });
    for (const [path, bytes] of disk.files('all', site.stateDir))
      if (!NO_MATTER.test(path) && !disk.isSynced(path) && bytes.length > 0)
        crashes.push({ after, left: 'all', lost: path });
  }
  return crashes;
}

/** One of each kind: by what happened last, to which kind of file, in which step of the day, and what was lost. */
export function chosen(story: Story, crashes: readonly Crash[]): Crash[] {
  const kinds = new Map<string, Crash>();
  for (const crash of crashes) {
    const call = story.calls[crash.after];
    if (!call) continue;
    const plain = (path: string) => path.replace(/[0-9a-f-]{8,}|\w-[\w-]*\.jpg|\/[0-9a-f]{2}\//g, '*');
    const what = 'path' in call ? plain(call.path) : call.text.slice(0, 20);
    const lost = crash.lost === null ? '' : plain(crash.lost);
    kinds.set(`${call.kind} ${what} ${crash.left} ${lost}`, crash);
  }
  return [...kinds.values()];
}

/** @returns what the start after this crash broke */
export async function breachesOf(story: Story, { after, left, lost }: Crash): Promise<string[]> {
  const { site, calls, scans } = story;
  const disk = new Disk(site.dir);
  const before = calls.slice(0, after + 1);
  for (const call of before) disk.apply(call);
  const journal = disk.left(join(site.stateDir, 'ledger.journal'), left)?.toString() ?? '';
  const sent = new Set(before.flatMap((call) => nameOfUpload(call) ?? []));
  const put = new Set(before.flatMap((call) => (call.kind === 'put' ? [call.path] : [])));
  if (!existsSync(`${site.dir}.was`)) await rename(site.dir, `${site.dir}.was`);
  await rm(site.dir, { recursive: true, force: true });
  disk.restore(left, lost);
  // With `spool: always`, an image that is being sent needs its file no more.
  for (const [hash, path] of scans)
    if ([...sent].some((name) => name.includes(hash.slice(0, 12))))
      await rm(site.file(path), { force: true });
  for (const folder of ['inbox', 'kept']) await mkdir(site.file(folder), { recursive: true });
  const wasThere = new Set([...disk.files(left).values()].map(sha256));

  const breaches: string[] = [];
  const { status, stderr } = await site.look('run', '--once');
  if (status !== 0) breaches.push(`the start ended with ${status}: ${stderr.slice(-600)}`);
  const rows = status === 0 ? await site.list() : [];
  for (const [hash, path] of scans) {
    if (!put.has(site.file(path))) continue;
    const documents = rows.filter((row) => row.sha256 === hash && row.name !== null);
    const names = new Set(documents.map(({ name }) => name));
    const was = [...sent].find((name) => name.includes(hash.slice(0, 12)));
    const isRefused = path.endsWith('c.jpg') && journal.includes('422');
    if (documents.length === 0) breaches.push(`P1: ${path} is unknown`);
    if (
      !documents.every(
        ({ state }) => state === 'accepted' || (state === 'failed' && isRefused) || state === 'duplicate',
      )
    )
      breaches.push(`P1: ${path} is ${documents.map(({ state }) => state).join()}`);
    if (names.size > 1 || (was !== undefined && !names.has(was)))
      breaches.push(`P2: ${path} was sent as ${was}, and is ${[...names].join()}`);
    if (path.startsWith('inbox') && wasThere.has(hash) && was === undefined) {
      const files = await below(site.file('inbox'), site.file('archive'));
      if (!files.some((each) => sha256(each) === hash)) breaches.push(`P3: ${path} is nowhere`);
    }
  }
  if (before.some((call) => call.kind === 'sent' && call.text.startsWith('HTTP/1.1 204 '))) {
    const { stdout } = await site.look('results', 'list', '--json');
    if (!stdout.includes('DONE')) breaches.push('P1: a confirmed result is lost');
  }
  if (journal.includes('"erased"'))
    for (const bytes of await below(site.stateDir))
      if (bytes.includes(PERSONAL)) breaches.push('an erasure that was recorded is not complete');
  const verified = await site.look('ledger', 'verify');
  if (verified.status !== 0) breaches.push(`ledger verify: ${verified.stderr.slice(0, 300)}`);
  return breaches.map((each) => each.replaceAll(site.dir, ''));
}

async function below(...directories: readonly string[]): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for (const directory of directories) {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries)
      if (entry.isFile() && !entry.parentPath.endsWith('/logs'))
        found.push(await readFile(join(entry.parentPath, entry.name)));
  }
  return found;
}
