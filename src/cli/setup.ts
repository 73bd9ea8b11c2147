import { Option } from 'commander';
import type { Command } from './command.ts';
import type { ExitStatus } from './exitStatus.ts';
import type { Io } from './io.ts';
import { ANSWERS, SECRET_VARIABLE, variableOf, type AnswerName } from './setup/answers.ts';
import type { SetupOptions } from './setup/given.ts';

export function addSetup(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const { setup: help, answers } = io.texts.help;
  const command = program
    .command('setup')
    .description(help.about)
    .option('--config <file>', help.config)
    .option('-y, --yes', help.yes)
    .option('--non-interactive', help.nonInteractive)
    .option('--browser', help.browser)
    .option('--no-open', help.noOpen)
    .option('--no-verify', help.noVerify)
    .option('--json', help.json);
  for (const [key, answer] of Object.entries(ANSWERS)) {
    const name = key as AnswerName;
    const value = 'value' in answer ? ` ${answer.value}` : '';
    const about = `${answers[name]} [${variableOf(name)}]`;
    const option = new Option(`${answer.flag}${value}`, about);
    // Validated later, together with answers from environment variables.
    if ('choices' in answer) option.choices(answer.choices).argParser(String);
    command.addOption(option);
  }
  command
    .explain({
      more: help.more(SECRET_VARIABLE),
      examples: [
        'setup',
        'setup --sandbox',
        'setup --browser',
        'setup --yes --base-url https://service.example --client-id abc --client-secret-file secret.txt --create-endpoint Office --folder /srv/scans --existing skip --service system',
      ],
      statuses: help.statuses,
    })
    .action(async (options: SetupOptions) => {
      const { runSetup } = await import('./setup/run.ts');
      done(await runSetup(io, options));
    });
}
