import type { Command } from './command.ts';
import { credentialsConfig } from '../wiring/service.ts';
import type { Config } from '../config/config.ts';
import { prepareStateDir } from '../state-dir/stateDir.ts';
import { demandEndpointRequest } from '../core/domain/endpointRequest.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { KnownEndpoint } from '../core/ports/ledgerReports.ts';
import { print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { withReading } from './reading.ts';
import { resultsPathOf, webBase } from './resultsAddress.ts';
import { withService } from './serviceClient.ts';
import { agentAnswers, configOf, operate, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { table } from './table.ts';

interface CreateOptions extends JsonOption {
  readonly outgoingUrl?: string;
  readonly results?: string;
  readonly language?: string;
  readonly account?: string;
}

export function addEndpoint(program: Command, io: Io): void {
  const { help, option, status5 } = io.texts;
  const endpoint = program.command('endpoint').description(help.endpoint.about);
  endpoint
    .command('create')
    .argument('<name>', help.endpointCreate.name)
    .description(help.endpointCreate.about)
    .option('--config <file>', option.config)
    .option('--outgoing-url <url>', help.endpointCreate.outgoingUrl)
    .option('--results <url>', help.endpointCreate.results)
    .option('--language <tag>', help.endpointCreate.language)
    .option('--account <name>', help.endpointCreate.account)
    .option('--json', help.endpointCreate.json)
    .explain({
      examples: [
        'endpoint create Office --language en-GB',
        'endpoint create Office --results https://receipts.example.com',
      ],
      statuses: status5,
    })
    .action((name: string, options: CreateOptions) => create(io, name, options));
  endpoint
    .command('list')
    .description(help.endpointList.about)
    .option('--config <file>', option.config)
    .option('--json', help.endpointList.json)
    .explain({ examples: ['endpoint list'] })
    .action((options: JsonOption) => list(io, options));
}

async function create(io: Io, name: string, options: CreateOptions): Promise<void> {
  if (options.results !== undefined && options.outgoingUrl !== undefined)
    throw new ReceiptdError('USAGE.eitherFlag', { flags: ['--results', '--outgoing-url'] });
  demandEndpointRequest({ name, ...options });
  const config = await configOf(io, options);
  const account = options.account ?? null;
  credentialsConfig(config, account);
  // Create nothing that can't be recorded: its uid would be lost.
  if (!(await agentAnswers(config))) await prepareStateDir(config);
  // Not a command-line argument, which every user of the machine can read.
  const outgoingUrl =
    options.results === undefined
      ? options.outgoingUrl
      : `${webBase('--results', options.results)}${await resultsPathOf(config, null)}`;
  await withService(io, config, { level: 'warn' }, async ({ service }) => {
    const record = await service.createEndpoint(
      {
        name,
        account,
        ...(outgoingUrl !== undefined && { outgoingUrl }),
        ...(options.language !== undefined && { dominantLanguage: options.language }),
      },
      io.stop,
    );
    if (options.json) print(io, record.verbatim);
    else
      print(
        io,
        `${io.texts.endpoint.created(escapeUnsafe(record.name))}\n\n  uid: "${escapeUnsafe(record.uid)}"${account === null ? '' : `\n  account: ${account}`}`,
      );
    const { uid, verbatim } = record;
    await operate(io, config, 'recordEndpoint', {
      uid,
      name: record.name,
      verbatim,
      by: operatorName(),
    });
  });
}

async function list(io: Io, options: JsonOption): Promise<void> {
  const config = await configOf(io, options);
  const created = await createdHere(config);
  const configured = config.endpoints.map(({ alias, key }) => {
    const known = created.find(
      ({ endpoint }) => endpoint.uid === key.uid && endpoint.baseUrl === key.baseUrl,
    );
    return { alias, uid: key.uid, baseUrl: key.baseUrl, name: known?.name ?? null };
  });
  const others = created
    .filter(({ name, endpoint }) => name !== null && !configured.some(({ uid }) => uid === endpoint.uid))
    .map(({ name, endpoint }) => ({ alias: null, uid: endpoint.uid, baseUrl: endpoint.baseUrl, name }));
  const rows = [...configured, ...others];
  if (options.json) return printJson(io, rows);
  const { endpoint: words } = io.texts;
  const cells = rows.map(({ alias, uid, name }) => [
    alias ?? words.notConfigured,
    escapeUnsafe(uid),
    escapeUnsafe(name ?? ''),
  ]);
  const { alias: its, uid: id, name: named } = words.columns;
  print(io, table([its, id, named], cells));
}

/** Endpoints recorded in this ledger; none before the first run. */
export async function createdHere(config: Config): Promise<readonly KnownEndpoint[]> {
  try {
    return await withReading(config, async (reading) => {
      return await reading.endpoints();
    });
  } catch (error) {
    if (error instanceof ReceiptdError && error.code === 'LEDGER_MISSING') return [];
    throw error;
  }
}
