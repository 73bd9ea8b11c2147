import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { createConsole } from '../console/server/console.ts';
import type { Operations } from '../control/protocol/protocol.ts';
import type { SETUP } from '../control/protocol/setup.ts';
import type { Offer } from '../control/server/respond.ts';
import { nicety } from '../daemon/nicety.ts';
import { runErasureSweep } from '../features/pictures/erasureSweep.ts';
import { composeAlerts } from './alerts.ts';
import { controlOf, statusOf, type ControlDeps } from './control.ts';
import { composeMonitoring, statusLine } from './monitoring.ts';
import { composeResults } from './results.ts';

/** The console's application, beside the program's other files. */
const STATICS = new URL('./console/', import.meta.url);

export interface SideServices {
  /** The operations available over the control socket. */
  readonly offer: Offer;
  /** One-line status of the agent. */
  readonly line: () => Promise<string>;
  /** Opens the listeners. Never rejects. */
  start(): Promise<void>;
  /** Tasks that run until aborted. */
  readonly parts: readonly ((until: AbortSignal) => Promise<void>)[];
  close(): Promise<void>;
}

/**
 * Services beside the pipeline that live as long as the process: console, metrics, results and alerts. Each applies
 * its part of a changed configuration itself, and none of them can block an upload.
 */
export async function composeSideServices(
  deps: Omit<ControlDeps, 'results'>,
  stop: AbortSignal,
): Promise<SideServices> {
  const { generations, settings, lasting, version } = deps;
  const { config } = settings.inEffect;
  const results = await composeResults(config, lasting, ({ folder, state }) => {
    if (state === 'accepted') generations.current.intakeOf(folder)?.disposeSoon();
  });
  const alerts = await composeAlerts(config, lasting, () => generations.current, stop);
  const status = () => statusOf({ ...deps, results });
  const { operations, streams, uploads } = controlOf({ ...deps, results });
  const offer = { log: lasting.log, streams, operations: { ...operations, ...alerts.operations } };
  const { clock, log, incidents } = lasting;
  const console = createConsole({
    settings: config.console,
    stateDir: config.stateDir,
    offer: { ...offer, uploads },
    statics: STATICS,
    log,
    incidents,
    clock,
    random: randomBytes,
  });
  const endpoints = () => generations.current.config.endpoints;
  const { ledger, pictures } = lasting;
  const keys = () => endpoints().map(({ key }) => key);
  const sweep = { pictures, ledger, endpoints: keys, clock, log };
  const hosts = () => settings.inEffect.config.console.hosts;
  const monitoring = composeMonitoring(config.monitoring, { lasting, version, status, endpoints, hosts });
  settings.inEffect.onTaken((next: Config) => {
    console.take(next.console);
    void lasting.pictures.take(next.console.thumbnails);
    monitoring.take(next.monitoring);
    results.take(next);
    alerts.take(next);
    lasting.silence.take(next.folders);
  });
  /** All of them, except those of setup, so that the compiler names one that nothing answers. */
  const socketOperations: Omit<Operations, keyof typeof SETUP> = {
    ...offer.operations,
    openConsole: () => console.open(),
  };
  return {
    offer: { ...offer, operations: socketOperations },
    line: () => statusLine(lasting.ledger, status(), lasting.incidents.list()[0] ?? null),
    async start() {
      await console.start();
      // Applies a changed limit to the stored thumbnails.
      void lasting.pictures.take(config.console.thumbnails);
      await monitoring.start();
      await results.start();
    },
    parts: [
      (until) => results.hand(until),
      (until) => alerts.run(until),
      ...(ledger.fleet === null
        ? []
        : [nicety('withoutErasure', (until) => runErasureSweep(sweep, until), { clock, log })]),
    ],
    async close() {
      await Promise.all([console.close(), monitoring.close(), results.close()]);
    },
  };
}
