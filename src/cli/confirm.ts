import { composeFolders } from '../wiring/folders.ts';
import type { Config } from '../config/config.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { canAsk, demandYes } from './ask.ts';
import type { Io } from './io.ts';
import { openReportsIfThere } from './session.ts';

/**
 * Asks a person at the terminal before many files that are already in a folder are sent, since uploads use up the plan's
 * quota. Without a terminal, nobody can answer; the agent then only logs a warning.
 * @throws ReceiptdError CONFIRMATION_NEEDED unless the answer is yes
 */
export async function confirmFirstWatch(io: Io, config: Config, yes: boolean): Promise<void> {
  if (yes || !canAsk(io)) return;
  for (const folder of config.folders) {
    if (folder.existing.kind !== 'send' || (await isKnown(config, folder.path))) continue;
    const count = await countFiles(config, folder.path);
    if (count <= config.intake.confirmAbove) continue;
    await demandYes(
      io,
      io.texts.run.manyFiles(folder.path, count),
      new ReceiptdError('CONFIRMATION_NEEDED.nothingSent', { folder: folder.path }),
    );
  }
}

async function isKnown(config: Config, folder: string): Promise<boolean> {
  const reports = await openReportsIfThere(config).catch((error: unknown) => {
    // The agent waits for the ledger; the person who starts it should not have to.
    if (error instanceof ReceiptdError && error.code === 'LEDGER_UNREACHABLE') return 'away' as const;
    throw error;
  });
  if (reports === 'away') return true;
  if (reports === null) return false;
  try {
    return !(await reports.isFirstWatch(folder));
  } finally {
    await reports.close();
  }
}

async function countFiles(config: Config, path: string): Promise<number> {
  let count = 0;
  try {
    for await (const { files } of composeFolders(config)(path).list()) count += files.length;
  } catch {
    // Nothing to ask about a missing folder.
  }
  return count;
}
