import { hostname } from 'node:os';
import type { Config } from '../config/config.ts';
import { Agent } from '../daemon/agent.ts';
import type { StatusResponse } from '../daemon/control/protocol.ts';
import type { Operations } from '../daemon/operations.ts';
import { systemClock } from '../daemon/systemClock.ts';
import { upkeep } from '../daemon/upkeep.ts';
import { endpointId } from '../domain/document.ts';
import { MEDIA_TYPES } from '../domain/imageType.ts';
import { createImageInspector } from '../image/inspect.ts';
import { createFolderHints } from '../intake/folder/hints.ts';
import { ByteBudget } from '../pipeline/byteBudget.ts';
import { Dispatcher } from '../pipeline/dispatch.ts';
import { inItsPlace } from '../pipeline/folderPlace.ts';
import { Hand } from '../pipeline/hand.ts';
import { Holds } from '../pipeline/holds.ts';
import { OpenIncidents } from '../pipeline/incidents.ts';
import { Intake } from '../pipeline/intake.ts';
import { Keeper } from '../pipeline/keep.ts';
import type { OpenFolder } from '../pipeline/originals.ts';
import { Pacer } from '../pipeline/pacer.ts';
import { Recorder } from '../pipeline/record.ts';
import { recover } from '../pipeline/recover.ts';
import { runSpoolSweep } from '../pipeline/spoolSweep.ts';
import { WatchLimit } from '../pipeline/watchLimit.ts';
import type { Incidents } from '../ports/incident.ts';
import type { Ledger, LedgerStorage } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import { composeFolders } from './folders.ts';
import { openConfiguredSpool, openLedger } from './ledger.ts';
import { operationsOf } from './operations.ts';
import { changesOf, composeService, type Surroundings } from './service.ts';

/** Images in hand between admission and upload, images being read, and images being sent. Bytes. */
const HAND_BYTES = 16 * 1024 * 1024;
const HAND_IMAGES = 128;
const READING_BYTES = 32 * 1024 * 1024;
const SENDING_BYTES = 32 * 1024 * 1024;

export interface Composed {
  readonly agent: Agent;
  readonly operations: Operations;
  readonly ledger: Ledger;
  readonly status: () => Omit<StatusResponse, 'pid' | 'startedAt' | 'version'>;
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
  const random = Math.random;
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
    const credentialsChanged = changesOf(credentials);
    const holds = new Holds({ ledger, clock, random, log, credentialsChanged });
    await recover({ ledger, holds, clock, log });
    const endpoints = usedEndpoints(config);
    const overall = config.delivery.limits;
    const pacer = await Pacer.create({ clock, ledger, overall, endpoints });
    // Two, so that uploads which hang keep no scan from being named and recorded (promise P4).
    const reading = new ByteBudget(READING_BYTES);
    const sending = new ByteBudget(SENDING_BYTES);
    const folders = composeFolders(config);
    // Those who look for a document's bytes must not take an unmounted share for an empty one.
    const open: OpenFolder = (path) => inItsPlace(folders(path), ledger);
    const keeper = new Keeper({
      mode: config.spool,
      spool,
      ledger,
      incidents,
      clock,
      log,
      keepFailedMs: config.storage.keepFailedMs,
      hand: new Hand(HAND_BYTES, HAND_IMAGES),
      canSend: ({ endpoint, folder }) => dispatcher.canSend(endpoint, folder),
    });
    const hints = createFolderHints({
      exclude: [config.stateDir, ...config.folders.map(({ archiveTo }) => archiveTo)],
    });
    const inspector = createImageInspector();
    const intakeOf = (path: string) => intakes.find((intake) => intake.status.path === path);

    const { parkAfter } = config.delivery;
    const onAccepted = ({ folder }: { folder: string }) => intakeOf(folder)?.disposeSoon();
    const recorder = new Recorder({ ledger, holds, pacer, clock, random, log, parkAfter, onAccepted });
    const { uploadContentType } = config.service;
    const dispatcher: Dispatcher = new Dispatcher({
      ledger,
      endpoints,
      hours: config.delivery.hours,
      concurrency: overall.concurrency,
      pacer,
      holds,
      clock,
      log,
      deliver: {
        ledger,
        service,
        tokens,
        keeper,
        spool,
        memory: sending,
        open,
        recorder,
        clock,
        contentType: (type) => (uploadContentType === 'auto' ? MEDIA_TYPES[type] : uploadContentType),
        onMissing: (folder) => intakeOf(folder)?.relistSoon(),
      },
    });
    const watchLimit = new WatchLimit(incidents);
    const intakes: Intake[] = config.folders.map(
      (folder) =>
        new Intake({
          folder: folders(folder.path),
          settings: once ? atRest(folder) : folder,
          ledger,
          inspector,
          clock,
          log,
          host: hostname(),
          keeper,
          memory: reading,
          hints,
          incidents,
          watchLimit,
          reconcileEveryMs: config.intake.reconcileEveryMs,
          pollEveryMs: config.intake.pollEveryMs,
          confirmAbove: config.intake.confirmAbove,
          onAdmitted: ({ kind }) => {
            if (kind === 'queued' || kind === 'requeued') dispatcher.wake();
            else intakeOf(folder.path)?.disposeSoon();
          },
        }),
    );
    await warnOfOrphans(config, ledger, log);
    const agent = new Agent({
      ledger,
      intakes,
      dispatcher,
      endpoints,
      clock,
      log,
      graceMs: config.delivery.graceMs,
      background: [
        (signal) =>
          runSpoolSweep(
            {
              keeper,
              spool,
              ledger,
              open,
              memory: reading,
              clock,
              log,
              keepFailedMs: config.storage.keepFailedMs,
            },
            signal,
          ),
        (signal) =>
          upkeep(
            {
              ledger,
              incidents,
              clock,
              log,
              backupEveryMs: config.storage.backupEveryMs,
              backups: config.storage.backups,
            },
            signal,
          ),
      ],
    });
    const changed = (): Promise<void> => dispatcher.forgetClaims();
    const takeOver = async (folder: string): Promise<void> => intakeOf(folder)?.takeOver();
    watchStorage(ledger.storage, incidents);
    return {
      agent,
      ledger,
      operations: operationsOf(config, { ledger, spool, holds, open, changed, takeOver }),
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

/** Nobody waits for a scanner in a run that ends by itself: what lies still and is incomplete is reported as such. */
function atRest<T extends Config['folders'][number]>(folder: T): T {
  const { shortMs, longMs, patienceMs } = folder.settle;
  return { ...folder, settle: { shortMs, longMs, patienceMs: Math.min(longMs, patienceMs) } };
}

/** One incident for as long as the ledger can't be written. */
function watchStorage(storage: LedgerStorage, incidents: Incidents): void {
  storage.onChange(() => {
    const trouble = storage.trouble();
    if (trouble) incidents.open({ key: 'storage', ...trouble });
    else incidents.close('storage');
  });
}

/** Two aliases of one endpoint are one endpoint with one set of limits; the configuration sees to that. */
function usedEndpoints(config: Config): Config['endpoints'] {
  const byId = new Map(config.endpoints.map((endpoint) => [endpointId(endpoint.key), endpoint]));
  return [...byId.values()];
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
