import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Files written by a run; changes to them do not make the tree dirty. */
const WRITTEN = ['bench/history.jsonl', 'docs/performance.md', 'docs/performance'];

/** The full hash of a commit; null if the revision is unknown. */
export async function commitOf(root: string, revision: string): Promise<string | null> {
  const said = await git(
    root,
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${revision}^{commit}`,
  );
  return said === null ? null : said.trim();
}

/** Whether the working tree differs from HEAD. */
export async function isDirty(root: string): Promise<boolean> {
  const said = await git(root, 'status', '--porcelain', '--', '.', ...WRITTEN.map((path) => `:!${path}`));
  return said !== '';
}

async function git(root: string, ...args: string[]): Promise<string | null> {
  return promisify(execFile)('git', args, { cwd: root }).then(
    ({ stdout }) => stdout,
    () => null,
  );
}
