import type { CliTexts } from '../en/cli.ts';
import type { Format } from '../format.ts';
import { auditHelp, auditTexts } from './cli/audit.ts';
import { commonTexts } from './cli/common.ts';
import { documentsHelp, documentsTexts } from './cli/documents.ts';
import { watchingHelp, watchingTexts } from './cli/watching.ts';

export default function german(format: Format): CliTexts {
  return {
    format,
    ...commonTexts(format),
    ...watchingTexts(format),
    ...documentsTexts(format),
    ...auditTexts(format),
    help: { ...watchingHelp, ...documentsHelp, ...auditHelp },
  };
}
