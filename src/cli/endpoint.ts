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
  const endpoint = program.command('endpoint').description('create an endpoint, or list known ones');
  endpoint
    .command('create')
    .argument('<name>', 'name of the endpoint')
    .description('create an endpoint on the service; never retried automatically')
    .option('--config <file>', 'config file')
    .option('--outgoing-url <url>', 'address of your response handler')
    .option(
      '--results <url>',
      'have results posted to this agent: the address at which the service reaches it; the secret is added automatically',
    )
    .option('--language <tag>', 'main language, such as de-DE')
    .option('--account <name>', 'account in the config that the endpoint belongs to')
    .option('--json', "print the service's record verbatim")
    .explain({
      examples: [
        'endpoint create Office --language en-GB',
        'endpoint create Office --results https://receipts.example.com',
      ],
      statuses: '5 the service could not be reached',
    })
    .action((name: string, options: CreateOptions) => create(io, name, options));
  endpoint
    .command('list')
    .description('list endpoints configured or created here; the service has no list')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: [{ alias, uid, baseUrl, name }]')
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
        `Created "${escapeUnsafe(record.name)}". Add its uid to the config file:\n\n  uid: "${escapeUnsafe(record.uid)}"${account === null ? '' : `\n  account: ${account}`}`,
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
  const cells = rows.map(({ alias, uid, name }) => [
    alias ?? '(not configured)',
    escapeUnsafe(uid),
    escapeUnsafe(name ?? ''),
  ]);
  print(io, table(['ALIAS', 'UID', 'NAME'], cells));
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
