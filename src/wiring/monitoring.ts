import type { Condition } from '../core/domain/problem.ts';
import { whatIsWrong } from '../texts/explain.ts';
import { textsIn } from '../texts/texts.ts';
import type { Config } from '../config/config.ts';
import type { StatusResponse } from '../control/protocol/protocol.ts';
import { oldestWaiting } from '../control/queries/overview.ts';
import { Listening } from '../http/listening.ts';
import { endpointId } from '../core/domain/document.ts';
import { counted, local } from '../core/domain/words.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Metrics, MetricStanding } from '../features/metrics/metrics.ts';
import type { ProcessScope } from './processScope.ts';

export interface MonitoringParts {
  readonly lasting: ProcessScope;
  readonly version: string;
  readonly status: () => StatusResponse;
  readonly endpoints: () => Config['endpoints'];
  readonly hosts: () => Config['console']['hosts'];
}

/** Loads the library and begins measuring only when metrics are served. */
export function composeMonitoring(
  settings: Config['monitoring'],
  { lasting, version, status, endpoints, hosts }: MonitoringParts,
): Listening<Config['monitoring']> {
  const { ledger, clock, incidents, log, metering } = lasting;
  let metrics: Metrics | null = null;
  const measured = async (): Promise<Metrics> => {
    const { createMetrics } = await import('../features/metrics/metrics.ts');
    metrics ??= createMetrics({
      version,
      clock,
      standing: () => standingOf(ledger, status()),
      aliasOf: (key) => endpoints().find((each) => endpointId(each.key) === endpointId(key))?.alias,
    });
    metering.meter = metrics.meter;
    return metrics;
  };
  return new Listening({
    name: 'monitoring',
    code: 'MONITORING_UNAVAILABLE',
    settings,
    placeOf: ({ listen }) => (listen === null ? null : `${listen.host} ${listen.port}`),
    listen: async ({ listen }) => {
      if (listen === null) throw new Error('Monitoring was to listen nowhere.');
      const figures = await measured();
      const { serveMonitoring } = await import('../features/metrics/server.ts');
      return serveMonitoring(listen, {
        metrics: () => figures.scrape(),
        unready: () => unready(status(), ledger),
        hosts,
        log,
      });
    },
    incidents,
    log,
    clock,
  });
}

async function standingOf(ledger: Ledger, status: StatusResponse): Promise<MetricStanding> {
  const counts = await ledger.counts();
  return {
    counts,
    holds: await ledger.holds(),
    oldestWaiting: await oldestWaiting(ledger, counts),
    inFlight: status.inFlight,
    incidents: status.incidents,
    folders: status.folders,
    spool: status.spool,
  };
}

/** Reasons why receipts can't be taken in: folders not listed yet, or a ledger that can't be written. */
function unready({ folders }: StatusResponse, ledger: Ledger): string[] {
  const trouble = ledger.storage.trouble();
  const isStarting = folders.some(({ state }) => state === 'starting');
  return [...(isStarting ? ['STARTING'] : []), ...(trouble === null ? [] : [trouble.code])];
}

/** One line for the service manager. */
export async function statusLine(
  ledger: Ledger,
  { folders }: StatusResponse,
  condition: Condition | null,
): Promise<string> {
  const watched = folders.filter(({ state }) => state === 'watching' || state === 'standby').length;
  const waiting = (await ledger.documentCounts())
    .filter(({ state }) => state === 'queued' || state === 'held' || state === 'uploading')
    .reduce((sum, { count }) => sum + count, 0);
  return [
    `${watched} of ${counted(folders.length, 'folder', 'folders')} watched, ${counted(waiting, 'document waits', 'documents wait')}.`,
    ...(condition === null
      ? []
      : [`${whatIsWrong(await textsIn('en', local), condition)} [${condition.code}]`]),
  ].join(' ');
}
