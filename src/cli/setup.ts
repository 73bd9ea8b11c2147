import { Option, type Command } from 'commander';
import type { ExitStatus } from './exitStatus.ts';
import { helpOf } from './help.ts';
import type { Io } from './io.ts';
import { ANSWERS, SECRET_VARIABLE, variableOf, type AnswerName } from './setup/answers.ts';
import type { SetupOptions } from './setup/given.ts';

export function addSetup(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const command = program
    .command('setup')
    .description('set everything up by answering some questions, or unattended; can be run again')
    .option(
      '--config <file>',
      "config file; by default the existing one, otherwise yours, or the machine's for root",
    )
    .option('-y, --yes', 'ask nothing; use the configured or default value for what is not given')
    .option('--non-interactive', 'the same')
    .option('--browser', 'ask the questions on a page in a browser, then start the agent')
    .option('--no-open', 'with --browser: only print the link')
    .option('--no-verify', 'do not try the credentials at the service')
    .option('--json', 'print what was done as JSON');
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const value = 'value' in answer ? ` ${answer.value}` : '';
    const about = `${answer.about} [${variableOf(name as AnswerName)}]`;
    const option = new Option(`${answer.flag}${value}`, about);
    // Judged with the answers that come as variables.
    if ('choices' in answer) option.choices(answer.choices).argParser(String);
    command.addOption(option);
  }
  command
    .addHelpText(
      'after',
      helpOf({
        more: `Every answer can be given as an option or as the variable in brackets. The secret is never an argument: setup asks for it
without showing it, or reads it from $${SECRET_VARIABLE} or a file. Run again, it changes only what
differs, and says so.`,
        examples: [
          'setup',
          'setup --sandbox',
          'setup --browser',
          'setup --yes --base-url https://service.example --client-id abc --client-secret-file secret.txt --create-endpoint Office --folder /srv/scans --existing skip --service system',
        ],
        statuses: '5 the service could not be reached; 130 ended by a person',
      }),
    )
    .action(async (options: SetupOptions) => {
      const { runSetup } = await import('./setup/run.ts');
      done(await runSetup(io, options));
    });
}
