import type { Config } from '../config/config.ts';
import { OperationHandlers, type OperationDeps } from '../control/operations/operations.ts';
import { systemClock } from '../system/systemClock.ts';
import { ANYTHING } from '../intake/presence/mountIdentity.ts';
import { Holds } from '../flow/holds.ts';
import type { Log } from '../core/ports/log.ts';
import { composeFolders } from './folders.ts';
import { createImageInspector } from '../intake/image/inspect.ts';
import { pageReader, readingPages } from '../intake/pages/pageReading.ts';
import { openConfiguredSpool, openLedger } from './ledger.ts';
import { composePageSplitter } from './pageSplitter.ts';
import { composeKept, composePapers, composeThumbnails } from './pictures.ts';
import { whyText } from '../core/domain/why.ts';

/** Operations on documents and holds while no daemon has the ledger open. */
export async function composeOperations(
  config: Config,
  log: Log,
  version: string,
): Promise<{ operations: OperationHandlers; close: () => Promise<void> }> {
  const ledger = await openLedger(config, {
    version,
    log,
    isCommand: true,
    onMended: (story) => log.error('ledgerRebuilt', { code: 'LEDGER_DAMAGED', detail: whyText(story) }),
    onWentBack: (story) => log.error('ledgerWentBack', { code: 'LEDGER_WENT_BACK', detail: whyText(story) }),
  });
  try {
    // Acts for the stopped agent under its instance lock: requeues what it had in flight, so that others can send it.
    if (ledger.fleet !== null) await ledger.recover(systemClock.now());
    const spool = await openConfiguredSpool(config, log);
    const holds = new Holds({ ledger, clock: systemClock, random: Math.random, log });
    await holds.restore();
    const folders = composeFolders(config);
    const readPage = pageReader(composePageSplitter(), createImageInspector(), config.folders);
    const operations = operationsOf(config, {
      ledger,
      spool,
      holds,
      pictures: composeKept(composeThumbnails(config, systemClock), composePapers(config, systemClock, log)),
      open: (path) => readingPages(folders(path), readPage),
      changed: async () => {},
      takeOver: (folder) => ledger.setFolderMark(folder, ANYTHING, systemClock.now()),
    });
    return { operations, close: () => ledger.close() };
  } catch (error) {
    // An unreachable ledger would otherwise keep reconnecting.
    await ledger.close();
    throw error;
  }
}

export function operationsOf(
  config: Config,
  parts: Pick<OperationDeps, 'ledger' | 'spool' | 'holds' | 'pictures' | 'open' | 'changed' | 'takeOver'>,
): OperationHandlers {
  return new OperationHandlers({
    ...parts,
    baseUrl: config.service.baseUrl,
    endpoints: config.endpoints,
    folders: config.folders.map(({ path }) => path),
    clock: systemClock,
  });
}
