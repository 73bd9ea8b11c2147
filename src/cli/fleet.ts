import type { Command } from './command.ts';
import { withReports } from '../ledger/configured/reports.ts';
import type { Config } from '../config/config.ts';
import { callControl } from '../control/client.ts';
import type { FleetAgentJson } from '../control/protocol/fleet.ts';
import { fleetOf } from '../control/queries/fleet.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { count, counted, local, span } from '../core/domain/words.ts';
import { ask, canAsk } from './ask.ts';
import { print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { configOf, operate, type ConfigOption, type JsonOption } from './session.ts';
import { table } from './table.ts';

const NOT_SHARED = 'This agent does not share its ledger.';

export function addFleet(program: Command, io: Io): void {
  const fleet = program.command('fleet').description('manage agents that share a ledger in PostgreSQL');
  fleet
    .command('status')
    .description(
      'show which agents share the ledger, how much each has waiting, and when they were last seen',
    )
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: { agents }; null where the ledger is not shared')
    .explain({ examples: ['fleet status', 'fleet status --json'] })
    .action((options: JsonOption) => status(io, options));

  for (const [command, operation, done, says] of [
    ['pause', 'pauseAgent', 'sends nothing', 'stop an agent from sending; it still picks up scans'],
    ['resume', 'resumeAgent', 'sends again', 'let an agent send again'],
  ] as const) {
    fleet
      .command(command)
      .argument('<agent>', 'name of the agent, as `fleet status` shows it')
      .description(says)
      .option('--config <file>', 'config file')
      .explain({ examples: [`fleet ${command} front-office`] })
      .action(async (agent: string, options: ConfigOption) => {
        const config = await configOf(io, options);
        refuseUnshared(config);
        const { state, lastSeenAt } = await operate(io, config, operation, { agent, by: operatorName() });
        if (state === 'running') return print(io, `Agent ${escapeUnsafe(agent)} ${done}.`);
        const since = lastSeenAt === null ? '' : `, and was last heard of at ${local(lastSeenAt)}`;
        print(io, `Agent ${escapeUnsafe(agent)} is ${state}${since}. Once it runs again, it ${done}.`);
      });
  }

  fleet
    .command('retire')
    .argument('<agent>', 'name of the agent, as `fleet status` has it')
    .description('give up an agent that will not come back: what waits for it goes to others, or is settled')
    .option('--config <file>', 'config file')
    .option('--yes', 'do not ask')
    .explain({ examples: ['fleet retire front-office'], more: WHAT_RETIRES })
    .action((agent: string, options: ConfigOption & { yes?: boolean }) => retire(io, agent, options));
}

const WHAT_RETIRES =
  'Documents of its own folders that still wait count as lost: scan these receipts again. Documents of shared folders, and results that it had not handed on, go to the agent of this machine.';

async function retire(io: Io, agent: string, options: ConfigOption & { yes?: boolean }): Promise<void> {
  const config = await configOf(io, options);
  refuseUnshared(config);
  if (!options.yes) await confirmRetirement(io, config, agent);
  const { lost, passedOn, results } = await operate(io, config, 'retireAgent', {
    agent,
    by: operatorName(),
  });
  print(io, `Agent ${escapeUnsafe(agent)} is retired.`);
  if (lost > 0)
    print(
      io,
      `Lost: ${counted(lost, 'document')} of its own folders. \`receiptd list --state lost\` shows them.`,
    );
  if (passedOn > 0) print(io, `Passed on: ${counted(passedOn, 'document')} of shared folders.`);
  if (results > 0) print(io, `Handed on from here: ${counted(results, 'result')}.`);
}

async function confirmRetirement(io: Io, config: Config, agent: string): Promise<void> {
  const queued = (await agentsOf(config))?.find(({ name }) => name === agent)?.queued ?? 0;
  const what = `Retire agent ${escapeUnsafe(agent)}, for which ${counted(queued, 'document waits', 'documents wait')}?`;
  if (!canAsk(io)) throw new ReceiptdError('CONFIRMATION_NEEDED.retire', { count: queued });
  io.stderr.write(`${WHAT_RETIRES}\n`);
  if (await ask(io, what)) return;
  throw new ReceiptdError('CONFIRMATION_NEEDED.notRetired');
}

async function status(io: Io, options: JsonOption): Promise<void> {
  const config = await configOf(io, options);
  const agents = await agentsOf(config);
  if (options.json) return printJson(io, { agents });
  if (agents === null) return print(io, `${NOT_SHARED} \`receiptd status\` shows how this agent is doing.`);
  if (agents.length === 0) return print(io, 'No agent has used this ledger yet.');
  print(io, fleetTable(agents));
}

/** Reads the ledger, or asks the running agent if this user may not read the database credentials. */
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
    ].map(escapeUnsafe),
  );
  return table(HEAD, rows);
}

/** By the database's clock, from which this machine's may differ. */
function seen(at: number, now: number): string {
  return now - at < 2_000 ? 'now' : `${span(now - at)} ago`;
}

function refuseUnshared({ ledger }: Config): void {
  if (ledger.kind === 'postgres') return;
  throw new ReceiptdError('USAGE.fleetUnshared');
}
