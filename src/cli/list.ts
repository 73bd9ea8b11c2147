import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { parseDay } from '../config/units.ts';
import { ReceiptdError } from '../domain/errors.ts';
import { LIST_STATES, type ListFilter, type ListRow, type ListState } from '../ports/ledgerReports.ts';
import { escapeUnsafeJson } from '../domain/escape.ts';
import { helpOf } from './help.ts';
import { colorsFor, print, type Io } from './io.ts';
import { openReading } from './reading.ts';
import { configOf, type ConfigOption } from './session.ts';
import { printable } from './printable.ts';

export interface FilterOptions extends ConfigOption {
  readonly state?: string[];
  readonly endpoint?: string;
  readonly folder?: string;
  readonly search?: string;
  readonly since?: string;
  readonly limit?: string;
}

export function withFilters(command: Command): Command {
  return command
    .option('--config <file>', 'config file')
    .option('--state <state...>', `only these states: ${LIST_STATES.join(', ')}`)
    .option('--endpoint <alias>', 'only this endpoint')
    .option('--folder <path>', 'only this folder')
    .option(
      '--search <text>',
      "only what contains all of these words: in name, path, hash, state or the service's words; case and accents make no difference",
    )
    .option('--since <date>', 'only what was first seen on or after this day (YYYY-MM-DD, local time)')
    .option('--limit <n>', 'at most so many');
}

export function addList(program: Command, io: Io): void {
  withFilters(program.command('list'))
    .description('what was seen, under which name, and what became of it')
    .option('--json', 'as one JSON array (docs/operations.md lists the fields)')
    .addHelpText(
      'after',
      helpOf({ examples: ['list --state failed unconfirmed', 'list --search "müller may" --json'] }),
    )
    .action(async (options: FilterOptions & { json?: boolean }) => {
      const config = await configOf(io, options);
      const filter = filterOf(config, options);
      const reports = await openReading(config);
      try {
        if (options.json) await writeJsonArray(io, reports.list(filter));
        else await printTable(io, reports.list(filter));
      } finally {
        await reports.close();
      }
    });
}

export function filterOf(config: Config, options: FilterOptions): ListFilter {
  const endpoint = options.endpoint === undefined ? undefined : endpointOf(config, options.endpoint).key;
  return {
    ...(options.state && { states: options.state.map(stateOf) }),
    ...(endpoint && { endpoint }),
    ...(options.folder !== undefined && { folder: resolve(options.folder) }),
    ...(options.search !== undefined && { search: options.search }),
    ...(options.since !== undefined && { since: dayOf(options.since) }),
    ...(options.limit !== undefined && { limit: countOf(options.limit) }),
  };
}

export function endpointOf(config: Config, alias: string): Config['endpoints'][number] {
  const found = config.endpoints.find((each) => each.alias === alias || each.key.uid === alias);
  if (found) return found;
  throw new ReceiptdError('ENDPOINT_UNKNOWN', `There is no endpoint "${alias}" in the configuration.`, {
    hint: `There are: ${config.endpoints.map((each) => each.alias).join(', ')}.`,
  });
}

function stateOf(text: string): ListState {
  const state = LIST_STATES.find((each) => each === text);
  if (state) return state;
  throw new ReceiptdError('USAGE', `--state does not take "${text}".`, {
    hint: `It takes: ${LIST_STATES.join(', ')}.`,
  });
}

function dayOf(text: string): number {
  const day = parseDay(text);
  if (!Number.isNaN(day)) return day;
  throw new ReceiptdError('USAGE', `--since does not take "${text}".`, {
    hint: 'It takes a day, like 2026-01-31.',
  });
}

function countOf(text: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new ReceiptdError('USAGE', `--limit does not take "${text}".`, { hint: 'It takes a number from 1.' });
}

/** Written row by row: a ledger of a million rows must not be in memory. */
export async function writeJsonArray(io: Pick<Io, 'stdout'>, rows: AsyncIterable<unknown>): Promise<void> {
  let first = true;
  for await (const row of rows) {
    await writeChunk(io, `${first ? '[' : ','}\n${escapeUnsafeJson(JSON.stringify(row))}`);
    first = false;
  }
  await writeChunk(io, first ? '[]\n' : '\n]\n');
}

export async function writeChunk({ stdout }: Pick<Io, 'stdout'>, text: string): Promise<void> {
  if (!stdout.write(text)) await new Promise((done) => stdout.once('drain', done));
}

async function printTable(io: Io, rows: AsyncIterable<ListRow>): Promise<void> {
  const shown: ListRow[] = [];
  for await (const row of rows) shown.push(row);
  if (shown.length === 0) return print(io, 'Nothing yet.');
  const colors = colorsFor(io, io.stdout);
  // Loaded when it is wanted: to know how wide characters are takes longer than a list.
  const { table } = await import('./table.ts');
  const text = table(
    ['NAME', 'STATE', 'STATUS', 'TRIES', 'FILE', 'WHY'],
    shown.map(({ name, state, status, attempts, path, reason, message }) => [
      printable(name ?? '—'),
      state,
      printable(status ?? ''),
      String(attempts),
      printable(path),
      printable(state === 'accepted' || state === 'duplicate' ? '' : (message ?? reason ?? '')),
    ]),
  );
  const [head = '', ...lines] = text.split('\n');
  print(io, [colors.bold(head), ...lines].join('\n'));
}
