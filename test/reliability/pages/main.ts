/**
 * Damaged PDFs, TIFFs, HEICs and JPEGs, given to the process that splits files into pages.
 *
 *   npm run campaign -- pages --files 10000 --from 0
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trialOptions } from '../support/options.ts';
import { isInstalled, run } from './run.ts';

const COMMAND = 'npm run campaign -- pages';
const options = trialOptions(COMMAND, {
  files: { default: 10_000, least: 1, help: 'number of damaged files' },
  from: { default: 0, least: 0, help: 'number of the first file; the same number gives the same file' },
});

if (!isInstalled()) {
  process.stderr.write('The packages that split files are not installed: run npm ci and npm run build.\n');
  process.exitCode = 2;
} else await play();

async function play(): Promise<void> {
  const began = performance.now();
  const { tally, breaches, ended, slowestMs } = await run(options.from, options.files, (line) =>
    process.stdout.write(`${line}\n`),
  );
  for (const [what, count] of [...tally].toSorted(([a], [b]) => a.localeCompare(b)))
    process.stdout.write(`  ${what}: ${count}\n`);
  const seconds = (performance.now() - began) / 1000;
  process.stdout.write(
    `${options.files} files in ${seconds.toFixed(0)} s, the slowest in ${slowestMs.toFixed(0)} ms; ${ended} files ended their process; ${breaches.length} breaches.\n`,
  );
  if (breaches.length === 0) return;
  const dir = mkdtempSync(join(tmpdir(), 'receiptd-pages-'));
  for (const { number, name, sentence, bytes } of breaches.slice(0, 20)) {
    const file = join(dir, `${number}.bin`);
    writeFileSync(file, bytes);
    process.stdout.write(
      `BREACH, file ${number} (${name}): ${sentence}\n  ${file}; to repeat: ${COMMAND} --files 1 --from ${number}\n`,
    );
  }
  process.exitCode = 1;
}
