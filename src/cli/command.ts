import { Command as Parsed } from 'commander';
import { helpOf } from './help.ts';

/** A command of receiptd, whose help ends with examples and exit statuses. */
export class Command extends Parsed {
  override createCommand(name?: string): Command {
    return new Command(name);
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
        this.error(`error: option '${option.flags}' argument missing`, {
          code: 'commander.optionMissingArgument',
        });
    }
    return super.parseOptions(words);
  }

  /** Text below the options. */
  explain(help: Parameters<typeof helpOf>[0]): this {
    return this.addHelpText('after', helpOf(help));
  }
}
