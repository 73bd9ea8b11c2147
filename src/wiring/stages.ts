import { OfflineMode } from '../intake/offline.ts';
import { factsOf } from '../core/domain/imageType.ts';
import { ByteBudget } from '../keeper/byteBudget.ts';
import { BytesSearch } from '../keeper/locateBytes.ts';
import { inItsPlace } from '../intake/presence/mountIdentity.ts';
import { Holds } from '../flow/holds.ts';
import { Intake } from '../intake/intake.ts';
import type { Intakes } from '../intake/intakes.ts';
import { Looks } from '../intake/looks.ts';
import { PageIntake } from '../intake/pages/pageIntake.ts';
import { pageReader, readingPages } from '../intake/pages/pageReading.ts';
import { Flow } from '../flow/flow.ts';
import { Outcomes } from '../flow/outcomes.ts';
import { SendGate } from '../flow/sendGate.ts';
import { PayloadStore } from '../keeper/payloadStore.ts';
import type { OpenFolder } from '../keeper/locateBytes.ts';
import { Pacer } from '../flow/limits/pacer.ts';
import { SingleFiles } from '../intake/singleFiles.ts';
import { WatchLimit } from '../intake/changes.ts';
import type { Admitted } from '../core/ports/ledgerIntake.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import { accountsAmong } from '../core/domain/account.ts';
import type { PipelineConfig, World } from './world.ts';

/** Memory limits in bytes: images being read or waiting between admission and upload (also limited in number), and being sent. */
const READING_BYTES = 24 * 1024 * 1024;
const READING_IMAGES = 256;
const SENDING_BYTES = 32 * 1024 * 1024;

type UsedEndpoints = PipelineConfig['endpoints'];

/** Decides which documents may be sent, and when. */
interface Sending {
  readonly holds: Holds;
  readonly pacer: Pacer;
  readonly gate: SendGate;
  /** Seeds the pacer with earlier uploads; call once the ledger can be queried. */
  readonly seed: () => Promise<void>;
}

export async function composeSending(
  config: PipelineConfig,
  endpoints: UsedEndpoints,
  { clock, random, log, ledger, credentialsChanged }: World,
): Promise<Sending> {
  const accountOf = accountsAmong(config.endpoints);
  const holds = new Holds({ ledger, clock, random, log, accountOf, credentialsChanged });
  const { delivery: overall } = config;
  const { hours } = overall;
  const pacing = { clock, ledger, overall, endpoints };
  const pacer = await Pacer.create({ ...pacing, ledger: null });
  const { fleet, storage } = ledger;
  const gate = new SendGate({ storage, fleet, holds, pacer, clock, hours });
  return { holds, pacer, gate, seed: () => pacer.seed(pacing) };
}

/** Payloads in memory. Separate budgets, so that hanging uploads never keep a scan from being named and recorded (promise P4). */
interface Bytes {
  readonly reading: ByteBudget;
  readonly sending: ByteBudget;
  readonly payloads: PayloadStore;
  readonly open: OpenFolder;
}

export function composeBytes(
  config: PipelineConfig,
  world: World,
  { gate, intakes }: { gate: SendGate; intakes: Intakes },
): Bytes {
  const { clock, log, incidents, ledger, spool, splitter = null } = world;
  // `inItsPlace`, so that looking for a document's bytes does not mistake an unmounted share for an empty folder.
  const readPage = pageReader(splitter, world.inspector, config.folders);
  const open: OpenFolder = (path) => readingPages(inItsPlace(world.folders(path), ledger), readPage);
  const lookedThrough = (folder: string, since: number) => intakes.lookedThrough(folder, since);
  const memory = new ByteBudget(world.memory?.reading ?? READING_BYTES, READING_IMAGES);
  const { buffers, readBeside } = world;
  const hash = (bytes: Buffer): Promise<string> => world.inspector.sha256(bytes);
  const reading = { buffers, readBeside, hash };
  const payloads = new PayloadStore({
    mode: config.spool,
    spool,
    ledger,
    incidents,
    clock,
    log,
    keepFailedMs: config.storage.keepFailed,
    open,
    search: new BytesSearch({ ledger, spool, open, reading, clock, log, lookedThrough }),
    memory,
    buffers,
    hash,
    canSend: (waiting) => gate.sendsSoon(waiting),
  });
  return {
    reading: memory,
    sending: new ByteBudget(world.memory?.sending ?? SENDING_BYTES),
    payloads,
    open,
  };
}

