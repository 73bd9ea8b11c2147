import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** What a run writes itself; that it changed says nothing of the program that was measured. */
const WRITTEN = ['bench/history.jsonl', 'docs/performance.md', 'docs/performance'];

/** The full name of a commit; null where the repository has none of that name. */
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

/** Whether the tree differs from the commit that it is of. */
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
