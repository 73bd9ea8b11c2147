import type { Command } from './command.ts';
import { callControl } from '../control/client.ts';
import {
  LONGEST_PASSWORD,
  SHORTEST_PASSWORD,
  removePassword,
  writePassword,
} from '../console/server/password.ts';
import { prepareStateDir, unwritable } from '../state-dir/stateDir.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { askText } from './askText.ts';
import { showLink } from './browser.ts';
import { isTerminal, print, type Io } from './io.ts';
import { asOwner } from './owner.ts';
import { configOf, type ConfigOption } from './session.ts';

interface ConsoleOptions extends ConfigOption {
  readonly open: boolean;
}

export function addConsole(program: Command, io: Io): void {
  const { console: help, consolePassword: helpOfPassword } = io.texts.help;
  const { config } = io.texts.option;
  const command = program
    .command('console')
    .description(help.about)
    .option('--config <file>', config)
    .option('--no-open', help.noOpen)
    .explain({
      more: help.more,
      examples: ['console', 'console --no-open', 'console password'],
    })
    .action((options: ConsoleOptions) => open(io, options));
  command
    .command('password')
    .description(helpOfPassword.about)
    .option('--config <file>', config)
    .option('--remove', helpOfPassword.remove)
    .explain({
      more: helpOfPassword.more(SHORTEST_PASSWORD),
      examples: ['console password', 'console password < password.txt', 'console password --remove'],
    })
    // Both commands declare the option, and the parser may assign it to either.
    .action((_: unknown, own: Command) => setPassword(io, own.optsWithGlobals()));
}

async function open(io: Io, options: ConsoleOptions): Promise<void> {
  const { stateDir } = await configOf(io, options);
  const { url } = await callControl(stateDir, 'openConsole', {}, { signal: io.stop });
  print(io, url);
  if (options.open) await showLink(io, stateDir, url);
}

async function setPassword(
  io: Io,
  { remove, ...options }: ConfigOption & { remove?: boolean },
): Promise<void> {
  const config = await configOf(io, options);
  const { stateDir } = config;
  const { console: words } = io.texts;
  await asOwner(stateDir, () => prepareStateDir(config));
  if (remove) {
    const was = await asAgent(stateDir, () => removePassword(stateDir));
    return print(io, was ? words.removed : words.none);
  }
  await storePassword(stateDir, await newPassword(io));
  print(io, words.set);
  // The agent reads it at each sign-in, but there is nowhere to sign in yet.
  if (config.console.listen === 'onDemand') print(io, words.onDemand(escapeUnsafe(config.file)));
}

/** The running agent uses it at once. @throws ReceiptdError STATE_UNWRITABLE */
export function storePassword(stateDir: string, password: string): Promise<void> {
  return asAgent(stateDir, () => writePassword(stateDir, password));
}

/** As the owner of the state directory: what root writes, the agent can't read. */
function asAgent<T>(stateDir: string, work: () => Promise<T>): Promise<T> {
  return asOwner(stateDir, work).catch((error: unknown) => {
    throw unwritable(stateDir, error);
  });
}

async function newPassword(io: Io): Promise<string> {
  const wanted = { input: 'password', shortest: SHORTEST_PASSWORD } as const;
  const questions = io.texts.input;
  const password = demandPasswordLength(
    await askText(io, questions.password(SHORTEST_PASSWORD), false, wanted),
  );
  if (isTerminal(io.stdin) && (await askText(io, questions.again, false, wanted)) !== password)
    throw new ReceiptdError('USAGE.passwordsDiffer');
  return password;
}

/** @throws ReceiptdError USAGE */
export function demandPasswordLength(password: string): string {
  const { length } = password;
  if (length < SHORTEST_PASSWORD || length > LONGEST_PASSWORD) {
    throw new ReceiptdError('USAGE.passwordLength', {
      length,
      shortest: SHORTEST_PASSWORD,
      longest: LONGEST_PASSWORD,
    });
  }
  return password;
}
