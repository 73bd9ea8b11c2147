import type { Command } from './command.ts';
import { credentialsConfig } from '../wiring/service.ts';
import { print, printJson, type Io } from './io.ts';
import { withService } from './serviceClient.ts';
import { configOf, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

export function addWhoami(program: Command, io: Io): void {
  program
    .command('whoami')
    .description('ask the service who the credentials belong to')
    .option('--config <file>', 'config file')
    .option('--account <name>', 'account in the config; the default account if omitted')
    .option('--json', 'as JSON: { company, message, store, account }')
    .explain({
      examples: ['whoami', 'whoami --account branch'],
      statuses: '5 the service could not be reached',
    })
    .action(async (options: JsonOption & { account?: string }) => {
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
