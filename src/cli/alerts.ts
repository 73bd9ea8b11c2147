import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { Config } from '../config/config.ts';
import { callControl } from '../control/client.ts';
import type { Response } from '../control/protocol/protocol.ts';
import type { OpenAlertJson } from '../control/protocol/alerts.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { local } from '../core/domain/words.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { helpOf } from './help.ts';
import { colorsFor, print, printJson, type Io } from './io.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { configOf, openLog, type ConfigOption } from './session.ts';

interface Options extends ConfigOption {
  readonly json?: boolean;
}

export function addAlerts(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const command = program
    .command('alerts')
    .description('show open problems, since when, and who was alerted')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: { channels, quietUntil, open }')
    .addHelpText('after', helpOf({ examples: ['alerts', 'alerts --json', 'alerts test'] }))
    .action((options: Options) => list(io, options));
  command
    .command('test')
    .description('send a test alert through every configured channel')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: [{ channel, problem }]')
    .addHelpText(
      'after',
      helpOf({
        more: 'The running agent sends the test; if none is running, this command does.',
        examples: ['alerts test'],
      }),
    )
    // Both commands declare these options, and the parser may assign them to either.
    .action(async (_: unknown, own: Command) => done(await test(io, own.optsWithGlobals())));
}

async function list(io: Io, options: Options): Promise<void> {
  const { stateDir } = await configOf(io, options);
  const alerts = await callControl(stateDir, 'alerts', {}, { signal: io.stop }).catch((error: unknown) => {
    if (!(error instanceof ReceiptdError && error.code === 'NOT_RUNNING')) throw error;
    throw new ReceiptdError(
      'NOT_RUNNING',
      `${error.message.replace(/\.$/, '')}, so no alerts are being sent.`,
      {
        hint: `${error.hint} \`receiptd status\` shows problems even without an agent.`,
        cause: error,
      },
    );
  });
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
  for (const alert of open) {
    const { message, code, hint, since, overSince } = alert;
    if (overSince === null) {
      print(io, `${colors.red(escapeUnsafe(message))} [${code}]`);
      print(io, `  Since ${local(since)}. ${stateOf(alert)}`);
      print(io, `  ${escapeUnsafe(hint)}`);
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

async function test(io: Io, options: Options): Promise<ExitStatus> {
  const config = await configOf(io, options);
  const { results } = await ask(io, config);
  if (options.json) printJson(io, results);
  else if (results.length === 0) print(io, 'No channel is configured under `alerts`, so no alerts are sent.');
  else {
    const colors = colorsFor(io, io.stdout);
    for (const { channel, problem } of results) {
      const words =
        problem === null ? colors.green('delivered') : colors.red(`not delivered: ${escapeUnsafe(problem)}`);
      print(io, `${channel}: ${words}`);
    }
  }
  return results.length > 0 && results.every(({ problem }) => problem === null) ? EXIT.ok : EXIT.failed;
}

async function ask(io: Io, config: Config): Promise<Response<'testAlerts'>> {
  try {
    return await callControl(config.stateDir, 'testAlerts', {}, { signal: io.stop });
  } catch (error) {
    if (!(error instanceof ReceiptdError && error.code === 'NOT_RUNNING')) throw error;
  }
  return testAlone(io, config);
}

async function testAlone(io: Io, config: Config): Promise<Response<'testAlerts'>> {
  const [{ alertChannels }, { sendWithin }, { testAlert }, { systemClock }] = await Promise.all([
    import('../wiring/alertChannels.ts'),
    import('../features/alerts/delivery.ts'),
    import('../features/alerts/message.ts'),
    import('../system/systemClock.ts'),
  ]);
  const { log, secrets } = await openLog(io, config, { toFile: false, level: 'warn' });
  try {
    const alert = testAlert(randomUUID(), { host: hostname(), now: systemClock.now() });
    const results = alertChannels(config, { env: io.env, log, secrets }).map(async (channel) => {
      const trouble = await sendWithin(channel, alert, systemClock, io.stop);
      return { channel: channel.name, problem: trouble === null ? null : trouble.sentence() };
    });
    return { results: await Promise.all(results) };
  } finally {
    await log.close();
  }
}
