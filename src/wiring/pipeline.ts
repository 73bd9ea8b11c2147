import { OfflineFolder } from '../intake/offline/offlineFolder.ts';
import { OfflineMode } from '../intake/offline/offlineMode.ts';
import type { SeenSince } from '../intake/offline/seenSince.ts';
import type { FolderTimes } from '../intake/presence/folderState.ts';
import { Agent } from '../daemon/agent.ts';
import { MEDIA_TYPES } from '../core/domain/imageType.ts';
import { watchForSuspend } from '../daemon/suspendDetector.ts';
import { ByteBudget } from '../delivery/payload/byteBudget.ts';
import { Dispatcher } from '../delivery/queue/dispatcher.ts';
import { inItsPlace } from '../intake/presence/mountIdentity.ts';
import { PayloadCache } from '../delivery/payload/payloadCache.ts';
import { Holds } from '../delivery/holds/holds.ts';
import type { ImageBuffers } from '../delivery/payload/imageBuffers.ts';
import { Intake } from '../intake/intake.ts';
import { Intakes } from '../intake/intakes.ts';
import { PageIntake } from '../intake/pages/pageIntake.ts';
import { pageReader, readingPages } from '../intake/pages/pageReading.ts';
import { FleetTurns } from '../fleet/fleetTurns.ts';
import { SendGate } from '../delivery/queue/sendGate.ts';
import { ALONE } from '../delivery/sharedTurns.ts';
import { PayloadStore } from '../delivery/payload/payloadStore.ts';
import type { OpenFolder } from '../delivery/payload/locateBytes.ts';
import { Pacer } from '../delivery/limits/pacer.ts';
import { Recorder } from '../delivery/record.ts';
import { recover } from '../delivery/recover.ts';
import { SingleFiles } from '../intake/singleFiles.ts';
import { runSpoolSweep, trySweeping } from '../delivery/payload/spoolSweep.ts';
import { WatchLimit } from '../intake/watch/watchLimit.ts';
import type { Config } from '../config/config.ts';
import { composeFleet } from './fleet.ts';
import type { Clock, Random } from '../core/ports/clock.ts';
import type { FolderClaims, FolderHints } from '../core/ports/folder.ts';
import type { ImageInspector } from '../core/ports/image.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Ledger, LedgerStorage } from '../core/ports/ledger.ts';
import type { Admitted } from '../core/ports/ledgerIntake.ts';
import type { Log } from '../core/ports/log.ts';
import type { PageSplitter } from '../core/ports/pages.ts';
import type { ReceiptService, TokenSource } from '../core/ports/service.ts';
import type { Spool } from '../core/ports/spool.ts';
import type { DeferredJournal } from '../core/ports/deferredJournal.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import { accountsAmong } from '../core/domain/account.ts';
import { endpointId, type Document, type EndpointKey } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';

/** Images in hand between admission and upload, images being read, and images being sent. Bytes. */
const HAND_BYTES = 16 * 1024 * 1024;
const HAND_IMAGES = 128;
const READING_BYTES = 32 * 1024 * 1024;
const SENDING_BYTES = 32 * 1024 * 1024;

export type PipelineConfig = Pick<Config, 'endpoints' | 'folders' | 'spool'> & {
  /** Trials have few files. */
  readonly intake: Config['intake'] & { readonly comparedApartMs?: number };
  readonly service: Pick<Config['service'], 'uploadContentType'>;
  readonly delivery: Omit<Config['delivery'], 'bandwidth'>;
  readonly storage: Pick<Config['storage'], 'keepFailedMs'>;
};

/** All that the pipeline has of the world. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly incidents: Incidents;
  readonly ledger: Ledger;
  readonly spool: Spool;
  /** Takes what is deferred while a shared ledger is away; not there, or null: nothing is deferred then. */
  readonly deferred?: DeferredJournal | null;
  /** Of this process, made before `ledger` was opened. */
  readonly seenSince: SeenSince;
  /** Of this process; not there: of this pipeline alone. */
  readonly folderTimes?: FolderTimes;
  readonly service: ReceiptService;
  /** Those of the account that an endpoint is used with. */
  readonly tokens: (endpoint: EndpointKey) => TokenSource;
  readonly credentialsChanged: (account: string | null) => Promise<boolean>;
  readonly folders: OpenFolder;
  /** What `folders` read files into. */
  readonly buffers: ImageBuffers;
  readonly hints: FolderHints;
  /** Not there: no other agent can be on this machine. */
  readonly claims?: FolderClaims;
  readonly inspector: ImageInspector;
  /** For `{host}` in names. */
  readonly host: string;
  /** What runs beside intake and delivery, until the agent stops. */
  readonly background: readonly ((signal: AbortSignal) => Promise<void>)[];
  /** Milliseconds that the machine has been asleep since it was started; not there, or null: the system does not tell. */
  readonly asleepMs?: () => number | null;
  /** How long ago the machine was started; milliseconds. */
  readonly upForMs?: () => number;
  /** Told after each acceptance is recorded. */
  readonly onAccepted?: (document: Document) => void;
  /** What a run that has nothing beside it does at its end. */
  readonly tidy?: (signal: AbortSignal) => Promise<void>;
  /** What takes files apart; not there, or null: it is not installed. */
  readonly splitter?: PageSplitter | null;
  /** A file of this watched folder can't be sent as it is. */
  readonly onAmiss?: (folder: string, path: string) => void;
}

