import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { manPage } from './manPage.ts';
import { createProgram } from './program.ts';
import { VERSION } from './version.ts';

/** Relative to the project. */
export const MAN_PAGE = 'docs/man/receiptd.1';

/** Generates the manual page from the commands. The release date of this version comes from `changelog`. */
export async function manPageText(changelog: string): Promise<string> {
  const { stdin, stdout, stderr } = process;
  const io = {
    stdin,
    stdout,
    stderr,
    env: {},
    cwd: '/',
    stop: new AbortController().signal,
    onReload: () => () => {},
  };
  const [, date = ''] =
    new RegExp(String.raw`^## \[${VERSION}\] - (\d{4}-\d\d-\d\d)$`, 'm').exec(changelog) ?? [];
  return manPage(await createProgram(io, () => {}), VERSION, date);
}

async function main(): Promise<void> {
  const root = join(import.meta.dirname, '..', '..');
  const file = join(root, MAN_PAGE);
  const text = await manPageText(await readFile(join(root, 'CHANGELOG.md'), 'utf8'));
  if (!process.argv.includes('--check')) {
    await mkdir(dirname(file), { recursive: true });
    return writeFile(file, text);
  }
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return;
  process.stderr.write(`Not as the commands in src/cli say: ${MAN_PAGE}. Run \`npm run generate\`.\n`);
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
