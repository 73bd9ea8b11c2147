import { choiceOf, type Command } from './command.ts';
import { SCRIPTS } from './completion/scripts.ts';
import type { Io } from './io.ts';

const MORE = `To enable it in every new shell, add a line (for zsh, after compinit) to:
  ~/.bashrc    eval "$(receiptd completion bash)"
  ~/.zshrc     source <(receiptd completion zsh)
  config.fish  receiptd completion fish | source
  $PROFILE     receiptd completion powershell | Out-String | Invoke-Expression`;

export function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .addArgument(choiceOf('<shell>', 'which shell', Object.keys(SCRIPTS)))
    .description(
      'print a shell script that completes commands, options, endpoints and documents with the Tab key',
    )
    .explain({ examples: ['completion bash', 'completion fish'], more: MORE })
    .action((shell: keyof typeof SCRIPTS) => void io.stdout.write(SCRIPTS[shell]));
}
