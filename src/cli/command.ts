import { Command as Parsed } from 'commander';
import { helpOf } from './help.ts';

/** A command of receiptd, whose help ends with examples and exit statuses. */
export class Command extends Parsed {
  override createCommand(name?: string): Command {
    return new Command(name);
  }

  /** Text below the options. */
  explain(help: Parameters<typeof helpOf>[0]): this {
    return this.addHelpText('after', helpOf(help));
  }
}
