import type { Command } from './command.ts';
import type { Config } from '../config/config.ts';
import { callControl, callIfRunning } from '../control/client.ts';
import type { Response } from '../control/protocol/protocol.ts';
import type { OpenAlertJson } from '../control/protocol/alerts.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { CliTexts } from '../texts/cli.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { commandLine } from './help.ts';
import { colorsFor, print, printJson, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { cureOf, errorWords, whatIsWrong } from '../texts/explain.ts';
import { conditionOfJson } from '../control/protocol/problem.ts';
import { configOf, type JsonOption } from './session.ts';
import { textsOf } from './language.ts';
import { shellWord } from '../system/programs.ts';
import { asUser, otherOwnerOf, startCommand } from '../system/userName.ts';
import { sendTestAlert } from './testAlert.ts';

export function addAlerts(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const { alerts: help, alertsTest: helpOfTest } = io.texts.help;
  const { config } = io.texts.option;
  const command = program
    .command('alerts')
    .description(help.about)
    .option('--config <file>', config)
    .option('--json', help.json)
    .explain({ examples: ['alerts', 'alerts --json', 'alerts test'] })
    .action((options: JsonOption) => list(io, options));
  command
    .command('test')
    .description(helpOfTest.about)
    .option('--config <file>', config)
    .option('--json', helpOfTest.json)
    .explain({
      more: helpOfTest.more,
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
  const { alerts: words } = io.texts;
  print(io, channels.length === 0 ? words.noChannel : words.sentBy(channels, quietUntil));
  print(io, open.length === 0 ? words.allWell : '');
  const colors = colorsFor(io, io.stdout);
  const texts = await textsOf(io);
  for (const alert of open) {
    const { code, since, overSince } = alert;
    const condition = conditionOfJson(alert);
    const message = whatIsWrong(texts, condition);
    if (overSince === null) {
      print(io, `${colors.red(escapeUnsafe(message))} [${code}]`);
      print(io, `  ${words.since(since)} ${stateOf(alert, words)}`);
      print(io, `  ${escapeUnsafe(cureOf(texts, condition))}`);
    } else {
      print(io, `${colors.green(words.over(overSince))} ${escapeUnsafe(message)} [${code}]`);
      print(io, `  ${words.began(since)} ${stateOf(alert, words)} ${words.recovery}`);
    }
  }
}

function stateOf({ toldAt, toldBy, waitingFor, untold }: OpenAlertJson, words: CliTexts['alerts']): string {
  if (toldAt !== null) return words.sent(toldAt, toldBy, waitingFor);
  return waitingFor.length > 0 ? words.sending(waitingFor) : words.untold[untold ?? 'failed'];
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
    const texts = await textsOf(io);
    for (const { channel, problem, error } of results) {
      const words =
        problem === null
          ? colors.green(io.texts.alerts.delivered)
          : colors.red(
              io.texts.alerts.undelivered(
                escapeUnsafe(error === undefined ? problem : `${errorWords(texts, error)} [${error.code}]`),
              ),
            );
      print(io, `${channel}: ${words}`);
    }
  }
}

async function testAlone(io: Io, config: Config): Promise<Response<'testAlerts'>['results']> {
  // Root would run the programs and send the secrets that the service's user may have named there.
  const owner = process.geteuid?.() === 0 ? await otherOwnerOf(config.file) : null;
  if (owner !== null) {
    const command = asUser(owner.name ?? `#${owner.uid}`, true, process.platform);
    const test = commandLine('alerts', 'test', '--config', shellWord(config.file));
    throw new ReceiptdError('NOT_RUNNING.testAsOwner', {
      file: config.file,
      command: command.replace('receiptd …', test),
    });
  }
  const { alertChannels } = await import('../wiring/alertChannels.ts');
  const sent = await sendTestAlert(io, config, (surroundings) => alertChannels(config, surroundings));
  return sent.map(({ channel, problem: trouble }) => ({
    channel,
    problem: trouble?.sentence() ?? null,
    ...(trouble !== null && { error: trouble.facts() }),
  }));
}
