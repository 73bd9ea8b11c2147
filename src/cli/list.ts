import type { Command } from './command.ts';
import { jsonArray, namedRows } from '../control/queries/jsonArray.ts';
import type { Config } from '../config/config.ts';
import { callIfRunning } from '../control/client.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { noteWords } from '../texts/explain.ts';
import type { Texts } from '../texts/texts.ts';
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
            : printRows(io, rows, config),
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
  { results: { columns }, stateDir }: Config,
): Promise<void> {
  let isQueued = false;
  const { bold, dim } = colorsFor(io, io.stdout);
  const width = isTerminal(io.stdout) ? io.stdout.columns || 80 : null;
  // Loaded on demand: the character width tables take longer to load than a list takes to print.
  const { listTable } = await import('./listTable.ts');
  const texts = await textsOf(io);
  const partOf = listTable({ columns, width, dim, words: io.texts.list, texts });
  for await (const part of chunksOf(rows, PART)) {
    isQueued ||= part.some(({ state }) => state === 'queued');
    const { top, lines } = partOf(part.map((row) => ({ ...row, message: messageOf(texts, row) })));
    const text = [...top.slice(0, 1).map(bold), ...top.slice(1), ...lines].join('\n');
    await writeChunks(io, [`${fitted(io.stdout, text)}\n`]);
  }
  if (isQueued && width !== null) await sayWhyQueued(io, stateDir, texts);
}

/** What makes documents wait that have no reason of their own, such as a budget that is used up. */
async function sayWhyQueued(io: Io, stateDir: string, texts: Texts): Promise<void> {
  const status = await callIfRunning(
    stateDir,
    'status',
    {},
    { signal: io.stop, timeoutMs: ANSWERS_WITHIN_MS },
  )
    // The list is complete without it.
    .catch(() => null);
  for (const note of status?.notes ?? [])
    if (KEEPS_WAITING.has(note.about.kind))
      io.stderr.write(`${fitted(io.stderr, escapeUnsafe(noteWords(texts, note)))}\n`);
}

const ANSWERS_WITHIN_MS = 2_000;
/** Notes that say why documents wait. */
const KEEPS_WAITING: ReadonlySet<string> = new Set(['hours', 'spent', 'slowed', 'paused']);

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
