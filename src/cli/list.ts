import type { Command } from './command.ts';
import { jsonArray, namedRows } from '../control/queries/jsonArray.ts';
import type { ResultColumn } from '../control/queries/columns.ts';
import type { ListRowJson } from '../control/protocol/documents.ts';
import { filterOf, orSayNothing, withFilters, type FilterOptions } from './filters.ts';
import { colorsFor, fitted, isTerminal, type Io } from './io.ts';
import { withReading } from './reading.ts';
import { configOf } from './session.ts';
import { messageOf, textsOf } from './language.ts';

export function addList(program: Command, io: Io): void {
  const { list: help } = io.texts.help;
  withFilters(program.command('list'), io.texts)
    .option('--needs-person', help.needsPerson)
    .option('--dismissed', help.dismissed)
    .description(help.about)
    .option('--json', help.json)
    .explain({
      examples: [
        'list --needs-person',
        'list --state failed unconfirmed',
        'list --since last-month --until last-month',
        'list --search "müller may" --json',
        'list --where "total>=100" "merchant=hotel"',
      ],
    })
    .action(async (options: FilterOptions & { json?: boolean }) => {
      const config = await configOf(io, options);
      const filter = filterOf(config, options);
      return withReading(config, async (reports) => {
        await orSayNothing(io, config, options, reports.list(filter), (rows) =>
          options.json
            ? writeChunks(io, jsonArray(namedRows(rows, config.results.columns)))
            : printRows(io, rows, config.results.columns),
        );
      });
    });
}

/** Writes chunk by chunk, because a ledger with a million rows must not be held in memory. */
export async function writeChunks(
  { stdout }: Pick<Io, 'stdout'>,
  chunks: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  for await (const chunk of chunks)
    if (!stdout.write(chunk)) await new Promise((done) => stdout.once('drain', done));
}

/** Rows that are aligned with one another. A longer list is printed in parts, so its first lines come at once. */
const PART = 1_000;

async function printRows(
  io: Io,
  rows: AsyncIterable<ListRowJson>,
  columns: readonly ResultColumn[],
): Promise<void> {
  const { bold, dim } = colorsFor(io, io.stdout);
  const width = isTerminal(io.stdout) ? io.stdout.columns || 80 : null;
  // Loaded on demand: the character width tables take longer to load than a list takes to print.
  const { listTable } = await import('./listTable.ts');
  const texts = await textsOf(io);
  const partOf = listTable({ columns, width, dim, words: io.texts.list, texts });
  for await (const part of chunksOf(rows, PART)) {
    const { top, lines } = partOf(part.map((row) => ({ ...row, message: messageOf(texts, row) })));
    const text = [...top.slice(0, 1).map(bold), ...top.slice(1), ...lines].join('\n');
    await writeChunks(io, [`${fitted(io.stdout, text)}\n`]);
  }
}

async function* chunksOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let part: T[] = [];
  for await (const item of items) {
    part.push(item);
    if (part.length < size) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
