import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorsPage } from './errorsPage.ts';
import { manPage } from './manPage.ts';
import { createProgram } from './program.ts';
import { cliTextsIn } from '../texts/cli.ts';
import { VERSION } from './version.ts';

/** Relative to the project. */
export const MAN_PAGE = 'docs/man/receiptd.1';
export const ERRORS_PAGE = 'docs/errors.md';

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
  return manPage(await createProgram(io, () => {}), await cliTextsIn('en', String), VERSION, date);
}

/** Files generated from the commands and the texts, by path relative to the project. */
async function generatedFiles(root: string): Promise<ReadonlyMap<string, string>> {
  return new Map([
    [MAN_PAGE, await manPageText(await readFile(join(root, 'CHANGELOG.md'), 'utf8'))],
    [ERRORS_PAGE, errorsPage()],
  ]);
}

async function main(): Promise<void> {
  const root = join(import.meta.dirname, '..', '..');
  for (const [path, text] of await generatedFiles(root)) {
    const file = join(root, path);
    if (!process.argv.includes('--check')) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
      process.stderr.write(`Not as src/cli and src/texts say: ${path}. Run \`npm run generate\`.\n`);
      process.exitCode = 1;
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
