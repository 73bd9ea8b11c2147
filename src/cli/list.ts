import type { Command } from 'commander';
import { local } from '../core/domain/words.ts';
import { namedRow } from '../control/queries/jsonLines.ts';
import type { ResultColumn } from '../control/queries/columns.ts';
import { lastPosted } from '../core/domain/posted.ts';
import { escapeUnsafe, escapeUnsafeJson } from '../core/domain/escape.ts';
import type { ListRow } from '../core/ports/ledgerReports.ts';
import { filterOf, orSayNothing, withFilters, type FilterOptions } from './filters.ts';
import { helpOf } from './help.ts';
import { colorsFor, isTerminal, print, type Io } from './io.ts';
import { withReading } from './reading.ts';
import { configOf } from './session.ts';

export function addList(program: Command, io: Io): void {
  withFilters(program.command('list'))
    .option('--needs-person', 'only what needs a person')
    .option('--dismissed', 'only what was dismissed')
    .description('list the files receiptd has seen, their names, and what happened to them')
    .option('--json', 'as one JSON array (docs/commands.md lists the fields)')
    .addHelpText(
      'after',
      helpOf({
        examples: [
          'list --needs-person',
          'list --state failed unconfirmed',
          'list --search "müller may" --json',
          'list --where "total>=100" "merchant=hotel"',
        ],
      }),
    )
    .action(async (options: FilterOptions & { json?: boolean }) => {
      const config = await configOf(io, options);
      const filter = filterOf(config, options);
      return withReading(config, async (reports) => {
        await orSayNothing(io, config, filter, reports.list(filter), (rows) =>
          options.json
            ? writeJsonArray(io, namedRows(rows, config.results.columns))
            : printTable(io, rows, config.results.columns),
        );
      });
    });
}

/** Writes row by row, because a ledger with a million rows must not be held in memory. */
export async function writeJsonArray(io: Pick<Io, 'stdout'>, rows: AsyncIterable<unknown>): Promise<void> {
  let first = true;
  for await (const row of rows) {
    await writeChunk(io, `${first ? '[' : ','}\n${escapeUnsafeJson(JSON.stringify(row))}`);
    first = false;
  }
  await writeChunk(io, first ? '[]\n' : '\n]\n');
}

/** Rows with the values of the configured result columns. */
export async function* namedRows(
  rows: AsyncIterable<ListRow>,
  columns: readonly ResultColumn[],
): AsyncGenerator<object> {
  for await (const row of rows) yield namedRow(row, columns);
}

export async function writeChunk({ stdout }: Pick<Io, 'stdout'>, text: string): Promise<void> {
  if (!stdout.write(text)) await new Promise((done) => stdout.once('drain', done));
}

async function printTable(
  io: Io,
  rows: AsyncIterable<ListRow>,
  columns: readonly ResultColumn[],
): Promise<void> {
  const shown: ListRow[] = [];
  for await (const row of rows) shown.push(row);
  if (shown.length === 0) return;
  const colors = colorsFor(io, io.stdout);
  // Loaded on demand: the character width tables take longer to load than a list takes to print.
  const { fitted, shortenMiddle, shortenStart, table } = await import('./table.ts');
  const named = columns.map(({ name }) => escapeUnsafe(name.toUpperCase()));
  const head = ['NAME', 'STATE', 'STATUS', 'TRIES', ...named, 'FILE'];
  const cells = shown.map(({ name, state, status, attempts, path, posted }) => [
    escapeUnsafe(name ?? '—'),
    state,
    escapeUnsafe(status ?? ''),
    String(attempts),
    ...columns.map(({ pointer }) => escapeUnsafe(String(lastPosted(posted, pointer) ?? ''))),
    escapeUnsafe(path),
  ]);
  if (isTerminal(io.stdout)) {
    const width = io.stdout.columns || 80;
    const shortened = new Map([
      [0, shortenMiddle],
      [4 + named.length, shortenStart],
    ]);
    const [title = '', rule = '', ...lines] = fitted(head, cells, width, shortened);
    const { wrap } = await import('./screen.ts');
    const reasons = shown.map((row) => wrap(`  ${whyOf(row)}`, width).map((line) => colors.dim(line)));
    const all = lines.flatMap((line, n) => [
      line,
      ...(shown[n] && whyOf(shown[n]) ? (reasons[n] ?? []) : []),
    ]);
    return print(io, [colors.bold(title), rule, ...all].join('\n'));
  }
  const text = table(
    [...head, 'WHY'],
    cells.map((row, n) => [...row, shown[n] ? whyOf(shown[n]) : '']),
  );
  const [title = '', ...lines] = text.split('\n');
  print(io, [colors.bold(title), ...lines].join('\n'));
}

function whyOf({ state, message, reason, dismissedBy, dismissedAt }: ListRow): string {
  if (state === 'accepted' || state === 'duplicate') return '';
  const dismissed =
    dismissedAt === null ? '' : `Dismissed by ${dismissedBy ?? '?'} on ${local(dismissedAt)}. `;
  return escapeUnsafe(`${dismissed}${message ?? reason ?? ''}`);
}
