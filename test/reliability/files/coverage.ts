/** Which files a folder has to send, derived from the documentation rather than from the agent's code. */
import type { Tree, TreeNode } from './tree.ts';
import type { FolderRule } from './settings.ts';

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
