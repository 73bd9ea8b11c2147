/** Which files a folder has to send, derived from the documentation rather than from the agent's code, and what was there when. */
import { sha256 } from '../support/digest.ts';
import type { FolderRule } from './settings.ts';
import type { Tree, TreeNode } from './tree.ts';

const IGNORED_ENDINGS = [
  '~',
  '.tmp',
  '.temp',
  '.swp',
  '.part',
  '.partial',
  '.crdownload',
  '.download',
  '.filepart',
];
const IGNORED_NAMES = ['thumbs.db', 'ehthumbs.db', 'desktop.ini', '@eadir'];

export interface Covered {
  readonly path: string;
  readonly rule: FolderRule;
  readonly node: TreeNode;
  /** Its name, or that of a parent directory, is not valid UTF-8. It can't be opened, and is reported as unreadable. */
  readonly badName: boolean;
}

/** All files in watched folders that have to be handled, and directories with unreadable names. */
export function* coveredFiles(tree: Tree, rules: readonly FolderRule[]): Generator<Covered> {
  for (const rule of rules) {
    const folder = tree.find(rule.folder);
    if (folder !== null) yield* below(rule.folder, folder, rule);
  }
}

function* below(directory: string, { entries }: TreeNode, rule: FolderRule): Generator<Covered> {
  for (const [name, node] of entries) {
    const path = `${directory}/${name}`;
    if (isIgnored(name, rule)) continue;
    const badName = !isUtf8(name);
    if (node.kind === 'directory' && rule.recursive) {
      if (badName) yield { path, rule, node, badName };
      else if (!node.closed) yield* below(path, node, rule);
    }
    // An unreadable name is reported whatever its ending.
    if (node.kind === 'file' && (badName || isIncluded(name, rule))) yield { path, rule, node, badName };
  }
}

function isIgnored(name: string, { ignored }: FolderRule): boolean {
  const lower = Buffer.from(name, 'latin1').toString('utf8').toLowerCase();
  return (
    lower.startsWith('.') ||
    lower.startsWith('~') ||
    IGNORED_ENDINGS.some((ending) => lower.endsWith(ending)) ||
    IGNORED_NAMES.includes(lower) ||
    ignored.some((beginning) => lower.startsWith(beginning))
  );
}

function isIncluded(name: string, { endings }: FolderRule): boolean {
  return endings.length === 0 || endings.some((ending) => name.toLowerCase().endsWith(ending));
}

function isUtf8(name: string): boolean {
  const bytes = Buffer.from(name, 'latin1');
  return Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);
}

/** A period in which the same bytes were at one path. Monotonic milliseconds. */
interface Rest {
  readonly path: string;
  readonly rule: FolderRule;
  readonly hash: string;
  readonly bytes: Buffer;
  readonly since: number;
  until: number;
}

const hashes = new WeakMap<Buffer, string>();

/** The hash of bytes that are never changed in place. */
export function hashOf(bytes: Buffer): string {
  const hash = hashes.get(bytes) ?? sha256(bytes);
  hashes.set(bytes, hash);
  return hash;
}

/** Records what was in the watched folders, where and when. */
export class History {
  readonly #now = new Map<string, Rest>();
  readonly #rests = new Map<string, Rest[]>();
  readonly #paths = new Map<string, Set<string>>();

  /** Called after each step, with the times before and after it. */
  note(tree: Tree, rules: readonly FolderRule[], before: number, after: number): void {
    const seen = new Set<string>();
    for (const { path, rule, node, badName } of coveredFiles(tree, rules)) {
      if (badName || node.kind !== 'file') continue;
      seen.add(path);
      const last = this.#now.get(path);
      if (last?.bytes === node.bytes) continue;
      const hash = hashOf(node.bytes);
      if (last?.hash === hash) continue;
      if (last) last.until = after;
      const rest: Rest = { path, rule, hash, bytes: node.bytes, since: before, until: Infinity };
      this.#now.set(path, rest);
      this.#paths.set(path, (this.#paths.get(path) ?? new Set()).add(hash));
      const same = this.#rests.get(hash);
      if (same) same.push(rest);
      else this.#rests.set(hash, [rest]);
    }
    for (const [path, rest] of this.#now) {
      if (seen.has(path)) continue;
      rest.until = after;
      this.#now.delete(path);
    }
  }

  /** Hashes of everything that was ever at this path. */
  at(path: string): readonly string[] {
    return [...(this.#paths.get(path) ?? [])];
  }

  /** Periods in which these bytes were in folders of the endpoint, the longest first. */
  of(hash: string, endpoint: FolderRule['endpoint']): readonly Rest[] {
    const rests = (this.#rests.get(hash) ?? []).filter(({ rule }) => rule.endpoint === endpoint);
    return rests.toSorted((a, b) => b.until - b.since - (a.until - a.since));
  }
}
