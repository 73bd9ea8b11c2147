import { nicety } from '../daemon/nicety.ts';
import { uptime } from 'node:os';
import type { Config } from '../config/config.ts';
import { asleepMs } from '../system/systemClock.ts';
import type { OnceResult } from '../daemon/agent.ts';
import type { FolderStatus, Request, Response, SpoolStatus } from '../control/protocol/protocol.ts';
import type { Generation } from '../daemon/generations.ts';
import type { FolderNow } from '../features/alerts/silence/silenceWatch.ts';
import type { OperationHandlers } from '../control/operations/operations.ts';
import { accountsAmong } from '../core/domain/account.ts';
import { endpointId, type Document, type EndpointKey } from '../core/domain/document.ts';
import { isElsewhere } from '../core/domain/elsewhere.ts';
import { createFolderClaims } from '../intake/folder/folderClaims.ts';
import { pageReader, readingPages } from '../intake/pages/pageReading.ts';
import { inItsPlace } from '../intake/presence/mountIdentity.ts';
import { locateBytes, type ImageSearch, type OpenFolder } from '../keeper/locateBytes.ts';
import type { LimitedBy } from '../flow/limits/pacer.ts';
import type { FolderHints } from '../core/ports/folder.ts';
import { unlessLedgerAway } from '../core/domain/errors.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { ReceiptService } from '../core/ports/service.ts';
import type { Spool } from '../core/ports/spool.ts';
import { meteredService } from '../features/metrics/metered.ts';
import { composeAttention, leaveFormerPlaces } from './attention.ts';
import { composeFolders, neverWatched } from './folders.ts';
import type { ProcessScope } from './processScope.ts';
import { openConfiguredSpool } from './ledger.ts';
import { operationsOf } from './operations.ts';
import { composeKept } from './pictures.ts';
import { checkPages } from './pageSplitter.ts';
import type { Note } from '../core/domain/note.ts';
import { composePipeline, type Pipeline } from './pipeline.ts';
import type { UploadAnswer } from '../control/protocol/sending.ts';
import { takeIn, takeReceived, type ReceivedFile } from './sendFile.ts';
import { changesOf, composeService } from './service.ts';
import { shown } from '../core/domain/why.ts';

/** The agent under one configuration, as long as that is in effect. */
export interface Running
  extends Generation, Pick<Pipeline, 'flow' | 'pacer' | 'holds' | 'intakes' | 'intakeOf' | 'open'> {
  /** The configuration in effect. */
  readonly config: Config;
  readonly service: ReceiptService;
  readonly spool: Spool;
  /** Operations that change documents and holds; a daemon calls them through `Generations.act`. */
  readonly acts: OperationHandlers;
  /** Finds the image of a document, wherever it is now; the hash of the bytes found is verified. */
  locateBytes(document: Document): Promise<ImageSearch>;
  status(): RunningStatus;
  /** Takes in one file from outside the watched folders. */
  send(request: Request<'send'>): Promise<Response<'send'>>;
  /** Takes in one file that a browser sent. */
  receive(file: ReceivedFile): Promise<UploadAnswer>;
  /** Sends queued documents until `stop` aborts, without scanning folders; resolves when drained. */
  deliver(stop: AbortSignal): Promise<void>;
  once(stop: AbortSignal, waitMs: number): Promise<OnceResult>;
}

export interface RunningStatus {
  readonly inFlight: number;
  readonly limitedBy: LimitedBy[];
  readonly notes: Note[];
  readonly spool: SpoolStatus;
  readonly folders: FolderStatus[];
}

