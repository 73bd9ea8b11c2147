import { Argument, Command as Parsed, Option, type HelpConfiguration } from 'commander';
import type { CliTexts } from '../texts/cli.ts';
import { helpOf, type Explained } from './help.ts';
import { usageFault } from './usage.ts';

/** A command of receiptd: its help is in the language of the terminal, and ends with examples and exit statuses. */
export class Command extends Parsed {
  readonly #texts: CliTexts;
  #explained: Explained | null = null;

  constructor(name: string | undefined, texts: CliTexts) {
    super(name);
    this.#texts = texts;
    this.configureHelp(helpIn(texts)).helpOption('-h, --help', texts.inHelp.help);
  }

  override createCommand(name?: string): Command {
    return new Command(name, this.#texts);
  }

  /** The parser takes the next word as the value of an option, even if it is another option: `--output --config FILE`. */
  override parseOptions(words: string[]): ReturnType<Parsed['parseOptions']> {
    const named = (word: string | undefined) =>
      this.options.find((each) => word === each.long || (word !== undefined && word === each.short));
    for (let at = 0; at < words.length && words[at] !== '--'; at += 1) {
      const option = named(words[at]);
      if (option?.required !== true) continue;
      at += 1;
      if (named(words[at]) !== undefined)
        throw usageFault({ kind: 'valueMissing', subject: option.long ?? option.flags });
    }
    return super.parseOptions(words);
  }

  /** Text below the options. */
  explain(explained: Explained): this {
    this.#explained = explained;
    return this.addHelpText('after', helpOf(this.#texts, explained));
  }

  get explained(): Explained | null {
    return this.#explained;
  }
}

/** An option that takes one of a few words, or several of them. */
export function choice(flags: string, about: string, words: readonly string[]): Option {
  const option = new Option(flags, about).choices(words);
  return option.argParser((given: string, before: unknown) => {
    demandChoice(option.long ?? flags, given, words);
    return option.variadic ? [...(Array.isArray(before) ? (before as string[]) : []), given] : given;
  });
}

/** An argument that is one of a few words. */
export function choiceOf(flags: string, about: string, words: readonly string[]): Argument {
  return new Argument(flags, about).choices(words).argParser((given: string) => {
    demandChoice(flags, given, words);
    return given;
  });
}

function demandChoice(subject: string, given: string, choices: readonly string[]): void {
  if (!choices.includes(given)) throw usageFault({ kind: 'notAChoice', subject, given, choices });
}

/** The words that the parser has for these in English. */
function helpIn({ headings, inHelp }: CliTexts): HelpConfiguration {
  const titles = new Map([
    ['Usage:', headings.usage],
    ['Arguments:', headings.arguments],
    ['Options:', headings.options],
    ['Commands:', headings.commands],
  ]);
  const described = (
    { description, argChoices, defaultValue }: Option | Argument,
    takesValue: boolean,
  ): string => {
    const shown = (value: unknown) => JSON.stringify(value);
    const more = [
      ...(argChoices === undefined ? [] : [inHelp.choices(argChoices.map(shown).join(', '))]),
      ...(defaultValue === undefined || !takesValue ? [] : [inHelp.otherwise(shown(defaultValue))]),
    ];
    return more.length === 0 ? description : `${description} (${more.join(', ')})`;
  };
  /** What a person puts in its place, in their language: `<file>`, `[document...]`. */
  const values: Readonly<Record<string, string>> = inHelp.values;
  const named = (text: string): string =>
    text.replaceAll(/(?<=[<[])[a-z]+(?=(?:\.\.\.)?[>\]])/g, (name) => values[name] ?? name);
  return {
    styleTitle: (title) => titles.get(title) ?? title,
    styleUsage: named,
    styleOptionTerm: named,
    styleSubcommandTerm: named,
    styleArgumentTerm: (name) => values[name] ?? name,
    optionDescription: (option) => described(option, option.required || option.optional),
    argumentDescription: (argument) => described(argument, true),
    subcommandDescription: (command) =>
      command.name() === 'help' ? inHelp.helpOfOne : command.description(),
  };
}
