import { choiceOf, type Command } from './command.ts';
import { SCRIPTS, STARTED_BY } from './completion/scripts.ts';
import type { Io } from './io.ts';

export function addCompletion(program: Command, io: Io): void {
  const { completion: help } = io.texts.help;
  program
    .command('completion')
    .addArgument(choiceOf('<shell>', help.shell, Object.keys(SCRIPTS)))
    .description(help.about)
    .explain({
      examples: ['completion bash', 'completion fish'],
      more: [help.more, ...STARTED_BY].join('\n'),
    })
    .action((shell: keyof typeof SCRIPTS) => void io.stdout.write(SCRIPTS[shell]));
}