/** Starts nothing yet. The previous generation must be closed. */
export async function composeGeneration(
  config: Config,
  lasting: ProcessScope,
  { once }: { once: boolean },
): Promise<Running> {
  const { log, clock, inherited: incidents, ledger, buffers, inspector, host } = lasting;
  incidents.passOn();
  const spool = await openConfiguredSpool(config, log);
  const accountOf = accountsAmong(config.endpoints);
  lasting.accounts.of = accountOf;
  const { service: plain, ...composed } = await composeService(config, lasting, lasting.lastCredentials);
  const service = meteredService(plain, () => lasting.metering.meter, clock);
  try {
    const formerPlaces = await leaveFormerPlaces(config, lasting);
    // Reads into separate memory, so that viewing does not compete with uploads.
    const openToLook = composeFolders(config, undefined, lasting.guards, formerPlaces);
    const isInPlace = (folder: string): boolean => {
      const state = pipeline.intakeOf(folder)?.status.state;
      return state === 'watching' || (once && state === 'starting');
    };
    const isLedElsewhere = (folder: string) => pipeline.intakeOf(folder)?.status.state === 'standby';
    const attention = composeAttention(config, lasting, openToLook, isInPlace, isLedElsewhere);
    const world = {
      clock,
      random: Math.random,
      log,
      incidents,
      ledger,
      spool,
      deferred: lasting.deferred,
      remembered: lasting.remembered,
      service,
      tokens: (endpoint: EndpointKey) => composed.tokensOf(accountOf(endpoint)),
      credentialsChanged: changesOf(composed.credentialsOf, lasting.lastCredentials),
      folders: composeFolders(config, lasting, lasting.guards, formerPlaces),
      buffers,
      readBeside: lasting.readBeside,
      hints: once ? NO_HINTS : await hintsOf(config, formerPlaces),
      claims: createFolderClaims(config.stateDir, { isOnce: once }),
      inspector,
      host,
      asleepMs,
      upForMs: () => uptime() * 1_000,
      onAccepted: (document: Document) => {
        lasting.metering.meter?.accepted(Math.max(0, clock.now() - document.createdAt) / 1_000);
        lasting.progress?.accepted(document);
      },
      background: [
        (signal: AbortSignal) => settleIncidents(lasting, () => pipeline.intakes, signal),
        nicety(
          'withoutSilenceWatch',
          (signal) => lasting.silence.run(() => foldersNow(pipeline), incidents, signal),
          { clock, log },
        ),
        ...attention.background,
      ],
      tidy: attention.tidy,
      splitter: lasting.splitter,
      papers: lasting.papers,
      onAmiss: attention.look,
    };
    const pipeline = await composePipeline(config, world, { once });
    const { agent, flow, pacer, holds, intakes, open, intakeOf, singleFiles } = pipeline;
    const { fact: pages } = checkPages(config);
    if (pages.is === 'pagesLack') log.warn('pagesUnsplittable', { missing: pages.missing.join(', ') });
    await warnOfOrphans(config, ledger, log).catch(unlessLedgerAway);
    const changed = async (): Promise<void> => flow.forget();
    const takeOver = async (folder: string): Promise<void> => intakeOf(folder)?.takeOver();
    const readPage = pageReader(lasting.splitter, inspector, config.folders);
    const look: OpenFolder = (path) => readingPages(inItsPlace(openToLook(path), ledger), readPage);
    let closing: Promise<void> | null = null;
    return {
      config,
      flow,
      pacer,
      holds,
      intakes,
      intakeOf,
      open,
      service,
      spool,
      acts: operationsOf(config, {
        ledger,
        spool,
        holds,
        pictures: composeKept(lasting.pictures, lasting.papers),
        open,
        changed,
        takeOver,
      }),
      locateBytes: (document) => locateBytes(document, { ledger, spool, open: look }),
      status: () => ({
        inFlight: pacer.onTheWire,
        limitedBy: pacer.limitedBy(),
        notes: pipeline.notes(),
        spool: {
          mode: config.spool,
          used: spool.usedBytes,
          limit: spool.limitBytes,
          images: spool.hashes().length,
        },
        folders: intakes.map(({ status: { why, ...status } }, index) => ({
          ...status,
          ...shown(why),
          state:
            status.state !== 'standby' && holds.isPaused('folder', status.path)
              ? ('paused' as const)
              : status.state,
          endpoint: config.folders[index]?.alias ?? '',
          since: new Date(status.since).toISOString(),
          lastListing: status.lastListing === null ? null : new Date(status.lastListing).toISOString(),
        })),
      }),
      send: (request) => takeIn(request, config, singleFiles),
      receive: (file) => takeReceived(file, config, { files: singleFiles, ledger, clock }),
      deliver: (stop) => agent.deliver(stop),
      run: (stop) => agent.run(stop),
      once: (stop, waitMs) => agent.once(stop, waitMs),
      close: () =>
        (closing ??= (async () => {
          await pipeline.close();
          await service.close();
        })()),
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

/** A single run only lists, so the watcher is not loaded. */
const NO_HINTS: FolderHints = { watch: () => Promise.reject(new Error('a single run watches nothing')) };

async function hintsOf(config: Config, formerPlaces: readonly string[]): Promise<FolderHints> {
  const { createFolderHints } = await import('../intake/folder/hints.ts');
  return createFolderHints({ exclude: [...neverWatched(config), ...formerPlaces] });
}

/** By then a file that could not be read has been retried after the first listing. */
const MET_AGAIN_MS = 30_000;

async function settleIncidents(
  { clock, inherited }: ProcessScope,
  intakes: () => Pipeline['intakes'],
  signal: AbortSignal,
): Promise<void> {
  do await clock.sleep(MET_AGAIN_MS, signal).catch(() => {});
  while (!signal.aborted && intakes().some(({ status }) => status.state === 'starting'));
  if (!signal.aborted) inherited.settle();
}

function foldersNow({ intakes, holds }: Pipeline): FolderNow[] {
  return intakes.map(({ status: { path, state } }) => ({
    path,
    state,
    isPaused: holds.isPaused('folder', path),
  }));
}

/** If the ledger can't be read now, the next start warns. */
async function warnOfOrphans(config: Config, ledger: Ledger, log: Log): Promise<void> {
  const configured = new Set(config.endpoints.map(({ key }) => endpointId(key)));
  for (const { endpoint, state, count, folder } of await ledger.counts()) {
    if (!endpoint || configured.has(endpointId(endpoint)) || isElsewhere(folder)) continue;
    if (state === 'queued' || state === 'held') {
      const fields = { endpoint: endpointId(endpoint), folder, waiting: count };
      log.error('documentsWaitForGoneEndpoint', fields);
    }
  }
}
