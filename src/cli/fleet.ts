import type { Command } from './command.ts';
import { withReports } from '../ledger/configured/reports.ts';
import type { Config } from '../config/config.ts';
import { callControl } from '../control/client.ts';
import type { FleetAgentJson } from '../control/protocol/fleet.ts';
import { fleetOf } from '../control/queries/fleet.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { CliTexts } from '../texts/cli.ts';
import { ask, canAsk } from './ask.ts';
import { print, printJson, type Io } from './io.ts';
import { operatorName } from './operator.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { configOf, operate, type ConfigOption, type JsonOption } from './session.ts';
import { table } from './table.ts';

export function addFleet(program: Command, io: Io): void {
  const { help, option } = io.texts;
  const { agent: nameOfAgent } = help.fleetAgent;
  const fleet = program.command('fleet').description(help.fleet.about);
  fleet
    .command('status')
    .description(help.fleetStatus.about)
    .option('--config <file>', option.config)
    .option('--json', help.fleetStatus.json)
    .explain({ examples: ['fleet status', 'fleet status --json'] })
    .action((options: JsonOption) => status(io, options));

  const { fleet: words } = io.texts;
  for (const [command, operation, { about }, done, then] of [
    ['pause', 'pauseAgent', help.fleetPause, words.paused, words.thenPaused],
    ['resume', 'resumeAgent', help.fleetResume, words.resumed, words.thenResumed],
  ] as const) {
    fleet
      .command(command)
      .argument('<agent>', nameOfAgent)
      .description(about)
      .option('--config <file>', option.config)
      .explain({ examples: [`fleet ${command} front-office`] })
      .action(async (agent: string, options: ConfigOption) => {
        const config = await configOf(io, options);
        refuseUnshared(config);
        const { state, lastSeenAt } = await operate(io, config, operation, { agent, by: operatorName() });
        const name = escapeUnsafe(agent);
        print(io, state === 'running' ? done(name) : `${words.away[state](name, lastSeenAt)} ${then}`);
      });
  }

  fleet
    .command('retire')
    .argument('<agent>', nameOfAgent)
    .description(help.fleetRetire.about)
    .option('--config <file>', option.config)
    .option('--yes', option.yes)
    .explain({ examples: ['fleet retire front-office'], more: help.fleetRetire.more })
    .action((agent: string, options: ConfigOption & { yes?: boolean }) => retire(io, agent, options));
}

async function retire(io: Io, agent: string, options: ConfigOption & { yes?: boolean }): Promise<void> {
  const config = await configOf(io, options);
  refuseUnshared(config);
  if (!options.yes) await confirmRetirement(io, config, agent);
  const { lost, passedOn, results } = await operate(io, config, 'retireAgent', {
    agent,
    by: operatorName(),
  });
  const { fleet: words } = io.texts;
  print(io, words.retired(escapeUnsafe(agent)));
  if (lost > 0) print(io, words.lost(lost));
  if (passedOn > 0) print(io, words.passedOn(passedOn));
  if (results > 0) print(io, words.results(results));
}

async function confirmRetirement(io: Io, config: Config, agent: string): Promise<void> {
  const { fleet: words } = io.texts;
  const queued = (await agentsOf(config))?.find(({ name }) => name === agent)?.queued ?? 0;
  if (!canAsk(io)) throw new ReceiptdError('CONFIRMATION_NEEDED.retire', { count: queued });
  io.stderr.write(`${words.retires}\n`);
  if (await ask(io, words.retire(escapeUnsafe(agent), queued))) return;
  throw new ReceiptdError('CONFIRMATION_NEEDED.notRetired');
}

async function status(io: Io, options: JsonOption): Promise<void> {
  const config = await configOf(io, options);
  const agents = await agentsOf(config);
  if (options.json) return printJson(io, { agents });
  if (agents === null) return print(io, io.texts.fleet.notShared);
  print(io, agents.length === 0 ? io.texts.fleet.none : fleetTable(agents, io.texts));
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

export function fleetTable(
  agents: readonly FleetAgentJson[],
  { fleet: words, format: { number } }: CliTexts,
  now = Date.now(),
): string {
  const { columns } = words;
  /** By the database's clock, from which this machine's may differ. */
  const seen = (at: number): string => (now - at < 2_000 ? words.now : words.ago(now - at));
  const rows = agents.map(({ name, host, version, state, lastSeenAt, queued, uploading, ...rest }) =>
    [
      name,
      host,
      version,
      words.states[state],
      lastSeenAt === null ? words.never : seen(Date.parse(lastSeenAt)),
      number(queued),
      number(uploading),
      rest.leads.join(', ') || '-',
      rest.holds.map(({ scope }) => scope).join(', ') || '-',
      rest.paused === null ? '-' : words.pausedBy(rest.paused.by, rest.paused.since),
    ].map(escapeUnsafe),
  );
  const { agent, host, version, state, queued, uploading, leads, holds, paused } = columns;
  const head = [agent, host, version, state, columns.seen, queued, uploading, leads, holds, paused];
  return table(head, rows);
}

function refuseUnshared({ ledger }: Config): void {
  if (ledger.kind === 'postgres') return;
  throw new ReceiptdError('USAGE.fleetUnshared');
}
