import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.ts';
import { InheritedIncidents } from '../daemon/inheritedIncidents.ts';
import { collectWhenIdle, processMemory } from '../daemon/idleGc.ts';
import { nicety } from '../daemon/nicety.ts';
import { SilenceWatch } from '../features/alerts/silence/silenceWatch.ts';
import { SilentAgents } from '../features/alerts/silence/silentAgents.ts';
import { SlowDisk } from '../daemon/slowDisk.ts';
import { systemClock } from '../system/systemClock.ts';
import { upkeep } from '../daemon/upkeep.ts';
import { watchZone } from '../system/zone.ts';
import { createHashing } from '../intake/image/hashing.ts';
import { createImageInspector } from '../intake/image/inspect.ts';
import { accountsAmong, type AccountOf } from '../core/domain/account.ts';
import { RememberedFolders } from '../intake/remembered.ts';
import { ImageBuffers } from '../keeper/imageBuffers.ts';
import { OpenIncidents } from '../daemon/openIncidents.ts';
import { within } from '../core/domain/why.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { ReadBeside } from '../core/ports/folder.ts';
import type { ImageInspector } from '../core/ports/image.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { DeferredJournal } from '../core/ports/deferredJournal.ts';
import type { Meter } from '../core/ports/meter.ts';
import type { PageSplitter } from '../core/ports/pages.ts';
import type { FiledPapers } from '../features/pictures/filedPapers.ts';
import type { Pictures } from '../features/pictures/pictures.ts';
import { meteredLedger } from '../features/metrics/metered.ts';
import { Guards } from './folders.ts';
import type { WriterLink } from '../ledger/thread/link.ts';
import { openLedger, openConfiguredDeferredJournal } from './ledger.ts';
import { LEDGER_THREAD } from './ledgerThreadStart.ts';
import { composePageSplitter } from './pageSplitter.ts';
import { composePapers, composePictures } from './pictures.ts';
import type { RunProgress } from './progress.ts';
import type { LastCredentials, ServiceSurroundings } from './service.ts';

/** What lives as long as the process, across configuration changes. */
export interface ProcessScope extends ServiceSurroundings {
  readonly clock: Clock;
  readonly incidents: OpenIncidents;
  /** Incidents of the running generation, with those inherited from the one before. */
  readonly inherited: InheritedIncidents;
  /** Counted by `metering`. */
  readonly ledger: Ledger;
  /** For a shared ledger, or what a former one left to admit; null for a local ledger. */
  readonly deferred: DeferredJournal | null;
  readonly remembered: RememberedFolders;
  /** The meter, once metrics have been requested. */
  readonly metering: { meter: Meter | null };
  readonly buffers: ImageBuffers;
  readonly guards: Guards;
  readonly readBeside: ReadBeside;
  readonly inspector: ImageInspector;
  /** Null if its dependencies are not installed. */
  readonly splitter: PageSplitter | null;
  readonly pictures: Pictures;
  readonly papers: FiledPapers;
  readonly lastCredentials: LastCredentials;
  /** Follows the configuration in effect. */
  readonly accounts: { of: AccountOf };
  readonly host: string;
  readonly progress?: RunProgress | null;
  readonly silence: SilenceWatch;
  /** Runs upkeep of ledger and memory until aborted. */
  readonly keepUp: (signal: AbortSignal) => Promise<unknown>;
}

export interface ProcessScopeOptions extends ServiceSurroundings {
  readonly version: string;
  readonly progress?: RunProgress | null;
  /** The thread that writes the ledger, or its program. */
  readonly ledgerThread?: string | WriterLink;
}

/** The caller holds the instance lock of the state directory. */
export async function composeProcessScope(
  config: Config,
  { version, ledgerThread = LEDGER_THREAD, ...surroundings }: ProcessScopeOptions,
): Promise<ProcessScope> {
  const { log } = surroundings;
  const clock = systemClock;
  const remembered = new RememberedFolders(clock, config.folders);
  const incidents = new OpenIncidents({ clock, log });
  const metering: ProcessScope['metering'] = { meter: null };
  const accounts: ProcessScope['accounts'] = { of: accountsAmong(config.endpoints) };
  const slowDisk = new SlowDisk(config.stateDir, incidents);
  const opened = await openLedger(config, {
    version,
    log,
    onMended: (story) =>
      incidents.open({ key: `mended ${story}`, code: 'LEDGER_DAMAGED', params: within(story) }),
    onWentBack: (story) =>
      incidents.open({ key: `went back ${story}`, code: 'LEDGER_WENT_BACK', params: within(story) }),
    onSynced: (ms) => slowDisk.synced(ms),
    thread: ledgerThread,
    accountOf: (endpoint) => accounts.of(endpoint),
    // Preloads the slowest module, needed next. Loading it earlier would delay opening the ledger.
    meanwhile: () => void import('../api/receiptService.ts').catch(() => {}),
  });
  const deferred = await openConfiguredDeferredJournal(config, opened.fleet !== null, log).catch(
    async (error: unknown) => {
      await opened.close();
      throw error;
    },
  );
  const ledger = meteredLedger(opened, () => metering.meter, clock);
  const { fleet, storage } = ledger;
  const silent = fleet && new SilentAgents({ fleet, storage, incidents, clock, log });
  const { hash, readBeside, forget } = createHashing(HASH_THREAD);
  const { backupEvery: backupEveryMs } = config.storage;
  // The database administrators back up a shared ledger.
  const backups = fleet === null ? config.storage.backups : 0;
  return {
    ...surroundings,
    clock,
    incidents,
    inherited: new InheritedIncidents(incidents),
    ledger,
    deferred,
    remembered,
    metering,
    buffers: new ImageBuffers(forget),
    guards: new Guards(FOLDER_PROCESS),
    readBeside,
    inspector: createImageInspector(hash),
    splitter: composePageSplitter(),
    pictures: composePictures(config, clock, log),
    papers: composePapers(config, clock, log),
    lastCredentials: new Map(),
    accounts,
    host: hostname(),
    silence: new SilenceWatch({ ledger, clock, log }, config.folders),
    keepUp: (signal) =>
      Promise.all(
        [
          nicety(
            'withoutUpkeep',
            (until) => upkeep({ ledger, incidents, clock, log, backupEveryMs, backups }, until),
            { clock, log },
          ),
          nicety('withoutAgentWatch', async (until) => silent?.run(until), { clock, log }),
          nicety('withoutDiskWatch', (until) => slowDisk.watch(storage, clock, until), {
            clock,
            log,
          }),
          nicety('withoutMemoryRelease', async (until) => collectWhenIdle(processMemory(), clock, until), {
            clock,
            log,
          }),
          nicety('withoutZoneWatch', (until) => watchZone({ clock, log, env: surroundings.env }, until), {
            clock,
            log,
          }),
        ].map((run) => run(signal)),
      ),
  };
}

/** Beside the program's other files. */
const HASH_THREAD = fileURLToPath(new URL('./hashThread.js', import.meta.url));
const FOLDER_PROCESS = fileURLToPath(new URL('./folderProcess.js', import.meta.url));
