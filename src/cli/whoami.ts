import type { Command } from './command.ts';
import { credentialsConfig } from '../wiring/service.ts';
import { print, printJson, type Io } from './io.ts';
import { withService } from './serviceClient.ts';
import { configOf, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

export function addWhoami(program: Command, io: Io): void {
  const { help, option, status5 } = io.texts;
  program
    .command('whoami')
    .description(help.whoami.about)
    .option('--config <file>', option.config)
    .option('--account <name>', option.account)
    .option('--json', help.whoami.json)
    .explain({
      examples: ['whoami', 'whoami --account branch'],
      statuses: status5,
    })
    .action(async (options: JsonOption & { account?: string }) => {
      const config = await configOf(io, options);
      const account = options.account ?? null;
      credentialsConfig(config, account);
      await withService(io, config, { level: 'warn' }, async ({ service, credentialsOf }) => {
        const { store } = await credentialsOf(account).get(io.stop);
        const answer = await service.whoami(io.stop, account);
        if (options.json) printJson(io, { ...answer, store, account });
        else print(io, escapeUnsafe(io.texts.whoami.answer({ ...answer, store })));
      });
    });
}
