import { Option } from 'commander';
import type { Command } from './command.ts';
import type { ExitStatus } from './exitStatus.ts';
import type { Io } from './io.ts';
import { ANSWERS, SECRET_VARIABLE, variableOf, type AnswerName } from './setup/answers.ts';
import type { SetupOptions } from './setup/given.ts';

export function addSetup(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const command = program
    .command('setup')
    .description('set up everything by answering a few questions, or unattended; safe to run again')
    .option(
      '--config <file>',
      "config file; defaults to the existing one, otherwise to your own, or the machine's if you are root",
    )
    .option('-y, --yes', "don't ask; use configured or default values for anything not given")
    .option('--non-interactive', 'same as --yes')
    .option('--browser', 'ask the questions in the browser, then start the agent')
    .option('--no-open', 'with --browser: print the link only')
    .option('--no-verify', "don't test the credentials with the service")
    .option('--json', 'print the result as JSON');
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const value = 'value' in answer ? ` ${answer.value}` : '';
    const about = `${answer.about} [${variableOf(name as AnswerName)}]`;
    const option = new Option(`${answer.flag}${value}`, about);
    // Validated later, together with answers from environment variables.
    if ('choices' in answer) option.choices(answer.choices).argParser(String);
    command.addOption(option);
  }
  command
    .explain({
      more: `You can give each answer as an option or in the environment variable shown in brackets. The secret is never an argument:
setup prompts for it without showing it, or reads it from $${SECRET_VARIABLE} or a file. If you run setup again, it changes
only what differs, and tells you.`,
      examples: [
        'setup',
        'setup --sandbox',
        'setup --browser',
        'setup --yes --base-url https://service.example --client-id abc --client-secret-file secret.txt --create-endpoint Office --folder /srv/scans --existing skip --service system',
      ],
      statuses: '5 the service could not be reached; 130 canceled',
    })
    .action(async (options: SetupOptions) => {
      const { runSetup } = await import('./setup/run.ts');
      done(await runSetup(io, options));
    });
}
