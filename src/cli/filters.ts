import { resolve } from 'node:path';
import { choice, type Command } from './command.ts';
import type { Config } from '../config/config.ts';
import { isElsewhere } from '../core/domain/elsewhere.ts';
import type { ValueWanted } from '../core/domain/posted.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { DocumentFilter } from '../control/protocol/documents.ts';
import { iso } from '../core/domain/words.ts';
import { nearest } from '../core/domain/nearest.ts';
import { LIST_STATES, type ListFilter, type ListState } from '../core/ports/ledgerReports.ts';
import type { CliTexts } from '../texts/cli.ts';
import { systemClock } from '../system/systemClock.ts';
import type { Io } from './io.ts';
import { numberOf, periodOf } from './optionValues.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import type { ConfigOption } from './session.ts';
import type { ListRowJson } from '../control/protocol/documents.ts';

export interface FilterOptions extends ConfigOption {
  readonly state?: ListState[];
  readonly endpoint?: string;
  readonly folder?: string;
  readonly search?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: string;
  readonly needsPerson?: boolean;
  readonly dismissed?: boolean;
  readonly where?: string[];
}

export function withFilters(command: Command, { help: { filters: help }, option }: CliTexts): Command {
  return command
    .option('--config <file>', option.config)
    .addOption(choice('--state <state...>', help.state, LIST_STATES))
    .option('--endpoint <alias>', help.endpoint)
    .option('--folder <path>', help.folder)
    .option('--search <text>', help.search)
    .option('--since <date>', help.since)
    .option('--until <date>', help.until)
    .option('--where <condition...>', help.where)
    .option('--limit <n>', help.limit);
}

export function filterOf(config: Config, options: FilterOptions): ListFilter {
  const now = systemClock.now();
  const endpoint = options.endpoint === undefined ? undefined : endpointOf(config, options.endpoint).key;
  return {
    ...(options.state && { states: options.state }),
    ...(endpoint && { endpoint }),
    ...(options.folder !== undefined && {
      folder: folderOf(options.folder),
    }),
    ...(options.search !== undefined && { search: options.search }),
    ...(options.since !== undefined && { since: periodOf('--since', options.since, now).since }),
    ...(options.until !== undefined && { until: periodOf('--until', options.until, now).until }),
    ...(options.needsPerson && { attention: 'needed' as const }),
    ...(options.dismissed && { attention: 'dismissed' as const }),
    ...(options.where && { values: options.where.map((text) => valueOf(config, text)) }),
    ...(options.limit !== undefined && { limit: numberOf('--limit', options.limit, 1) }),
  };
}

const folderOf = (written: string): string => (isElsewhere(written) ? written : resolve(written));

/** The filter as the agent is asked for it. */
export function requestOf({
  states,
  statuses,
  values,
  since,
  until,
  ...rest
}: Omit<ListFilter, 'limit'>): DocumentFilter {
  return {
    ...rest,
    states: states && [...states],
    statuses: statuses && [...statuses],
    values: values && [...values],
    since: since === undefined ? undefined : iso(since),
    until: until === undefined ? undefined : iso(until),
  };
}

const CONDITION = /^([^<>=]+)(>=|<=|=)(.+)$/su;

/** @throws ReceiptdError USAGE */
function valueOf({ results: { columns } }: Config, text: string): ValueWanted {
  const [, name = '', sign, value = ''] = CONDITION.exec(text) ?? [];
  if (sign === undefined) throw new ReceiptdError('USAGE.notCondition', { text });
  const column = columns.find((each) => each.name === name.trim());
  if (column === undefined) {
    throw new ReceiptdError('USAGE.noResultsColumn', {
      name: name.trim(),
      known: columns.map((each) => each.name),
    });
  }
  const { pointer } = column;
  const trimmed = value.trim();
  if (sign === '=') return { pointer, contains: trimmed };
  return sign === '>=' ? { pointer, from: trimmed } : { pointer, to: trimmed };
}

export function endpointOf(config: Config, alias: string): Config['endpoints'][number] {
  const found = config.endpoints.find((each) => each.alias === alias || each.key.uid === alias);
  if (found) return found;
  throw new ReceiptdError('ENDPOINT_UNKNOWN.notConfigured', {
    alias,
    known: config.endpoints.map((each) => each.alias),
  });
}

/**
 * Writes rows, or explains on stderr why there are none: a mistyped folder looks like one without scans.
 */
export async function orSayNothing(
  io: Io,
  { folders }: Pick<Config, 'folders'>,
  options: FilterOptions,
  rows: AsyncIterable<ListRowJson>,
  write: (rows: AsyncIterable<ListRowJson>) => Promise<void>,
): Promise<void> {
  let isEmpty = true;
  const counted = async function* () {
    for await (const row of rows) {
      isEmpty = false;
      yield row;
    }
  };
  await write(counted());
  if (!isEmpty) return;
  const watched = folders.map(({ path }) => path);
  const folder = options.folder === undefined ? undefined : folderOf(options.folder);
  const { filters: words } = io.texts;
  const said =
    folder === undefined || watched.includes(folder) || isElsewhere(folder)
      ? nothing(options, words)
      : `${words.notWatched(folder)} ${meant(folder, watched, words)}`;
  io.stderr.write(`${escapeUnsafe(said)}\n`);
}

function nothing(
  { state, folder, endpoint, search, since, until, needsPerson, dismissed, where }: FilterOptions,
  words: CliTexts['filters'],
): string {
  const quoted = (text: string): string => (text.includes(' ') ? `"${text}"` : text);
  const parts = Object.entries({
    '--needs-person': needsPerson ? [] : undefined,
    '--dismissed': dismissed ? [] : undefined,
    '--state': state,
    '--folder': folder === undefined ? undefined : [folder],
    '--endpoint': endpoint === undefined ? undefined : [endpoint],
    '--search': search === undefined ? undefined : [search],
    '--since': since === undefined ? undefined : [since],
    '--until': until === undefined ? undefined : [until],
    '--where': where,
  }).flatMap(([option, values]) => (values === undefined ? [] : [[option, ...values.map(quoted)].join(' ')]));
  return parts.length === 0 ? words.nothing : words.noMatch(parts.join(' '));
}

/** The watched folder that contains the path, or the most similar one. */
function meant(path: string, watched: readonly string[], words: CliTexts['filters']): string {
  const around = watched.find((each) => path.startsWith(each) && /^[/\\]/.test(path.slice(each.length)));
  if (around !== undefined) return words.inside(around);
  const near = nearest(path, watched);
  return near === undefined ? words.watched(watched) : words.nearest(near);
}