export function composeFlow(
  config: PipelineConfig,
  endpoints: UsedEndpoints,
  world: World,
  { holds, pacer, gate, payloads, sending, intakes }: Sending & Bytes & { intakes: Intakes },
): Flow {
  const { clock, random, log, ledger, service, tokens } = world;
  const { concurrency, parkAfter } = config.delivery;
  const { uploadContentType } = config.service;
  const outcomes = new Outcomes({
    holds,
    pacer,
    clock,
    random,
    log,
    parkAfter,
    onAccepted: (document) => {
      intakes.disposeSoon(document);
      world.onAccepted?.(document);
    },
    onFailed: ({ folder, path }) => world.onAmiss?.(folder, path),
  });
  return new Flow({
    ledger,
    endpoints,
    concurrency,
    pacer,
    holds,
    gate,
    outcomes,
    service,
    tokens,
    payloads,
    memory: sending,
    contentType: (type) => (uploadContentType === 'auto' ? factsOf(type).mediaType : uploadContentType),
    clock,
    random,
    log,
  });
}

interface Taking {
  /** Null if there is no deferred journal to replace an unreachable ledger. */
  readonly offline: OfflineMode | null;
  /** Null without a page splitter. */
  readonly pages: PageIntake | null;
  readonly singleFiles: SingleFiles;
}

/** Intake of files sent by hand, of deferred images, and of each watched folder; the latter are added to `intakes`. */
export function composeIntake(
  config: PipelineConfig,
  world: World,
  { payloads, reading, open, intakes, flow }: Bytes & { intakes: Intakes; flow: Flow },
  { once, prepare, isPrepared }: { once: boolean; prepare: () => Promise<void>; isPrepared: boolean },
): Taking {
  const { clock, log, incidents, ledger, spool, deferred, remembered, inspector, host } = world;
  const { splitter = null } = world;
  const onAdmitted = (folder: string, { kind, document }: Admitted): void => {
    if (kind === 'queued') flow.queued(document);
    else if (kind === 'requeued') flow.wake();
    else intakes.disposeSoon({ folder });
  };
  const folders: readonly FolderSettings[] = config.folders.map((folder) =>
    splitter === null ? withoutSplitter(folder) : folder,
  );
  const { papers = null } = world;
  const looks =
    splitter &&
    new Looks({ ledger, inspector, papers, measure: (bytes, type) => splitter.look(bytes, type) });
  const pages =
    splitter === null || looks === null
      ? null
      : new PageIntake({
          ledger,
          payloads,
          spool,
          open,
          splitter,
          inspector,
          looks,
          memory: reading,
          folders,
          clock,
          log,
          host,
          onAdmitted,
          // On standby, another agent of the fleet leads the folder and splits its files.
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
          remembered,
          prepare,
          onAdmitted,
          onFile: () => pages?.wake(),
          lookAtMount,
        },
        { isPrepared },
      )
    : null;
  const watchLimit = new WatchLimit(incidents);
  const { reconcileEvery, pollEvery, takeOverAfter, ...others } = config.intake;
  const times = {
    reconcileEveryMs: reconcileEvery,
    pollEveryMs: pollEvery,
    takeOverAfterMs: takeOverAfter,
    ...others,
  };
  for (const folder of folders)
    intakes.add(
      new Intake({
        ...admission,
        ...times,
        folder: world.folders(folder.path),
        settings: once ? atRest(folder) : folder,
        pages: pages ?? undefined,
        looks: looks ?? undefined,
        isWhole: splitter ? (bytes, type) => splitter.isWhole(bytes, type) : undefined,
        memory: folders.length > 1 ? reading.half() : reading,
        buffers: world.buffers,
        hints: world.hints,
        claims: world.claims,
        watchedSince: remembered.of(folder.path).since,
        remembered: remembered.of(folder.path),
        watchLimit,
        upForMs: world.upForMs,
        onAmiss: (path) => world.onAmiss?.(folder.path, path),
        offline,
        onAdmitted: (admitted) => onAdmitted(folder.path, admitted),
      }),
    );
  return { offline, pages, singleFiles };
}

/** A single run does not wait for a scanner: an incomplete file that no longer changes is reported as incomplete. */
function atRest<T extends FolderSettings>(folder: T): T {
  const { shortMs, longMs, patienceMs } = folder.settle;
  return { ...folder, settle: { shortMs, longMs, patienceMs: Math.min(longMs, patienceMs) } };
}

/** Without the image library, pages can't be split or rotated. */
function withoutSplitter(folder: FolderSettings): FolderSettings {
  return { ...folder, upright: false, ...(folder.pages === 'split' && { pages: 'missing' }) };
}
