import type { Config } from '../config/config.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { formerOriginals } from '../intake/dispose/originalsRule.ts';
import type { Finding } from '../core/domain/finding.ts';
import { withReports } from '../ledger/configured/reports.ts';

/** What `afterUpload` means for files that were accepted before it was set. */
export async function checkOriginals(config: Config): Promise<Finding[]> {
  const folders = config.folders.filter(({ afterUpload }) => afterUpload !== 'keep');
  if (folders.length === 0) return [];
  try {
    return await withReports(config, async (reports) => {
      const found = await Promise.all(folders.map((folder) => formerOriginals(reports, folder)));
      return found
        .filter((each) => each !== null)
        .map(({ folder: subject, files, afterUpload, stay }) => ({
          level: stay ? 'ok' : 'warn',
          subject,
          fact: { is: 'originals', files, afterUpload, stay },
        }));
    });
  } catch (error) {
    // Without a ledger there are none; any other problem with it is reported by its own check.
    if (error instanceof ReceiptdError) return [];
    throw error;
  }
}
