import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { csvLines } from '../daemon/reading/csv.ts';
import { systemClock } from '../daemon/systemClock.ts';
import { ReceiptdError } from '../domain/errors.ts';
import type { ListRow } from '../ports/ledgerReports.ts';
import { iso } from '../domain/words.ts';
import { helpOf } from './help.ts';
import type { Io } from './io.ts';
import { filterOf, orSayNothing, withFilters, type FilterOptions } from './filters.ts';
import { writeChunk, writeJsonArray } from './list.ts';
import { outputUnwritable } from './output.ts';
import { openReading } from './reading.ts';
import { configOf } from './session.ts';

export function addExport(program: Command, io: Io): void {
  withFilters(program.command('export'))
    .description(
      "the ledger as a file; beside it FILE.head.json, the journal's last entry, for `ledger verify --head`",
    )
    .requiredOption('--format <format>', 'csv or json')
    .option('--output <file>', 'a new file; standard output if left out')
    .addHelpText(
      'after',
      helpOf({ examples: ['export --format csv --since 2026-01-01 --output receipts.csv'] }),
    )
    .action(async (options: FilterOptions & { format: string; output?: string }) => {
      const { format, output } = options;
      if (format !== 'csv' && format !== 'json') {
        throw new ReceiptdError('USAGE', `--format takes csv or json, not "${format}".`);
      }
      const config = await configOf(io, options);
      const filter = filterOf(config, options);
      const reports = await openReading(config);
      try {
        const write = format === 'json' ? writeJsonArray : writeCsv;
        const head = await reports.head();
        const rows = orSayNothing(io, config, filter, reports.list(filter));
        if (output === undefined) {
          await write(io, rows);
          if (head) io.stderr.write(`The journal's last entry at this time: ${head.seq}:${head.hash}\n`);
          return;
        }
        const file = resolve(io.cwd, output);
        await toNewFile(file, (target) => write(target, rows));
        if (!head) return;
        const kept = { ...head, at: iso(systemClock.now()) };
        await toNewFile(`${file}.head.json`, (target) => writeChunk(target, `${JSON.stringify(kept)}\n`));
      } finally {
        await reports.close();
      }
    });
}

/** Fills a new file; one that could not be written whole is removed again. */
async function toNewFile(
  output: string,
  write: (target: Pick<Io, 'stdout'>) => Promise<void>,
): Promise<void> {
  const file = createWriteStream(output, { flags: 'wx', mode: 0o600 });
  const ended = finished(file);
  let mine = false;
  file.once('open', () => (mine = true));
  try {
    // Whichever fails first: a stream that broke has no more `drain` to wait for.
    await Promise.race([ended, write({ stdout: file as unknown as NodeJS.WriteStream })]);
    file.end();
    await ended;
  } catch (error) {
    file.destroy();
    await ended.catch(() => {});
    if (mine) await rm(output, { force: true });
    if (error instanceof ReceiptdError) throw error;
    throw outputUnwritable(output, error, 'Name another file with --output.');
  }
}

async function writeCsv(target: Pick<Io, 'stdout'>, rows: AsyncIterable<ListRow>): Promise<void> {
  for await (const line of csvLines(rows)) await writeChunk(target, line);
}
