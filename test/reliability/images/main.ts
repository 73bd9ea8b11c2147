/**
 * Hostile images, given to the inspector: large ones, handmade ones, every part of complete ones, and mutations of real ones.
 *
 *   npm run campaign -- images --cases 1000000 --from 0
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { trialOptions } from '../support/campaign.ts';
import { drawnFiles, realFiles } from './corpus.ts';
import { run, type Summary } from './run.ts';
import type { Breach } from './worker.ts';

/** Stops early: further breaches rarely reveal more. */
const SHOWN = 20;
const COMMAND = 'npm run campaign -- images';
const options = trialOptions('images', {
  cases: { default: 100_000, least: 0, help: 'number of mutations, after all handmade files' },
  from: { default: 0, least: 0, help: 'number of the first mutation; the same number gives the same case' },
  every: { default: 1, least: 1, help: 'check every n-th part of the complete files' },
  photographs: { default: 1_000, least: 0, help: 'photographed receipts among the complete files at most' },
  megabytes: { default: 50, least: 1, help: 'size of the large files' },
});

const real = await realFiles(options.photographs);
const wholes = [...(await drawnFiles()), ...real];
const receipts =
  real.length === 0
    ? 'no photographed receipts (they are missing here)'
    : `${real.length} from photographed receipts`;
process.stdout.write(`${wholes.length} complete files, ${receipts}; mutations from ${options.from}.\n`);
const summary = await run({
  wholes,
  bombSize: options.megabytes * 1_000_000,
  from: options.from,
  count: options.cases,
  every: options.every,
  onProgress: (line) => process.stdout.write(`${line}\n`),
});
report(summary);
if (summary.breaches.length > 0) {
  const dir = mkdtempSync(join(tmpdir(), 'receiptd-images-'));
  for (const breach of summary.breaches.slice(0, SHOWN)) tell(breach, dir);
  process.stdout.write(`${summary.breaches.length} breaches.\n`);
  process.exitCode = 1;
}

function report({ tally, slowest, peakRssMb, heapMb, cases, ms }: Summary): void {
  const lines = [...tally]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, count]) => `  ${kind}: ${count}`);
  const slow = Object.entries(slowest).map(
    ([phase, { name, bytes, cpuMs }]) =>
      `  slowest of ${phase}: ${cpuMs.toFixed(0)} ms of processor time, ${bytes} bytes, ${name}`,
  );
  const [first, last] = heapMb.map((mb) => mb.toFixed(0));
  const resident = Object.entries(peakRssMb).map(([phase, mb]) => `${phase} ${mb.toFixed(0)} MB`);
  process.stdout.write(
    `${lines.join('\n')}\n${slow.join('\n')}\n` +
      `${cases} cases in ${(ms / 1000).toFixed(0)} s, ${((cases * 1000) / ms).toFixed(0)}/s; ` +
      `peak resident memory: ${resident.join(', ')}; heap ${first} MB at the start, ${last} MB at the end.\n`,
  );
}

function tell({ phase, number, name, sentence, bytes, shrunk }: Breach, dir: string): void {
  const file = join(dir, `${phase}-${number}`);
  writeFileSync(`${file}.bin`, bytes);
  writeFileSync(`${file}.small.bin`, shrunk);
  const repeat = phase === 'mutations' ? `--cases 1 --from ${number}` : '--cases 0';
  process.stdout.write(
    `BREACH, ${phase} ${number} (${name}): ${sentence}\n  ${file}.small.bin has ${shrunk.length} bytes; to repeat: ${COMMAND} ${repeat}\n`,
  );
}
