import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { choice, type Command } from './command.ts';
import { csvLines, separatorOf, type CsvForm } from '../control/queries/csv.ts';
import { dayFormat } from '../control/queries/facets.ts';
import { systemClock } from '../system/systemClock.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { ListRowJson } from '../control/protocol/documents.ts';
import { iso } from '../core/domain/words.ts';
import { fitted, print, type Io } from './io.ts';
import { filterOf, orSayNothing, withFilters, type FilterOptions } from './filters.ts';
import { jsonArray, namedRows } from '../control/queries/jsonArray.ts';
import { textsOf } from './language.ts';
import { writeChunks } from './list.ts';
import { outputUnwritable } from './output.ts';
import { withReading } from './reading.ts';
import { configOf } from './session.ts';

interface ExportOptions extends FilterOptions {
  readonly format?: ExportFormat;
  readonly excel?: boolean;
  readonly separator?: string;
  readonly allColumns?: boolean;
  readonly output?: string;
}

type WriteText = (target: Pick<Io, 'stdout'>, rows: AsyncIterable<ListRowJson>) => Promise<void>;

type ExportFormat = 'csv' | 'json';

function formatOf({ format, output }: ExportOptions): ExportFormat {
  return format ?? (/\.json$/i.test(output ?? '') ? 'json' : 'csv');
}

/** Excel expects semicolons between columns if the user's decimal separator is a comma. */
async function formOf(
  io: Io,
  format: ExportFormat,
  { excel = false, separator: wanted, allColumns = false }: ExportOptions,
): Promise<Omit<CsvForm, 'endpoints'>> {
  if (format === 'json' && (excel || allColumns || wanted !== undefined))
    throw new ReceiptdError('USAGE.onlyWithCsv');
  const usual = excel && (1.5).toLocaleString().includes(',') ? ';' : ',';
  const separator = wanted === undefined ? usual : separatorOf(wanted);
  if (separator === undefined) throw new ReceiptdError('USAGE.separator', { wanted: wanted ?? '' });
  return {
    separator,
    byteOrderMark: excel,
    texts: excel || !allColumns ? await textsOf(io) : null,
    hasAllColumns: allColumns,
    days: dayFormat(),
  };
}

export function addExport(program: Command, io: Io): void {
  const { export: help } = io.texts.help;
  const { wrote, export: words } = io.texts;
  withFilters(program.command('export'), io.texts)
    .description(help.about)
    .addOption(choice('--format <format>', help.format, ['csv', 'json']))
    .option('--excel', help.excel)
    .option('--separator <sign>', help.separator)
    .option('--all-columns', help.allColumns)
    .option('--output <file>', help.output)
    .explain({
      examples: [
        'export --since 2026-10 --until 2026-10 --output receipts.csv',
        'export --all-columns',
        'export --excel --output receipts.csv',
        'export --format json',
      ],
    })
    .action(async (options: ExportOptions) => {
      const { output } = options;
      const format = formatOf(options);
      const given = await formOf(io, format, options);
      const config = await configOf(io, options);
      const form = { ...given, endpoints: config.endpoints };
      const filter = filterOf(config, options);
      const { columns } = config.results;
      return withReading(config, async (reports) => {
        const write: WriteText =
          format === 'json'
            ? (target, each) => writeChunks(target, jsonArray(namedRows(each, columns)))
            : (target, each) => writeChunks(target, csvLines(each, form, columns));
        const head = await reports.head();
        const target = output === undefined ? null : resolve(io.cwd, output);
        await orSayNothing(io, config, options, reports.list(filter), (rows) =>
          target === null ? write(io, rows) : toNewFile(target, (file) => write(file, rows)),
        );
        if (head && target === null)
          io.stderr.write(`${fitted(io.stderr, words.head(`${head.seq}:${head.hash}`))}\n`);
        if (target === null) return;
        if (!head) return print(io, wrote(target));
        const kept = { ...head, at: iso(systemClock.now()) };
        await toNewFile(`${target}.head.json`, (file) => writeChunks(file, [`${JSON.stringify(kept)}\n`]));
        print(io, words.wrote(target, `${target}.head.json`));
      });
    });
}

/** Writes a new file; removes it again if it could not be completed. */
async function toNewFile(
  output: string,
  write: (target: Pick<Io, 'stdout'>) => Promise<void>,
): Promise<void> {
  const file = createWriteStream(output, { flags: 'wx', mode: 0o600 });
  const ended = finished(file);
  let mine = false;
  file.once('open', () => (mine = true));
  try {
    // Also waits for a failure of the stream, since a broken stream never emits `drain`.
    await Promise.race([ended, write({ stdout: file as unknown as NodeJS.WriteStream })]);
    file.end();
    await ended;
  } catch (error) {
    file.destroy();
    await ended.catch(() => {});
    if (mine) await rm(output, { force: true });
    if (error instanceof ReceiptdError) throw error;
    throw outputUnwritable(output, error, 'output');
  }
}