export interface Pipeline {
  readonly agent: Agent;
  readonly dispatcher: Dispatcher;
  readonly pacer: Pacer;
  readonly holds: Holds;
  readonly payloads: PayloadStore;
  /** What slows sending down and is no trouble, in plain sentences. */
  readonly notes: () => string[];
  /** One for each folder of the configuration, in its order. */
  readonly intakes: readonly Intake[];
  /** Opens a folder as those see it who look for a document's bytes. */
  readonly open: OpenFolder;
  readonly intakeOf: (path: string) => Intake | undefined;
  /** Takes in what lies in no watched folder. */
  readonly singleFiles: SingleFiles;
  /** After the agent has stopped: what is in hand is kept, and nothing listens any more. */
  readonly close: () => Promise<void>;
}

/**
 * Puts right what a crash left open, and wires the stages in the order in which an image passes them backwards: what may leave,
 * bytes that wait, delivery, then intake. Nothing runs yet when it resolves.
 */
export async function composePipeline(
  config: PipelineConfig,
  world: World,
  { once }: { once: boolean },
): Promise<Pipeline> {
  const { clock, random, log, incidents, ledger, spool, deferred, seenSince } = world;
  seenSince.watch(config.folders);
  for (const path of world.folderTimes?.keys() ?? [])
    if (!config.folders.some((folder) => folder.path === path)) world.folderTimes?.delete(path);
  if (ledger.storage.trouble()?.code === 'LEDGER_UNREACHABLE') seenSince.allHeldUp();

  // What may leave, and when.
  const endpoints = usedEndpoints(config);
  const { credentialsChanged } = world;
  const accountOf = accountsAmong(config.endpoints);
  const holds = new Holds({ ledger, clock, random, log, accountOf, credentialsChanged });
  const overall = config.delivery.limits;
  const pacing = { clock, ledger, overall, endpoints };
  const pacer = await Pacer.create({ ...pacing, ledger: null });
  const { fleet } = ledger;
  const turns = fleet === null ? ALONE : new FleetTurns({ fleet, clock, random });
  const { hours } = config.delivery;
  const gate = new SendGate({ storage: ledger.storage, holds, pacer, turns, clock, hours });
  const prepare = async (): Promise<void> => {
    await recover({ ledger, holds, clock, log });
    await pacer.seed(pacing);
  };
  const isPrepared = await unlessOffline(prepare, { mayWait: Boolean(deferred) && !once });

  // Bytes that wait. Two budgets, so that uploads which hang keep no scan from being named and recorded (promise P4).
  const reading = new ByteBudget(READING_BYTES);
  const sending = new ByteBudget(SENDING_BYTES);
  // Those who look for a document's bytes must not take an unmounted share for an empty one.
  const { splitter = null } = world;
  const readPage = pageReader(splitter, world.inspector, config.folders);
  const open: OpenFolder = (path) => readingPages(inItsPlace(world.folders(path), ledger), readPage);
  const { keepFailedMs } = config.storage;
  const payloads = new PayloadStore({
    mode: config.spool,
    spool,
    ledger,
    incidents,
    clock,
    log,
    keepFailedMs,
    buffers: world.buffers,
    hand: new PayloadCache(HAND_BYTES, HAND_IMAGES),
    canSend: (waiting) => gate.sendsSoon(waiting),
  });

  // Delivery.
  const intakes = new Intakes();
  const recorder = new Recorder({
    ledger,
    holds,
    pacer,
    clock,
    random,
    log,
    parkAfter: config.delivery.parkAfter,
    onAccepted: (document) => {
      intakes.disposeSoon(document);
      world.onAccepted?.(document);
    },
    onFailed: ({ folder, path }) => world.onAmiss?.(folder, path),
  });
  const { uploadContentType } = config.service;
  const dispatcher = new Dispatcher({
    ledger,
    endpoints,
    concurrency: overall.concurrency,
    pacer,
    holds,
    gate,
    turns,
    clock,
    log,
    deliver: {
      ledger,
      service: world.service,
      tokens: world.tokens,
      payloads,
      spool,
      memory: sending,
      open,
      recorder,
      clock,
      contentType: (type) => (uploadContentType === 'auto' ? MEDIA_TYPES[type] : uploadContentType),
      lookedThrough: (folder, since) => intakes.lookedThrough(folder, since),
    },
  });

  // Intake: of files that a person sends, of what was deferred, of each watched folder.
  const onAdmitted = (folder: string, { kind }: Admitted): void => {
    if (kind === 'queued' || kind === 'requeued') dispatcher.wake();
    else intakes.disposeSoon({ folder });
  };
  const { inspector, host } = world;
  const folders: readonly FolderSettings[] = config.folders.map((folder) =>
    splitter === null && folder.pages === 'split' ? { ...folder, pages: 'missing' } : folder,
  );
  const pages =
    splitter === null
      ? null
      : new PageIntake({
          ledger,
          payloads,
          spool,
          open,
          splitter,
          inspector,
          folders,
          clock,
          log,
          host,
          onAdmitted,
          // Another agent of the fleet leads it, and does it.
          isOurs: (folder) => intakes.of(folder)?.status.state !== 'standby',
        });
  const admission = { ledger, payloads, inspector, incidents, clock, log, host };
  const singleFiles = new SingleFiles({ ...admission, open, memory: reading, onAdmitted });
  const lookAtMount = async (path: string) => intakes.of(path)?.lookAtMount() ?? null;
  const offline = deferred
    ? new OfflineMode(
        {
          ...admission,
          deferred,
          folders: config.folders,
          seenSince,
          prepare,
          onAdmitted,
          onFile: () => pages?.wake(),
          lookAtMount,
        },
        { isPrepared },
      )
    : null;
  const watchLimit = new WatchLimit(incidents);
  for (const folder of folders)
    intakes.add(
      new Intake({
        ...admission,
        ...config.intake,
        folder: world.folders(folder.path),
        settings: once ? atRest(folder) : folder,
        pages: pages ?? undefined,
        memory: reading,
        hints: world.hints,
        claims: world.claims,
        folderTimes: world.folderTimes,
        watchLimit,
        upForMs: world.upForMs,
        onAmiss: (path) => world.onAmiss?.(folder.path, path),
        ledgerAway: offline
          ? (own) => new OfflineFolder({ ...own, ...config.intake, offline, clock, log })
          : undefined,
        onAdmitted: (admitted) => onAdmitted(folder.path, admitted),
      }),
    );

  // What runs beside them.
  const member = composeFleet(ledger, { folders: config.folders, dispatcher, holds, clock, log });
  const sweep = { payloads, spool, ledger, open, memory: reading, clock, log, keepFailedMs };
  const onWoke = (): void => {
    world.service.dropIdle?.();
    holds.woke();
    dispatcher.wake();
    for (const intake of intakes.all) intake.woke();
  };
  const asleepMs = world.asleepMs ?? (() => null);
  const agent = new Agent({
    ledger,
    intakes: intakes.all,
    dispatcher,
    endpoints,
    clock,
    log,
    graceMs: config.delivery.graceMs,
    prepared: offline?.prepared,
    before: (signal) => offline?.once(signal) ?? Promise.resolve(),
    afterIntake: async (signal) => pages?.drain(signal),
    leads: member?.leads ?? null,
    background: [
      ...(offline ? [(signal: AbortSignal) => offline.run(signal)] : []),
      ...(member ? [(signal: AbortSignal) => member.watch.run(signal)] : []),
      ...(pages ? [(signal: AbortSignal) => pages.run(signal)] : []),
      (signal) => runSpoolSweep(sweep, signal),
      (signal) => watchForSuspend({ clock, log, asleepMs, onWoke }, signal),
      ...world.background,
    ],
    tidy: async (signal) => {
      await trySweeping(sweep, signal);
      await world.tidy?.(signal);
    },
  });
  const endWatching = watchStorage(ledger.storage, incidents);
  dispatcher.onIdle(() => world.buffers.clear());
  return {
    agent,
    dispatcher,
    pacer,
    holds,
    payloads,
    notes: () => [...(member?.watch.notes() ?? []), ...gate.notes(), ...(offline?.notes() ?? [])],
    intakes: intakes.all,
    open,
    intakeOf: (path) => intakes.of(path),
    singleFiles,
    close: () => {
      endWatching();
      return payloads.close();
    },
  };
}

