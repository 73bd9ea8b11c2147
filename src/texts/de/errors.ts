import type { Format } from '../format.ts';
import type { ErrorTexts } from '../errors.ts';
import { configErrors } from './errors/config.ts';
import { filesErrors } from './errors/files.ts';
import { ledgerErrors } from './errors/ledger.ts';
import { credentialsErrors } from './errors/credentials.ts';
import { serviceErrors } from './errors/service.ts';
import { commandsErrors } from './errors/commands.ts';
import { osServiceErrors } from './errors/osService.ts';

export function errorsTexts(format: Format): ErrorTexts {
  return {
    ...configErrors(format),
    ...filesErrors(format),
    ...ledgerErrors(format),
    ...credentialsErrors(),
    ...serviceErrors(format),
    ...commandsErrors(format),
    ...osServiceErrors(),
  };
}
