import type { Format } from '../format.ts';
import { auditHelp, auditTexts } from './cli/audit.ts';
import { commonTexts } from './cli/common.ts';
import { documentsHelp, documentsTexts } from './cli/documents.ts';
import { ledgerHelp, ledgerTexts } from './cli/ledger.ts';
import { machineHelp, machineTexts } from './cli/machine.ts';
import { watchingHelp, watchingTexts } from './cli/watching.ts';

/** What commands print, and their help; errors, problems and findings are in `en.ts`. */
export default function english(format: Format) {
  return {
    format,
    ...commonTexts(format),
    ...watchingTexts(format),
    ...documentsTexts(format),
    ...auditTexts(format),
    ...ledgerTexts(format),
    ...machineTexts(),
    help: { ...watchingHelp, ...documentsHelp, ...auditHelp, ...ledgerHelp, ...machineHelp },
  };
}

export type CliTexts = ReturnType<typeof english>;
