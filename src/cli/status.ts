import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { callControl } from '../daemon/control/client.ts';
import type { StatusResponse } from '../daemon/control/protocol.ts';
import { endpointId } from '../domain/document.ts';
import { ReceiptdError } from '../domain/errors.ts';
import type { Hold } from '../ports/hold.ts';
import { LIST_STATES, type StateCount } from '../ports/ledgerReports.ts';
import { helpOf } from './help.ts';
import { colorsFor, print, printJson, type Io } from './io.ts';
import { configOf, openReportsIfThere, type ConfigOption } from './session.ts';
import { printable } from './table.ts';

interface Overview {
  readonly daemon: StatusResponse | null;
  readonly counts: readonly StateCount[];
  readonly holds: readonly Hold[];
}

export function addStatus(program: Command, io: Io): void {
  program
    .command('status')
    .description('is it working, what waits and why, what needs a person')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: { daemon, counts, holds }')
    .addHelpText('after', helpOf({ examples: ['status', 'status --json'] }))
    .action(async (options: ConfigOption & { json?: boolean }) => {
      const config = await configOf(io, options);
      const overview = await look(config);
      if (options.json) printJson(io, jsonOf(overview));
      else printOverview(io, config, overview);
    });
}

async function look(config: Config): Promise<Overview> {
  const daemon = await callControl(config.stateDir, 'status', {}).catch((error: unknown) => {
    if (error instanceof ReceiptdError && error.code === 'NOT_RUNNING') return null;
    throw error;
  });
  const reports = await openReportsIfThere(config);
  if (reports === null) return { daemon, counts: [], holds: [] };
  try {
    return { daemon, counts: await reports.counts(), holds: await reports.holds() };
  } finally {
    await reports.close();
  }
}

function jsonOf({ daemon, counts, holds }: Overview) {
  return {
    daemon,
    counts: counts.map(({ endpoint, ...rest }) => ({ ...rest, endpointUid: endpoint?.uid ?? null })),
    holds: holds.map(({ since, until, ...rest }) => ({
      ...rest,
      since: new Date(since).toISOString(),
      until: until === null ? null : new Date(until).toISOString(),
    })),
  };
}

function printOverview(io: Io, config: Config, { daemon, counts, holds }: Overview): void {
  const colors = colorsFor(io, io.stdout);
  print(
    io,
    daemon
      ? `${colors.green('Running')} since ${local(daemon.startedAt)} (pid ${daemon.pid}, version ${daemon.version}), ${daemon.inFlight} uploads in flight.`
      : `${colors.yellow('Not running.')} Start it with \`receiptd run\`.`,
  );
  const total = (states: readonly string[]) =>
    counts.filter(({ state }) => states.includes(state)).reduce((sum, { count }) => sum + count, 0);
  const person = total(['failed', 'unconfirmed', 'lost']);
  if (person > 0) {
    const them = `${person} document${person === 1 ? ' needs' : 's need'} a person`;
    print(
      io,
      `${colors.red(them)}: see \`receiptd list --state failed unconfirmed lost\`, then \`receiptd retry NAME\`.`,
    );
  }
  print(io);
  for (const folder of config.folders) {
    const live = daemon?.folders.find(({ path }) => path === folder.path);
    const state = live
      ? `${live.state}${live.settling > 0 ? `, ${live.settling} not at rest yet` : ''}`
      : 'not watched now';
    print(io, `${colors.bold(printable(folder.path))} → ${folder.alias}: ${state}`);
    if (live?.message) print(io, `  ${printable(live.message)}`);
    const own = counts.filter((count) => count.folder === folder.path);
    const parts = LIST_STATES.flatMap((state) => {
      const count = own.filter((each) => each.state === state).reduce((sum, each) => sum + each.count, 0);
      return count > 0 ? [`${count} ${state}`] : [];
    });
    print(io, `  ${parts.length > 0 ? parts.join(', ') : 'nothing seen yet'}`);
  }
  if (holds.length > 0) print(io);
  for (const hold of holds) {
    const next =
      hold.until === null ? '' : ` Next try at ${local(hold.until)}; \`receiptd retry --all\` tries now.`;
    print(
      io,
      `${colors.yellow('On hold')} ${printable(nameOf(hold, config))} since ${local(hold.since)}: ${printable(hold.message)}${next}`,
    );
  }
}

function nameOf({ scope, key }: Hold, config: Config): string {
  const alias = config.endpoints.find((endpoint) => endpointId(endpoint.key) === key)?.alias;
  return scope === 'endpoint' ? `endpoint ${alias ?? key}` : `${scope} ${key}`;
}

function local(at: string | number): string {
  return new Date(at).toLocaleString('sv');
}
