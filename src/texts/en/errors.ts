import type { Format } from '../format.ts';

import { configErrors } from './errors/config.ts';
import { filesErrors } from './errors/files.ts';
import { ledgerErrors } from './errors/ledger.ts';
import { credentialsErrors } from './errors/credentials.ts';
import { serviceErrors } from './errors/service.ts';
import { commandsErrors } from './errors/commands.ts';
import { osServiceErrors } from './errors/osService.ts';

/** The errors of receiptd in English: by code, and by reason where a code has several. Logs are in English, so each error has these words. */
export function errorsTexts(format: Format) {
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
