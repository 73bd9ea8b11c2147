import type { Command } from 'commander';
import { composeService } from '../compose/service.ts';
import { helpOf } from './help.ts';
import { print, printJson, type Io } from './io.ts';
import { configOf, openLog, type ConfigOption } from './session.ts';
import { printable } from './printable.ts';

export function addWhoami(program: Command, io: Io): void {
  program
    .command('whoami')
    .description('ask the service whom the credentials belong to')
    .option('--config <file>', 'config file')
    .option('--json', 'as JSON: { company, message, store }')
    .addHelpText('after', helpOf({ examples: ['whoami'], statuses: '5 the service could not be reached' }))
    .action(async (options: ConfigOption & { json?: boolean }) => {
      const config = await configOf(io, options);
      const { log, secrets } = await openLog(io, config, { toFile: false, level: 'warn' });
      const { service, credentials } = await composeService(config, { env: io.env, log, secrets });
      try {
        const { store } = await credentials.get(io.stop);
        const answer = await service.whoami(io.stop);
        if (options.json) printJson(io, { ...answer, store });
        else print(io, printable(`${answer.company}: ${answer.message} (credentials from: ${store})`));
      } finally {
        await service.close();
        await log.close();
      }
    });
}
