import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.ts';
import type { Agent } from '../daemon/agent.ts';
import type { StatusResponse } from '../daemon/control/protocol.ts';
import { giveBackMemory, processMemory } from '../daemon/giveBack.ts';
import type { Operations } from '../daemon/operations.ts';
import { systemClock } from '../daemon/systemClock.ts';
import { upkeep } from '../daemon/upkeep.ts';
import { endpointId, type Document } from '../domain/document.ts';
import { createHashing } from '../image/hashing.ts';
import { createImageInspector } from '../image/inspect.ts';
import { ImageBuffers } from '../pipeline/imageBuffers.ts';
import { inItsPlace } from '../pipeline/folderPlace.ts';
import { OpenIncidents } from '../pipeline/incidents.ts';
import { findBytes, type Found, type OpenFolder } from '../pipeline/originals.ts';
import type { FolderHints } from '../ports/folder.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import type { Console } from '../daemon/console/console.ts';
import type { Offer } from '../daemon/control/respond.ts';
import { composeConsole } from './console.ts';
import { composeFolders } from './folders.ts';
import { openConfiguredSpool, openLedger } from './ledger.ts';
import { operationsOf } from './operations.ts';
import { composePipeline } from './pipeline.ts';
import { changesOf, composeService, type Surroundings } from './service.ts';

export interface Composed {
  readonly agent: Agent;
  readonly operations: Operations;
  readonly ledger: Ledger;
  readonly status: () => Omit<StatusResponse, 'pid' | 'startedAt' | 'version'>;
  /** Nothing listens before it is started, or opened. */
  readonly console: (offer: Offer) => Console;
  /** Wherever they are; what is found has the document's hash. */
  readonly findBytes: (document: Document) => Promise<Found>;
  readonly close: () => Promise<void>;
}

/** The whole agent. The caller holds the instance lock of the state directory. */
export async function composeAgent(
  config: Config,
  { once }: { once: boolean },
  surroundings: Surroundings,
): Promise<Composed> {
  const { log } = surroundings;
  const clock = systemClock;
  const incidents = new OpenIncidents({ clock, log });
  const ledger = await openLedger(config, (story) =>
    incidents.open({
      key: `mended ${story}`,
      code: 'LEDGER_DAMAGED',
      message: story,
      hint: 'Check the disk and what was done to the state directory. This is shown until the next start.',
    }),
  );
  try {
    const spool = await openConfiguredSpool(config, log);
    const { service, tokens, credentials } = await composeService(config, surroundings);
    const { backupEveryMs, backups } = config.storage;
    const keepUp = { ledger, incidents, clock, log, backupEveryMs, backups };
    const buffers = new ImageBuffers();
    const world = {
      clock,
      random: Math.random,
      log,
      incidents,
      ledger,
      spool,
      service,
      tokens,
      credentialsChanged: changesOf(credentials),
      folders: composeFolders(config, buffers),
      buffers,
      hints: once ? NO_HINTS : await hintsOf(config),
      inspector: createImageInspector(createHashing(HASH_THREAD)),
      host: hostname(),
      background: [
        (signal: AbortSignal) => upkeep(keepUp, signal),
        (signal: AbortSignal) => giveBackMemory(processMemory(), clock, signal),
      ],
    };
    const pipeline = await composePipeline(config, world, { once });
    const { agent, dispatcher, holds, keeper, intakes, open, intakeOf } = pipeline;
    await warnOfOrphans(config, ledger, log);
    const changed = (): Promise<void> => dispatcher.forgetClaims();
    // With memory of its own: what is looked at is not what is sent.
    const openToLook = composeFolders(config);
    const look: OpenFolder = (path) => inItsPlace(openToLook(path), ledger);
    const takeOver = async (folder: string): Promise<void> => intakeOf(folder)?.takeOver();
    return {
      agent,
      ledger,
      console: (offer) => composeConsole(config, offer, { incidents, log }),
      operations: operationsOf(config, { ledger, spool, holds, open, changed, takeOver }),
      findBytes: (document) => findBytes(document, { ledger, spool, open: look }),
      status: () => ({
        inFlight: dispatcher.inFlight,
        incidents: incidents.list().map(({ code, message, hint, since }) => ({
          code,
          message,
          hint,
          since: new Date(since).toISOString(),
        })),
        notes: dispatcher.notes(),
        spool: {
          mode: config.spool,
          used: spool.usedBytes,
          limit: spool.limitBytes,
          images: spool.hashes().length,
        },
        folders: intakes.map(({ status }, index) => ({
          ...status,
          state: holds.isPaused('folder', status.path) ? ('paused' as const) : status.state,
          endpoint: config.folders[index]?.alias ?? '',
          since: new Date(status.since).toISOString(),
          lastListing: status.lastListing === null ? null : new Date(status.lastListing).toISOString(),
        })),
      }),
      async close() {
        await keeper.close();
        await service.close();
        await ledger.close();
      },
    };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** Beside the program's other files. */
const HASH_THREAD = fileURLToPath(new URL('./hashThread.js', import.meta.url));

/** A single run lists, and need not load what watches. */
const NO_HINTS: FolderHints = { watch: () => Promise.reject(new Error('a single run watches nothing')) };

async function hintsOf({ stateDir, folders }: Config): Promise<FolderHints> {
  const { createFolderHints } = await import('../intake/folder/hints.ts');
  return createFolderHints({ exclude: [stateDir, ...folders.map(({ archiveTo }) => archiveTo)] });
}

async function warnOfOrphans(config: Config, ledger: Ledger, log: Log): Promise<void> {
  const configured = new Set(config.endpoints.map(({ key }) => endpointId(key)));
  for (const { endpoint, state, count, folder } of await ledger.counts()) {
    if (endpoint && !configured.has(endpointId(endpoint)) && (state === 'queued' || state === 'held')) {
      const fields = { endpoint: endpointId(endpoint), folder, waiting: count };
      log.error('Documents wait for an endpoint that is no longer in the configuration', fields);
    }
  }
}
