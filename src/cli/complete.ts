import type { Command } from './command.ts';
import { callControl } from '../control/client.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { withHelp, wordsOf, type CommandWords, type WordKind, type OptionWords } from './completion/words.ts';
import { print, type Io } from './io.ts';
import { configOf, type ConfigOption } from './session.ts';

/** Short, since the user is waiting for Tab. */
const ANSWER_MS = 300;
const MOST = 50;
/** Words without characters that a shell or terminal interprets. */
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+-]*$/u;

/** A completion with its description; or `:files` or `:folders`, which the shell completes itself. */
interface Offered {
  readonly word: string;
  readonly description?: string;
}

/** Answers the shell's completion script (completion/scripts.ts). Prints nothing on any failure. */
export function addComplete(program: Command, io: Io): void {
  const { complete: help } = io.texts.help;
  program
    .command('complete', { hidden: true })
    .argument('<current>', help.current)
    .argument('[before...]', help.before)
    .description(help.about)
    .explain({ examples: ['complete =ver ledger', 'complete =SCAN show'] })
    .action(async (current: string, before: readonly string[]) => {
      try {
        for (const { word, description } of await offered(program, io, current.replace(/^=/, ''), before))
          print(io, description === undefined ? word : `${word}\t${description}`);
      } catch (error) {
        if (!(error instanceof ReceiptdError)) throw error;
      }
    });
}

async function offered(
  program: Command,
  io: Io,
  current: string,
  before: readonly string[],
): Promise<readonly Offered[]> {
  const place = placeBehind(withHelp(wordsOf(program), io.texts.inHelp.helpOfOne), before);
  const [, assigned, value = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  const option = assigned === undefined ? undefined : optionOf(place.at, assigned);
  if (!place.isBehindDashes && option?.value) {
    const found = await ofKind(io, option.value.is, value, place);
    return found.map((each) => ({ ...each, word: each.word.replace(/^(?!:)/, `${assigned}=`) }));
  }
  const { wants, at } = place;
  if (wants?.value && !(wants.value.variadic && current.startsWith('-')))
    return ofKind(io, wants.value.is, current, place);
  if (!place.isBehindDashes && current.startsWith('-'))
    return beginning(
      current,
      at.options.flatMap(({ flags, description }) => flags.map((word) => ({ word, description }))),
    );
  if (at.commands.length > 0 && place.arguments === 0)
    return beginning(
      current,
      at.commands.map(({ name: word, description }) => ({ word, description })),
    );
  const last = at.places.at(-1);
  const argument = at.places[place.arguments] ?? (last?.variadic ? last : undefined);
  return argument === undefined ? [] : ofKind(io, argument.is, current, place);
}

/** State of the command line after these words. */
interface CompletionPlace extends ConfigOption {
  readonly at: CommandWords;
  /** The option whose value is next. */
  readonly wants: OptionWords | undefined;
  readonly arguments: number;
  readonly isBehindDashes: boolean;
}

function placeBehind(all: readonly CommandWords[], before: readonly string[]): CompletionPlace {
  const path: string[] = [];
  const here = (): CommandWords => {
    const found = all.find((each) => each.path.join(' ') === path.join(' '));
    if (found === undefined) throw new Error(`no command ${path.join(' ')}`);
    return found;
  };
  let [wants, count, isBehindDashes]: [OptionWords | undefined, number, boolean] = [undefined, 0, false];
  let config: string | undefined;
  for (const word of before) {
    if (wants?.value) {
      // bash gives --config=FILE as three words.
      if (word === '=') continue;
      if (!word.startsWith('-') && wants.flags.includes('--config')) config = word;
      const isTaken = !word.startsWith('-') || !wants.value.variadic;
      if (isTaken && wants.value.variadic) continue;
      wants = undefined;
      if (isTaken) continue;
    }
    if (isBehindDashes) count += 1;
    else if (word === '--') isBehindDashes = true;
    else if (word.startsWith('-')) {
      const [, flag = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      if (value === undefined) wants = optionOf(here(), flag);
      else if (flag === '--config') config = value;
    } else if (here().commands.some(({ name }) => name === word)) path.push(word);
    else count += 1;
  }
  return { at: here(), wants, arguments: count, isBehindDashes, ...(config !== undefined && { config }) };
}

function optionOf({ options }: CommandWords, flag: string): OptionWords | undefined {
  return options.find(({ flags }) => flags.includes(flag));
}

function beginning(current: string, all: readonly Offered[]): readonly Offered[] {
  return all.filter(({ word }) => word.startsWith(current));
}

async function ofKind(
  io: Io,
  is: WordKind,
  current: string,
  options: ConfigOption,
): Promise<readonly Offered[]> {
  const named = (names: readonly string[]): readonly Offered[] =>
    beginning(
      current,
      [...new Set(names)].filter((name) => PLAIN.test(name)).map((word) => ({ word })),
    );
  switch (is.kind) {
    case 'none':
      return [];
    case 'files':
    case 'folders':
      return [{ word: `:${is.kind}` }];
    case 'words':
      return named(is.words);
    case 'documents':
      return named(await documents(io, options, current));
    case 'endpoints':
      return named(await endpoints(io, options));
    case 'targets': {
      const aliases = await endpoints(io, options).catch((error: unknown) => {
        if (error instanceof ReceiptdError) return [];
        throw error;
      });
      return [...named(aliases), { word: ':folders' }];
    }
  }
}

async function endpoints(io: Io, options: ConfigOption): Promise<string[]> {
  return (await configOf(io, options)).endpoints.map(({ alias }) => alias);
}

/** Only from the running agent: reading a large ledger takes too long. */
async function documents(io: Io, options: ConfigOption, prefix: string): Promise<string[]> {
  const { stateDir } = await configOf(io, options);
  const within = AbortSignal.any([io.stop, AbortSignal.timeout(ANSWER_MS)]);
  const request = { order: 'newest', limit: MOST, search: prefix || undefined } as const;
  try {
    const how = { signal: within, timeoutMs: ANSWER_MS };
    const { rows } = await callControl(stateDir, 'documents', request, how);
    return rows.flatMap(({ name }) => name ?? []);
  } catch (error) {
    if (within.aborted) return [];
    throw error;
  }
}
