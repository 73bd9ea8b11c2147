import type { Command } from './command.ts';
import type { Config } from '../config/config.ts';
import { RESULTS_LIMIT } from '../control/protocol/results.ts';
import type { ResultDetailJson, ResultJson } from '../control/protocol/results.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { CliTexts } from '../texts/cli.ts';
import { colorsFor, print, printJson, printTable, type Io } from './io.ts';
import { endpointOf } from './filters.ts';
import { jsonArray } from '../control/queries/jsonArray.ts';
import { writeChunks } from './list.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { withReading, type LedgerReading } from './reading.ts';
import { resultsPathOf, webBase } from './resultsAddress.ts';
import { configOf, type ConfigOption, type JsonOption } from './session.ts';

interface ListOptions extends JsonOption {
  readonly unmatched?: boolean;
}

interface UrlOptions extends ConfigOption {
  readonly endpoint?: string;
  readonly base?: string;
}

/** Results shown on a terminal; JSON contains all. */
const SHOWN = 50;

export function addResults(program: Command, io: Io): void {
  const { help, option } = io.texts;
  const results = program.command('results').description(help.results.about);
  results
    .command('list')
    .description(help.resultsList.about(SHOWN))
    .option('--config <file>', option.config)
    .option('--unmatched', help.resultsList.unmatched)
    .option('--json', help.resultsList.json)
    .explain({ examples: ['results list', 'results list --unmatched --json'] })
    .action((options: ListOptions) => list(io, options));
  results
    .command('show')
    .argument('<id>', help.resultsShow.id)
    .description(help.resultsShow.about)
    .option('--config <file>', option.config)
    .option('--json', help.resultsShow.json)
    .explain({ examples: ['results show 17'] })
    .action((id: string, options: JsonOption) => show(io, id, options));
  results
    .command('url')
    .description(help.resultsUrl.about)
    .option('--config <file>', option.config)
    .option('--endpoint <alias>', help.resultsUrl.endpoint)
    .option('--base <url>', help.resultsUrl.base)
    .explain({ examples: ['results url --endpoint office --base https://receipts.example.com'] })
    .action((options: UrlOptions) => url(io, options));
}

async function list(io: Io, options: ListOptions): Promise<void> {
  const config = await configOf(io, options);
  const { unmatched = false } = options;
  return withReading(config, async (reading) => {
    if (options.json) return await writeChunks(io, jsonArray(everyResult(reading, unmatched)));
    const { results, next } = await reading.resultsPage({ unmatched, limit: SHOWN });
    const { results: words } = io.texts;
    if (results.length === 0) return print(io, unmatched ? words.allMatch : words.none);
    const { table } = await import('./table.ts');
    const { id, received, status, size, document } = words.columns;
    const rows = results.map((each) => cellsOf(each, io.texts));
    printTable(io, table([id, received, status, size, document], rows));
    if (next !== null) print(io, words.more);
  });
}

async function* everyResult(reading: LedgerReading, unmatched: boolean): AsyncGenerator<ResultJson> {
  let before: number | null = null;
  do {
    const request = { unmatched, limit: RESULTS_LIMIT, before: before ?? undefined };
    const { results, next }: Awaited<ReturnType<LedgerReading['resultsPage']>> =
      await reading.resultsPage(request);
    yield* results;
    before = next;
  } while (before !== null);
}

function cellsOf(
  { id, receivedAt, status, size, document, givenName }: ResultJson,
  { results: words, format }: CliTexts,
): string[] {
  const name = document?.name ?? (givenName === null ? words.unknown : words.unknownName(givenName));
  return [
    String(id),
    format.time(receivedAt),
    escapeUnsafe(status ?? ''),
    format.bytes(size),
    escapeUnsafe(name),
  ];
}

async function show(io: Io, text: string, options: JsonOption): Promise<void> {
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new ReceiptdError('USAGE.notResultNumber', { text });
  }
  const config = await configOf(io, options);
  return withReading(config, async (reading) => {
    const result = await reading.oneResult(Number(text));
    if (options.json) printJson(io, result);
    else printResult(io, result);
  });
}

function printResult(io: Io, result: ResultDetailJson): void {
  const { id, receivedAt, document, status, sha256, size, encoding, payload } = result;
  const {
    results: words,
    format: { bytes, time },
  } = io.texts;
  const { labels } = words;
  const line = (label: string, value: string) => print(io, `  ${label.padEnd(10)} ${escapeUnsafe(value)}`);
  print(io, colorsFor(io, io.stdout).bold(words.title(id)));
  line(labels.received, time(receivedAt));
  line(
    labels.document,
    document === null ? words.unknownHere : words.documentAt(document.name, document.endpoint.uid),
  );
  if (result.givenName !== null) line(labels.name, result.givenName);
  if (result.givenUid !== null) line(labels.endpoint, result.givenUid);
  line(labels.status, status ?? words.noStatus);
  line(labels.sha256, sha256);
  line(labels.payload, encoding === 'base64' ? words.base64(size) : bytes(size));
  print(io, payload === null ? `  ${words.erased}` : payload.split('\n').map(escapeUnsafe).join('\n'));
}

async function url(io: Io, options: UrlOptions): Promise<void> {
  const config = await configOf(io, options);
  const uid = options.endpoint === undefined ? null : endpointOf(config, options.endpoint).key.uid;
  const base = options.base === undefined ? ownBase(config) : webBase('--base', options.base);
  print(io, `${base}${await resultsPathOf(config, uid)}`);
}

function ownBase({ results: { listen, tls } }: Config): string {
  if (listen === null) {
    throw new ReceiptdError('USAGE.resultsOff');
  }
  const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
  return `${tls === null ? 'http' : 'https'}://${host}:${listen.port}`;
}