/** Nobody waits for a scanner in a run that ends by itself: what lies still and is incomplete is reported as such. */
function atRest<T extends FolderSettings>(folder: T): T {
  const { shortMs, longMs, patienceMs } = folder.settle;
  return { ...folder, settle: { shortMs, longMs, patienceMs: Math.min(longMs, patienceMs) } };
}

/** False where the ledger is away, and its coming back is waited for. */
async function unlessOffline(
  prepare: () => Promise<void>,
  { mayWait }: { mayWait: boolean },
): Promise<boolean> {
  try {
    await prepare();
    return true;
  } catch (error) {
    if (mayWait && error instanceof ReceiptdError && error.code === 'LEDGER_UNREACHABLE') return false;
    throw error;
  }
}

/** One incident for as long as the ledger can't be written. */
function watchStorage(storage: LedgerStorage, incidents: Incidents): () => void {
  const look = (): void => {
    const trouble = storage.trouble();
    if (trouble === null) return incidents.close('storage');
    const { code, message, hint } = trouble;
    incidents.open({ key: 'storage', code, message, hint });
  };
  look();
  return storage.onChange(look);
}

/** Two aliases of one endpoint are one endpoint with one set of limits; the configuration sees to that. */
function usedEndpoints({ endpoints }: Pick<Config, 'endpoints'>): Config['endpoints'] {
  const byId = new Map(endpoints.map((endpoint) => [endpointId(endpoint.key), endpoint]));
  return [...byId.values()];
}
