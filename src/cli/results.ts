import type { Command } from './command.ts';
import type { Config } from '../config/config.ts';
import { RESULTS_LIMIT } from '../control/protocol/results.ts';
import type { ResultDetailJson, ResultJson } from '../control/protocol/results.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { local, size } from '../core/domain/words.ts';
import { colorsFor, print, printJson, printTable, type Io } from './io.ts';
import { endpointOf } from './filters.ts';
import { jsonArray } from '../control/queries/jsonArray.ts';
import { writeChunks } from './list.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { withReading, type Reading } from './reading.ts';
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
  const results = program
    .command('results')
    .description('results that the service posted about documents, and the address to post them to');
  results
    .command('list')
    .description(`list the last ${SHOWN} results, newest first`)
    .option('--config <file>', 'config file')
    .option('--unmatched', 'only results for unknown documents')
    .option('--json', 'all results, as one JSON array')
    .explain({ examples: ['results list', 'results list --unmatched --json'] })
    .action((options: ListOptions) => list(io, options));
  results
    .command('show')
    .argument('<id>', 'number of the result')
    .description('show one result as it was posted')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON, including the posted text')
    .explain({ examples: ['results show 17'] })
    .action((id: string, options: JsonOption) => show(io, id, options));
  results
    .command('url')
    .description('print the address to give an endpoint as its outgoingUrl; it contains a secret')
    .option('--config <file>', 'config file')
    .option('--endpoint <alias>', 'the endpoint, if its results do not name it')
    .option(
      '--base <url>',
      'address at which the service reaches this machine, such as https://receipts.example.com',
    )
    .explain({ examples: ['results url --endpoint office --base https://receipts.example.com'] })
    .action((options: UrlOptions) => url(io, options));
}

async function list(io: Io, options: ListOptions): Promise<void> {
  const config = await configOf(io, options);
  const { unmatched = false } = options;
  return withReading(config, async (reading) => {
    if (options.json) return await writeChunks(io, jsonArray(everyResult(reading, unmatched)));
    const { results, next } = await reading.resultsPage({ unmatched, limit: SHOWN });
    if (results.length === 0) return print(io, unmatched ? 'Every result matches a document.' : 'None yet.');
    const { table } = await import('./table.ts');
    printTable(io, table(['ID', 'RECEIVED', 'STATUS', 'SIZE', 'DOCUMENT'], results.map(cellsOf)));
    if (next !== null) print(io, `There are more. --json shows all of them.`);
  });
}

async function* everyResult(reading: Reading, unmatched: boolean): AsyncGenerator<ResultJson> {
  let before: number | null = null;
  do {
    const request = { unmatched, limit: RESULTS_LIMIT, before: before ?? undefined };
    const { results, next }: Awaited<ReturnType<Reading['resultsPage']>> = await reading.resultsPage(request);
    yield* results;
    before = next;
  } while (before !== null);
}

function cellsOf({ id, receivedAt, status, size: bytes, document, givenName }: ResultJson): string[] {
  const name = document?.name ?? (givenName === null ? '(unknown)' : `(unknown: ${givenName})`);
  return [String(id), local(receivedAt), escapeUnsafe(status ?? ''), size(bytes), escapeUnsafe(name)];
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
  const { id, receivedAt, document, status, sha256, size: bytes, encoding, payload } = result;
  const line = (label: string, value: string) => print(io, `  ${label.padEnd(10)} ${escapeUnsafe(value)}`);
  print(io, colorsFor(io, io.stdout).bold(`Result ${id}`));
  line('received', local(receivedAt));
  if (document !== null) line('document', `${document.name} (endpoint ${document.endpoint.uid})`);
  else line('document', 'unknown here');
  if (result.givenName !== null) line('name', result.givenName);
  if (result.givenUid !== null) line('endpoint', result.givenUid);
  line('status', status ?? 'none');
  line('sha256', sha256);
  line('payload', `${size(bytes)}${encoding === 'base64' ? ', shown in base64' : ''}`);
  print(io, payload === null ? '  (erased)' : payload.split('\n').map(escapeUnsafe).join('\n'));
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
