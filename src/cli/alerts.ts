import type { Command } from './command.ts';
import type { Config } from '../config/config.ts';
import { callControl, callIfRunning } from '../control/client.ts';
import type { Response } from '../control/protocol/protocol.ts';
import type { OpenAlertJson } from '../control/protocol/alerts.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { local } from '../core/domain/words.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { colorsFor, print, printJson, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { cureOf, whatIsWrong } from '../texts/explain.ts';
import { conditionOfJson } from '../control/protocol/problem.ts';
import { configOf, type JsonOption } from './session.ts';
import { textsOf } from './language.ts';
import { startCommand } from '../system/userName.ts';
import { sendTestAlert } from './testAlert.ts';

export function addAlerts(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const command = program
    .command('alerts')
    .description('show open problems, since when, and who was alerted')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: { channels, quietUntil, open }')
    .explain({ examples: ['alerts', 'alerts --json', 'alerts test'] })
    .action((options: JsonOption) => list(io, options));
  command
    .command('test')
    .description('send a test alert through every configured channel')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: [{ channel, problem }]')
    .explain({
      more: 'The running agent sends the test; if none is running, this command does.',
      examples: ['alerts test'],
    })
    // Both commands declare these options, and the parser may assign them to either.
    .action(async (_: unknown, own: Command) => test(io, own.optsWithGlobals(), done));
}

async function list(io: Io, options: JsonOption): Promise<void> {
  const { stateDir } = await configOf(io, options);
  const alerts = await callControl(stateDir, 'alerts', {}, { signal: io.stop }).catch(
    async (error: unknown) => {
      if (!(error instanceof ReceiptdError && error.key === 'NOT_RUNNING.stateDir')) throw error;
      const command = await startCommand(stateDir);
      throw new ReceiptdError('NOT_RUNNING.noAlerts', { stateDir, command }, { cause: error });
    },
  );
  if (options.json) return printJson(io, alerts);
  const { channels, quietUntil, open } = alerts;
  print(
    io,
    channels.length === 0
      ? 'No alerts are sent: no channel is configured under `alerts`.'
      : `Sent by ${channels.join(', ')}.${quietUntil === null ? '' : ` Quiet hours until ${local(quietUntil)}.`}`,
  );
  print(io, open.length === 0 ? 'Nothing is wrong.' : '');
  const colors = colorsFor(io, io.stdout);
  const texts = await textsOf(io);
  for (const alert of open) {
    const { code, since, overSince } = alert;
    const condition = conditionOfJson(alert);
    const message = whatIsWrong(texts, condition);
    if (overSince === null) {
      print(io, `${colors.red(escapeUnsafe(message))} [${code}]`);
      print(io, `  Since ${local(since)}. ${stateOf(alert)}`);
      print(io, `  ${escapeUnsafe(cureOf(texts, condition))}`);
    } else {
      print(io, `${colors.green(`Over since ${local(overSince)}:`)} ${escapeUnsafe(message)} [${code}]`);
      print(
        io,
        `  It began at ${local(since)}. ${stateOf(alert)} You get a recovery alert if it does not come back.`,
      );
    }
  }
}

function stateOf({ toldAt, toldBy, waitingFor, untold }: OpenAlertJson): string {
  const waiting = waitingFor.join(', ');
  if (toldAt !== null)
    return `Sent at ${local(toldAt)} by ${toldBy.join(', ')}${waiting === '' ? '' : `, not yet by ${waiting}`}.`;
  if (waiting !== '') return `Being sent (${waiting}).`;
  switch (untold) {
    case 'quietHours':
      return 'Not sent yet: quiet hours.';
    case 'soon':
      return 'Not sent yet: it goes out within minutes, together with others.';
    case 'noChannel':
      return 'Not sent: no channel can deliver it.';
    case null:
      return 'Not delivered: every channel failed.';
    case 'young':
      return 'Not sent yet: the problem may resolve soon (`alerts.after`).';
  }
}

async function test(io: Io, options: JsonOption, done: (status: ExitStatus) => void): Promise<void> {
  const config = await configOf(io, options);
  const signal = io.stop;
  const answer = await callIfRunning(config.stateDir, 'testAlerts', {}, { signal });
  const results = answer?.results ?? (await testAlone(io, config));
  if (results.length === 0 || results.some(({ problem }) => problem !== null)) done(EXIT.failed);
  if (options.json) printJson(io, results);
  else if (results.length === 0) {
    throw new ReceiptdError('ALERT_UNDELIVERED.noChannel');
  } else {
    const colors = colorsFor(io, io.stdout);
    for (const { channel, problem } of results) {
      const words =
        problem === null ? colors.green('delivered') : colors.red(`not delivered: ${escapeUnsafe(problem)}`);
      print(io, `${channel}: ${words}`);
    }
  }
}

async function testAlone(io: Io, config: Config): Promise<Response<'testAlerts'>['results']> {
  const { alertChannels } = await import('../wiring/alertChannels.ts');
  const sent = await sendTestAlert(io, config, (surroundings) => alertChannels(config, surroundings));
  return sent.map(({ channel, problem }) => ({ channel, problem: problem?.sentence() ?? null }));
}
