import type { Config } from '../config/config.ts';
import type { Operations, Request, StatusResponse } from '../control/protocol/protocol.ts';
import { eventStream } from '../control/queries/events.ts';
import { noteJson } from '../control/protocol/noteJson.ts';
import { fleetNotes } from '../control/queries/fleet.ts';
import { History } from '../control/queries/history.ts';
import { overview } from '../control/queries/overview.ts';
import { readingOperations } from '../control/queries/reading.ts';
import { readingStreams, type StreamDeps } from '../control/queries/streams.ts';
import type { StreamRoute } from '../control/streams.ts';
import type { Generations } from '../daemon/generations.ts';
import type { LogLines } from '../core/ports/logLines.ts';
import { foldersOf } from './alerts.ts';
import { compareNow } from './compareNow.ts';
import { createEndpoint } from './createEndpoint.ts';
import { directoriesToWatch } from './directories.ts';
import type { Running } from './generation.ts';
import type { ProcessScope } from './processScope.ts';
import { receiveFiles } from './receiveFiles.ts';
import type { Results } from './results.ts';
import type { Settings } from './settings.ts';
import { testFolder } from './testFolder.ts';

export interface ControlDeps {
  readonly generations: Generations<Config, Running>;
  readonly settings: Settings;
  readonly lasting: ProcessScope;
  readonly lines: LogLines;
  readonly version: string;
  readonly results: Pick<Results, 'notes' | 'path'>;
  /** When the process started, ISO 8601. */
  readonly startedAt: string;
}

/** All control operations of the daemon, assembled from its parts. */
export function controlOf(deps: ControlDeps) {
  const { generations, lines } = deps;
  const { ledger, log, clock, pictures } = deps.lasting;
  const reading = {
    ledger,
    clock,
    history: new History(ledger, clock),
    status: () => statusOf(deps),
    around: () => ({
      incidents: deps.lasting.incidents.list(),
      folders: foldersOf(generations.current),
    }),
    fleetNote: fleetNotes(ledger, clock),
    endpoints: () => generations.current.config.endpoints,
    columns: () => generations.current.config.results.columns,
  };
  const locateBytes: StreamDeps['locateBytes'] = (document) => generations.current.locateBytes(document);
  return {
    operations: {
      ...actsOf(deps),
      ...settingsOf(deps),
      ...readingOperations(reading),
      compareFolder: compareNow(deps.lasting, () => generations.current.config),
      resultsPath: async ({ uid }: Request<'resultsPath'>) => ({
        path: await deps.results.path(uid ?? null),
      }),
    },
    streams: [
      ...readingStreams({ ...reading, pictures, locateBytes }),
      eventStream({ overview: () => overview(reading), lines, clock, log }),
    ] satisfies StreamRoute[],
    uploads: [receiveFiles(generations)],
  };
}

/** Operations that change documents and holds; they wait while the configuration is being replaced. */
function actsOf({ generations }: ControlDeps) {
  return {
    retry: (request) => generations.act(({ acts }) => acts.retry(request)),
    actOnMany: (request) => generations.act(({ acts }) => acts.actOnMany(request)),
    dismiss: (request) => generations.act(({ acts }) => acts.dismiss(request)),
    tryHeld: () => generations.act(({ acts }) => acts.tryHeld()),
    resend: (request) => generations.act(({ acts }) => acts.resend(request)),
    pause: (request) => generations.act(({ acts }) => acts.pause(request)),
    resume: (request) => generations.act(({ acts }) => acts.resume(request)),
    retireAgent: (request) => generations.act(({ acts }) => acts.retireAgent(request)),
    pauseAgent: (request) => generations.act(({ acts }) => acts.pauseAgent(request)),
    resumeAgent: (request) => generations.act(({ acts }) => acts.resumeAgent(request)),
    recordEndpoint: (request) => generations.act(({ acts }) => acts.recordEndpoint(request)),
    send: (request) => generations.act((running) => running.send(request)),
    erase: (request) => generations.act(({ acts }) => acts.erase(request)),
    // Not through `act`: a backup is slow and touches only the ledger.
    backup: (request) => generations.current.acts.backup(request),
  } satisfies Partial<Operations>;
}

function settingsOf({ settings, generations, lasting }: ControlDeps) {
  return {
    config: () => settings.state(),
    changeConfig: (request) => settings.edit(request.edits, request),
    undoConfig: (request) => settings.undo(request),
    reload: () => settings.reload(),
    testFolder: (request) => testFolder(request, { settings, lasting, current: () => generations.current }),
    directories: (request) => directoriesToWatch(request, { settings, lasting }),
    createEndpoint: (request) => createEndpoint(request, { settings, generations }),
  } satisfies Partial<Operations>;
}

/** Combines the status of the process and of its generation. */
export function statusOf({
  generations,
  settings,
  lasting,
  results,
  version,
  startedAt,
}: ControlDeps): StatusResponse {
  const { notes, ...status } = generations.current.status();
  return {
    pid: process.pid,
    startedAt,
    version,
    ...status,
    notes: [...notes, ...results.notes(), ...settings.inEffect.notes()].map(noteJson),
    incidents: lasting.incidents.list().map(({ key, code, params, since }) => ({
      key,
      code,
      params: { ...params },
      since: new Date(since).toISOString(),
    })),
  };
}
