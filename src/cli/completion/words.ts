import type { Argument, Command, Option } from 'commander';

/** Kind of value expected at a position of the command line. */
export type WordKind =
  | { readonly kind: 'none' }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' }
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** Queried on demand: `receiptd complete documents`. */
  | { readonly kind: 'documents' }
  | { readonly kind: 'endpoints' }
  /** Endpoints and folders. */
  | { readonly kind: 'targets' };

export interface OptionWords {
  readonly flags: readonly string[];
  readonly description: string;
  /** Null if the option takes no value. */
  readonly value: { readonly name: string; readonly is: WordKind; readonly variadic: boolean } | null;
}

/** A command and the words that can follow it. */
export interface CommandWords {
  /** Words after `receiptd`; empty for the program itself. */
  readonly path: readonly string[];
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionWords[];
  /** Arguments by position; a variadic last one repeats. */
  readonly places: readonly { readonly name: string; readonly is: WordKind; readonly variadic: boolean }[];
}

/** The program and all its commands that the help shows; hidden ones are left out. */
export function wordsOf(program: Command): CommandWords[] {
  const found: CommandWords[] = [];
  const visit = (command: Command, path: readonly string[]): void => {
    const help = command.createHelp();
    const below = help.visibleCommands(command).filter((each) => each.name() !== 'help');
    found.push({
      path,
      description: path.length === 0 ? command.description() : help.subcommandDescription(command),
      commands: below.map((each) => ({ name: each.name(), description: help.subcommandDescription(each) })),
      options: help.visibleOptions(command).map(optionWords),
      places: command.registeredArguments.map((each) => ({
        name: each.name(),
        is: kindOf(each.name(), each),
        variadic: each.variadic,
      })),
    });
    for (const each of below) visit(each, [...path, each.name()]);
  };
  visit(program, []);
  return found;
}

/** Adds `help`, which every command can follow. */
export function withHelp(all: readonly CommandWords[], description: string): CommandWords[] {
  const help = { name: 'help', description };
  return [
    ...all.map((each) => (each.path.length === 0 ? { ...each, commands: [...each.commands, help] } : each)),
    ...all.map((each) => ({ ...each, path: ['help', ...each.path], options: [], places: [] })),
  ];
}

function optionWords(option: Option): OptionWords {
  const { short, long, description, variadic, flags } = option;
  const [, name] = /[<[]([^>\].]+)/.exec(flags) ?? [];
  return {
    flags: [short, long].filter((flag) => flag !== undefined),
    description,
    value: name === undefined ? null : { name, is: kindOf(name, option), variadic },
  };
}

/** Derives the kind from the argument's choices, or from its name. */
function kindOf(name: string, { argChoices }: Pick<Option | Argument, 'argChoices'>): WordKind {
  if (argChoices !== undefined) return { kind: 'words', words: argChoices };
  if (name === 'file') return { kind: 'files' };
  if (name === 'path' || name === 'folder' || name === 'dir') return { kind: 'folders' };
  if (name === 'alias') return { kind: 'endpoints' };
  if (name === 'target') return { kind: 'targets' };
  if (name === 'document') return { kind: 'documents' };
  return { kind: 'none' };
}
