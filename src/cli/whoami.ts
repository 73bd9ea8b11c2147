import type { Command } from 'commander';
import { credentialsConfig } from '../wiring/service.ts';
import { helpOf } from './help.ts';
import { print, printJson, type Io } from './io.ts';
import { withService } from './serviceClient.ts';
import { configOf, type ConfigOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

export function addWhoami(program: Command, io: Io): void {
  program
    .command('whoami')
    .description('ask the service who the credentials belong to')
    .option('--config <file>', 'config file')
    .option('--account <name>', 'account in the config; the default account if omitted')
    .option('--json', 'as JSON: { company, message, store, account }')
    .addHelpText(
      'after',
      helpOf({
        examples: ['whoami', 'whoami --account branch'],
        statuses: '5 the service could not be reached',
      }),
    )
    .action(async (options: ConfigOption & { account?: string; json?: boolean }) => {
      const config = await configOf(io, options);
      const account = options.account ?? null;
      credentialsConfig(config, account);
      await withService(io, config, { level: 'warn' }, async ({ service, credentialsOf }) => {
        const { store } = await credentialsOf(account).get(io.stop);
        const answer = await service.whoami(io.stop, account);
        if (options.json) printJson(io, { ...answer, store, account });
        else print(io, escapeUnsafe(`${answer.company}: ${answer.message} (credentials from: ${store})`));
      });
    });
}
