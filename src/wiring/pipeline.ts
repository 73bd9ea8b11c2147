import { conditionOf } from '../core/domain/problem.ts';
import { Agent } from '../daemon/agent.ts';
import { nicety } from '../daemon/nicety.ts';
import { watchForSuspend } from '../daemon/suspendDetector.ts';
import type { Flow } from '../flow/flow.ts';
import type { Holds } from '../flow/holds.ts';
import type { Intake } from '../intake/intake.ts';
import { Intakes } from '../intake/intakes.ts';
import type { PayloadStore } from '../keeper/payloadStore.ts';
import type { OpenFolder } from '../keeper/locateBytes.ts';
import type { Pacer } from '../flow/limits/pacer.ts';
import { recover } from '../flow/recover.ts';
import type { SingleFiles } from '../intake/singleFiles.ts';
import { FleetWatch } from '../fleet/fleetWatch.ts';
import { FolderLeadership } from '../fleet/folderLeadership.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { LedgerStorage } from '../core/ports/ledger.ts';
import { endpointId } from '../core/domain/document.ts';
import type { Note } from '../core/domain/note.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { composeBytes, composeFlow, composeIntake, composeSending } from './stages.ts';
import type { PipelineConfig, World } from './world.ts';

export interface Pipeline {
  readonly agent: Agent;
  readonly flow: Flow;
  readonly pacer: Pacer;
  readonly holds: Holds;
  readonly payloads: PayloadStore;
  /** Harmless reasons why uploads are slowed down. */
  readonly notes: () => Note[];
  /** One per configured folder, in the order of the configuration. */
  readonly intakes: readonly Intake[];
  /** Opens a folder to find the bytes of documents in it. */
  readonly open: OpenFolder;
  readonly intakeOf: (path: string) => Intake | undefined;
  /** Takes in files outside the watched folders. */
  readonly singleFiles: SingleFiles;
  /** Call after the agent has stopped: keeps the payloads in memory and removes the listeners. */
  readonly close: () => Promise<void>;
}

/**
 * Recovers from a crash and wires the stages in reverse order of an image's path: send gate, payloads, delivery, intake.
 * Starts nothing.
 */
export async function composePipeline(
  config: PipelineConfig,
  world: World,
  { once }: { once: boolean },
): Promise<Pipeline> {
  const { clock, log, incidents, ledger, deferred, remembered } = world;
  remembered.watch(config.folders);
  if (ledger.storage.trouble()?.code === 'LEDGER_UNREACHABLE') remembered.allHeldUp();

  const endpoints = usedEndpoints(config);
  const sending = await composeSending(config, endpoints, world);
  const { holds, pacer, gate } = sending;
  const prepare = async (): Promise<void> => {
    await recover({ ledger, holds, clock, log });
    await sending.seed();
  };
  const isPrepared = await unlessOffline(prepare, { mayWait: Boolean(deferred) && !once });
  const intakes = new Intakes();
  const bytes = composeBytes(config, world, { gate, intakes });
  const flow = composeFlow(config, endpoints, world, { ...sending, ...bytes, intakes });
  const { offline, pages, singleFiles } = composeIntake(
    config,
    world,
    { ...bytes, intakes, flow },
    { once, prepare, isPrepared },
  );

  // Background tasks.
  const { payloads, open } = bytes;
  const { fleet, storage } = ledger;
  const shares = new Map(config.folders.flatMap(({ path, share }) => (share ? [[path, share]] : [])));
  const leads = fleet && new FolderLeadership({ fleet, storage, shares, clock, log });
  const fleetWatch = fleet && new FleetWatch({ fleet, storage, flow, holds, clock, log });
  const onWoke = (): void => {
    world.service.dropIdle?.();
    holds.woke();
    flow.wake();
    for (const intake of intakes.all) intake.woke();
  };
  const asleepMs = world.asleepMs ?? (() => null);
  const agent = new Agent({
    ledger,
    intakes: intakes.all,
    flow,
    endpoints,
    clock,
    log,
    graceMs: config.delivery.grace,
    prepared: offline?.prepared,
    before: (signal) => offline?.once(signal) ?? Promise.resolve(),
    afterIntake: async (signal) => pages?.drain(signal),
    leads,
    background: [
      ...(offline ? [(signal: AbortSignal) => offline.run(signal)] : []),
      ...(fleetWatch ? [(signal: AbortSignal) => fleetWatch.run(signal)] : []),
      ...(pages ? [(signal: AbortSignal) => pages.run(signal)] : []),
      nicety('withoutSpoolSweep', (signal) => payloads.runSweeps(signal), { clock, log }),
      nicety('withoutSuspendWatch', (signal) => watchForSuspend({ clock, log, asleepMs, onWoke }, signal), {
        clock,
        log,
      }),
      ...world.background,
    ],
    tidy: async (signal) => {
      await payloads.trySweeping(signal);
      await world.tidy?.(signal);
    },
  });
  const endWatching = watchStorage(storage, incidents);
  flow.onIdle(() => world.buffers.clear());
  return {
    agent,
    flow,
    pacer,
    holds,
    payloads,
    notes: () => [...(fleetWatch?.notes() ?? []), ...gate.notes(), ...(offline?.notes() ?? [])],
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

/** Runs `prepare`. With `mayWait`, resolves false if the ledger is unreachable: the caller prepares once it is back. */
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

/** Keeps one incident open while the ledger can't be written; the returned function stops watching. */
function watchStorage(storage: LedgerStorage, incidents: Incidents): () => void {
  const look = (): void => {
    const trouble = storage.trouble();
    if (trouble === null) return incidents.close('storage');
    // The hint says how much space is needed.
    incidents.open({ key: 'storage', ...conditionOf(trouble) });
  };
  look();
  return storage.onChange(look);
}

/** Endpoints without repeats. Aliases of one endpoint share its limits, which the configuration ensures. */
function usedEndpoints({ endpoints }: Pick<PipelineConfig, 'endpoints'>): PipelineConfig['endpoints'] {
  const byId = new Map(endpoints.map((endpoint) => [endpointId(endpoint.key), endpoint]));
  return [...byId.values()];
}
