import { History } from '../daemon/reading/history.ts';
import { eventStream } from '../daemon/reading/events.ts';
import { fleetNotes } from '../daemon/reading/fleet.ts';
import { overview } from '../daemon/reading/overview.ts';
import { readingOperations } from '../daemon/reading/reading.ts';
import { readingStreams, type StreamDeps } from '../daemon/reading/streams.ts';
import { systemClock } from '../daemon/systemClock.ts';
import type { StatusResponse } from '../daemon/control/protocol.ts';
import type { EndpointSettings } from '../pipeline/settings.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Log } from '../ports/log.ts';
import type { LogLines } from '../ports/logLines.ts';

export interface ReadingParts {
  readonly ledger: Ledger;
  readonly log: Log;
  readonly lines: LogLines;
  readonly status: () => StatusResponse;
  readonly endpoints: () => readonly EndpointSettings[];
  readonly findBytes: StreamDeps['findBytes'];
}

/** What the running agent answers, and changes nothing by. */
export function composeReading({ ledger, log, lines, status, endpoints, findBytes }: ReadingParts) {
  const clock = systemClock;
  const fleetNote = fleetNotes(ledger, clock);
  const deps = { ledger, clock, history: new History(ledger, clock), status, fleetNote, endpoints };
  return {
    operations: readingOperations(deps),
    streams: [
      ...readingStreams({ ledger, clock, findBytes }),
      eventStream({ overview: () => overview(deps), lines, clock, log }),
    ],
  };
}
