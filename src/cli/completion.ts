import { Argument } from 'commander';
import type { Command } from './command.ts';
import { SCRIPTS } from './completion/scripts.ts';
import type { Io } from './io.ts';

const MORE = `To enable it in every new shell:
  bash        mkdir -p ~/.local/share/bash-completion/completions
              receiptd completion bash > ~/.local/share/bash-completion/completions/receiptd
              (or put eval "$(receiptd completion bash)" into ~/.bashrc)
  zsh         put source <(receiptd completion zsh) into ~/.zshrc, after compinit
  fish        mkdir -p ~/.config/fish/completions
              receiptd completion fish > ~/.config/fish/completions/receiptd.fish
  powershell  put receiptd completion powershell | Out-String | Invoke-Expression into $PROFILE`;

export function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SCRIPTS)))
    .description(
      'print a shell script that completes commands, options, endpoints and documents with the Tab key',
    )
    .explain({ examples: ['completion bash', 'completion fish'], more: MORE })
    .action((shell: keyof typeof SCRIPTS) => void io.stdout.write(SCRIPTS[shell]));
}
