import type { Command } from 'commander';
import { withReports } from '../ledger/configured/reports.ts';
import type { Config } from '../config/config.ts';
import { callControl } from '../control/client.ts';
import type { FleetAgentJson } from '../control/protocol/fleet.ts';
import { NOT_SHARED } from '../control/operations/operations.ts';
import { fleetOf } from '../control/queries/fleet.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { count, local, span } from '../core/domain/words.ts';
import { helpOf } from './help.ts';
import { print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { printable } from './printable.ts';
import { configOf, operate, type ConfigOption } from './session.ts';
import { table } from './table.ts';

export function addFleet(program: Command, io: Io): void {
  const fleet = program.command('fleet').description('manage agents that share a ledger in PostgreSQL');
  fleet
    .command('status')
    .description(
      'show which agents share the ledger, how much each has waiting, and when they were last seen',
    )
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: { agents }; null where the ledger is not shared')
    .addHelpText('after', helpOf({ examples: ['fleet status', 'fleet status --json'] }))
    .action((options: ConfigOption & { json?: boolean }) => status(io, options));

  for (const [command, operation, done, says] of [
    ['pause', 'pauseAgent', 'sends nothing', 'stop an agent from sending; it still picks up scans'],
    ['resume', 'resumeAgent', 'sends again', 'let an agent send again'],
  ] as const) {
    fleet
      .command(command)
      .argument('<agent>', 'name of the agent, as `fleet status` shows it')
      .description(says)
      .option('--config <file>', 'config file')
      .addHelpText('after', helpOf({ examples: [`fleet ${command} front-office`] }))
      .action(async (agent: string, options: ConfigOption) => {
        const config = await configOf(io, options);
        refuseUnshared(config);
        await operate(io, config, operation, { agent, by: operatorName() });
        print(io, `Agent ${printable(agent)} ${done}.`);
      });
  }
}

async function status(io: Io, options: ConfigOption & { json?: boolean }): Promise<void> {
  const config = await configOf(io, options);
  const agents = await agentsOf(config);
  if (options.json) return printJson(io, { agents });
  if (agents === null) return print(io, `${NOT_SHARED} \`receiptd status\` shows how this agent is doing.`);
  if (agents.length === 0) return print(io, 'No agent has used this ledger yet.');
  print(io, fleetTable(agents));
}

/** Reads the ledger; asks the running agent where the way to the ledger is another user's to know. */
async function agentsOf(config: Config): Promise<readonly FleetAgentJson[] | null> {
  if (config.ledger.kind === 'sqlite') return null;
  try {
    return await withReports(config, async (reports) => {
      return (await fleetOf(reports)).agents;
    });
  } catch (error) {
    if (!(error instanceof ReceiptdError && error.code === 'FILE_UNREADABLE')) throw error;
    return (await callControl(config.stateDir, 'fleet', {})).agents;
  }
}

const HEAD = [
  'AGENT',
  'HOST',
  'VERSION',
  'STATE',
  'LAST SEEN',
  'QUEUED',
  'UPLOADING',
  'LEADS',
  'HOLDS',
  'PAUSED',
];

export function fleetTable(agents: readonly FleetAgentJson[], now = Date.now()): string {
  const rows = agents.map((agent) =>
    [
      agent.name,
      agent.host,
      agent.version,
      agent.state,
      agent.lastSeenAt === null ? 'never' : seen(Date.parse(agent.lastSeenAt), now),
      count(agent.queued),
      count(agent.uploading),
      agent.leads.join(', ') || '-',
      agent.holds.map(({ scope }) => scope).join(', ') || '-',
      agent.paused === null ? '-' : `by ${agent.paused.by}, ${local(agent.paused.since)}`,
    ].map(printable),
  );
  return table(HEAD, rows);
}

/** By the database's clock, from which this machine's may differ. */
function seen(at: number, now: number): string {
  return now - at < 2_000 ? 'now' : `${span(now - at)} ago`;
}

function refuseUnshared({ ledger }: Config): void {
  if (ledger.kind === 'postgres') return;
  throw new ReceiptdError('USAGE', NOT_SHARED, { hint: 'Use `receiptd pause` and `receiptd resume`.' });
}
