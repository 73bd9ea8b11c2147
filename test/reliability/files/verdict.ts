/** What must hold once a round is over and the agent has stopped. */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { openSqliteReports } from '../../../src/ledger/sqlite/openReports.ts';
import { sha256 } from '../support/digest.ts';
import { UIDS } from '../support/office.ts';
import type { Disk, Taken } from './disk.ts';
import { hashOf } from './coverage.ts';
import type { Judged } from './oracle.ts';
import { isMovedAside } from './settings.ts';
import type { TreeNode } from './tree.ts';

/** Directories that nobody may enter, or that a folder leaves out; any other error is a defect. */
const NEEDS_ATTENTION = new Set(['FOLDER_UNREADABLE', 'SUBFOLDERS_UNWATCHED']);

export interface Archives {
  /** Paths from the campaign's view, one for each folder. */
  readonly paths: readonly string[];
  readonly quiet: Quiet;
}

export interface Quiet {
  /** Minimum quiet time in milliseconds, since network file systems need more than the settings. */
  readonly atLeastMs: number;
  /** How late a change may become visible: a tick of the file system's clock, or the time for which a mount caches attributes. */
  readonly slackMs: number;
}

export async function breachesOf(judged: Judged, archives: Archives): Promise<string[]> {
  return [
    ...storedOnce(judged),
    ...storedWhole(judged, archives.quiet),
    ...(await ledgerSaysTheSame(judged)),
    ...diskIsAsLeft(judged.disk),
    ...disposedWell(judged, archives),
    ...judged.subject.log.lines
      .filter(({ level, fields }) => level === 'error' && !NEEDS_ATTENTION.has(String(fields['code'])))
      .map(({ message, fields }) => `The log has an error: ${message} ${JSON.stringify(fields)}`),
  ];
}

/** Promise P2: nothing is stored twice. */
function storedOnce({ service }: Judged): string[] {
  const found: string[] = [];
  const seen = new Map<string, string>();
  for (const { uid, hash, name } of service.stored) {
    for (const key of [`${uid} ${hash}`, `${uid} ${name}`]) {
      const before = seen.get(key);
      if (before !== undefined) found.push(`Stored twice: ${name}, and before that ${before} (${key}).`);
      seen.set(key, name);
    }
  }
  return found;
}

/** Everything stored was at rest in a watched folder: no mixture, no part of a file, no secret. */
function storedWhole({ service, disk, contents }: Judged, { atLeastMs, slackMs }: Quiet): string[] {
  const found: string[] = [];
  for (const { uid, hash, name, bytes } of service.stored) {
    const endpoint = uid === UIDS.office ? 'office' : 'depot';
    const [longest] = disk.history.of(hash, endpoint);
    if (longest === undefined) {
      found.push(
        `${name} (${bytes.length} bytes, ${contents.kindOf(hash) ?? 'of no file'}) was never in a folder of ${endpoint}.`,
      );
      continue;
    }
    const { rule, since, until, path } = longest;
    const ownMs = contents.kindOf(hash) === 'growing' ? rule.longMs : rule.shortMs;
    const quietMs = Math.max(ownMs, atLeastMs);
    if (until - since < quietMs - slackMs)
      found.push(
        `${name} was at ${JSON.stringify(path)} for only ${(until - since).toFixed(1)} ms; the quiet time is ${quietMs} ms.`,
      );
  }
  return found;
}

async function ledgerSaysTheSame({ service, config }: Judged): Promise<string[]> {
  const found: string[] = [];
  const stored = new Set(service.stored.map(({ uid, hash, name }) => `${uid} ${hash} ${name}`));
  const reports = await openSqliteReports({ path: `${config.stateDir}/ledger.db` });
  try {
    for await (const row of reports.list({})) {
      if (row.name === null || row.state === 'duplicate') continue;
      const key = `${row.endpointUid} ${row.sha256} ${row.name}`;
      if (row.state !== 'accepted') found.push(`${row.name} is ${row.state} in the ledger (${row.path}).`);
      else if (!stored.delete(key))
        found.push(`${row.name} is accepted in the ledger, but the service does not have it.`);
    }
  } finally {
    await reports.close();
  }
  for (const key of stored) found.push(`The service has it, but the ledger does not: ${key}`);
  return found;
}

/** Promise P3: files that the agent did not take are unchanged to the byte, and it left nothing of its own. */
function diskIsAsLeft(disk: Disk): string[] {
  const found: string[] = [];
  const expected = new Map(disk.tree.walk(''));
  for (const [path, stats] of disk.listing()) {
    const node = expected.get(path);
    expected.delete(path);
    const shown = JSON.stringify(path);
    if (node === undefined && isMovedAside(path)) continue;
    if (node === undefined) found.push(`${shown} exists, but nobody put it there.`);
    else if (kindOf(stats) !== node.kind) found.push(`${shown} is no longer a ${node.kind}.`);
    else if (!hasContent(disk, path, node))
      found.push(`${shown} has different content than was written to it.`);
  }
  for (const path of expected.keys()) found.push(`${JSON.stringify(path)} is gone.`);
  return found;
}

function kindOf(stats: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): TreeNode['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'special';
}

function hasContent(disk: Disk, path: string, node: TreeNode): boolean {
  if (node.kind === 'file') return readFileSync(disk.at(path)).equals(node.bytes);
  if (node.kind !== 'link') return true;
  return readlinkSync(disk.at(path), 'buffer').equals(disk.target(node.target));
}

/** Everything taken had been accepted, and an archive has all of it and nothing else. */
function disposedWell({ disk, service, rules }: Judged, { paths }: Archives): string[] {
  const found = disk.takenEarly.map((each) => `${said(each)} was taken away before it was accepted.`);
  const movedAside = disk.movedAside();
  for (const [index, rule] of rules.entries()) {
    const accepted = new Set(
      service.stored.filter(({ uid }) => uid === UIDS[rule.endpoint]).map(({ hash }) => hash),
    );
    const archived = new Map<string, string>();
    for (const [file, bytes] of filesIn(paths[index] ?? '')) archived.set(sha256(bytes), file);
    if (archived.size > 0 && rule.afterUpload !== 'archive')
      found.push(`${rule.folder} has an archive, contrary to its settings.`);
    for (const [hash, file] of archived)
      if (!accepted.has(hash)) found.push(`${file} in the archive was never accepted.`);
    for (const each of disk.taken.filter(({ rule: its, node }) => its === rule && !movedAside.has(node))) {
      if (rule.afterUpload === 'keep') found.push(`${said(each)} was taken away, contrary to its settings.`);
      if (!accepted.has(each.hash)) found.push(`${said(each)} was taken away, but never accepted.`);
      if (rule.afterUpload === 'archive' && !archived.has(each.hash))
        found.push(`${said(each)} was taken away, but is not in the archive.`);
    }
  }
  return found;
}

function said({ path, node }: Taken): string {
  return `${JSON.stringify(path)} (${hashOf(node.bytes).slice(0, 12)})`;
}

function* filesIn(directory: string): Generator<[file: string, bytes: Buffer]> {
  if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const file = `${directory}/${entry.name}`;
    if (entry.isDirectory()) yield* filesIn(file);
    else yield [file, entry.isFile() ? readFileSync(file) : Buffer.from('no file')];
  }
}
