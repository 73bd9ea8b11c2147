import { History } from '../control/queries/history.ts';
import { eventStream } from '../control/queries/events.ts';
import { fleetNotes } from '../control/queries/fleet.ts';
import { overview } from '../control/queries/overview.ts';
import { readingOperations } from '../control/queries/reading.ts';
import { readingStreams, type StreamDeps } from '../control/queries/streams.ts';
import { systemClock } from '../system/systemClock.ts';
import type { StatusResponse } from '../control/protocol/protocol.ts';
import type { EndpointSettings } from '../core/domain/settings.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { LogLines } from '../core/ports/logLines.ts';

export interface ReadingParts {
  readonly ledger: Ledger;
  readonly log: Log;
  readonly lines: LogLines;
  readonly status: () => StatusResponse;
  readonly endpoints: () => readonly EndpointSettings[];
  readonly locateBytes: StreamDeps['locateBytes'];
}

/** What the running agent answers, and changes nothing by. */
export function composeReading({ ledger, log, lines, status, endpoints, locateBytes }: ReadingParts) {
  const clock = systemClock;
  const fleetNote = fleetNotes(ledger, clock);
  const deps = { ledger, clock, history: new History(ledger, clock), status, fleetNote, endpoints };
  return {
    operations: readingOperations(deps),
    streams: [
      ...readingStreams({ ledger, clock, locateBytes }),
      eventStream({ overview: () => overview(deps), lines, clock, log }),
    ],
  };
}
