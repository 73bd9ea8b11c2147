import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { endpointId, type EndpointKey } from '../../core/domain/document.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Hold } from '../../core/domain/hold.ts';
import type { StateCount } from '../../core/ports/ledgerReports.ts';
import type { Meter } from '../../core/ports/meter.ts';
import { METRICS, type MetricName } from './metricList.ts';
import { metricHelp } from '../../texts/en/written.ts';

/** The state read at each scrape. */
export interface MetricStanding {
  readonly counts: readonly StateCount[];
  readonly holds: readonly Hold[];
  /** Wall-clock milliseconds; null if nothing is waiting. */
  readonly oldestWaiting: number | null;
  readonly inFlight: number;
  readonly incidents: readonly { readonly code: string }[];
  readonly folders: readonly { readonly path: string; readonly state: string }[];
  readonly spool: { readonly used: number; readonly limit: number };
}

export interface MetricsDeps {
  readonly version: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly standing: () => Promise<MetricStanding>;
  /** The local name of an endpoint; undefined for one that is no longer configured. */
  readonly aliasOf: (endpoint: EndpointKey) => string | undefined;
}

export interface Metrics {
  readonly meter: Meter;
  /** Prometheus' text format 0.0.4, and its media type. */
  scrape(): Promise<{ readonly text: string; readonly mediaType: string }>;
}

/** From milliseconds on a local network to minutes over a bad connection. */
const UPLOAD_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const ACCEPTANCE_SECONDS = [0.25, 0.5, 1, 2, 5, 15, 60, 300, 3_600, 6 * 3_600, 24 * 3_600];
const LEDGER_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
/** Folder states that count as watched: on standby, another agent of the fleet watches it. */
const WATCHED: ReadonlySet<string> = new Set(['watching', 'starting', 'standby']);
/** Sampling interval of the event loop delay. Ten times a second costs nothing; a hundred times shows up in an idle agent. */
const LOOP_SAMPLE_MS = 100;

/** Collects until the process ends, because the library's own samples can't be stopped. */
export function createMetrics({ version, clock, standing, aliasOf }: MetricsDeps): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_SAMPLE_MS });
  const about = <Name extends MetricName>(name: Name) => ({
    name,
    help: metricHelp[name],
    labelNames: [...METRICS[name].labels] as string[],
    registers: [registry],
  });
  const gauge = (name: MetricName): Gauge => new Gauge(about(name));
  const counter = (name: MetricName): Counter => new Counter(about(name));
  const histogram = (name: MetricName, buckets: number[]): Histogram =>
    new Histogram({ ...about(name), buckets });
  const requests = counter('receiptd_upload_requests_total');
  const seconds = histogram('receiptd_upload_seconds', UPLOAD_SECONDS);
  const bytesSent = counter('receiptd_upload_bytes_total');
  const attempts = counter('receiptd_attempts_total');
  const files = counter('receiptd_files_total');
  const acceptance = histogram('receiptd_acceptance_seconds', ACCEPTANCE_SECONDS);
  const writes = histogram('receiptd_ledger_write_seconds', LEDGER_SECONDS);
  const documents = gauge('receiptd_documents');
  const needing = gauge('receiptd_needs_person');
  const oldest = gauge('receiptd_oldest_waiting_seconds');
  const inFlight = gauge('receiptd_uploads_in_flight');
  const holds = gauge('receiptd_holds');
  const incidents = gauge('receiptd_incidents');
  const watched = gauge('receiptd_folder_watched');
  const spoolBytes = gauge('receiptd_spool_bytes');
  const spoolLimit = gauge('receiptd_spool_limit_bytes');
  gauge('receiptd_info').set({ version }, 1);
  const nameOf = (endpoint: EndpointKey): string => aliasOf(endpoint) ?? endpointId(endpoint);

  function show(now: MetricStanding): void {
    for (const each of [documents, needing, holds, incidents, watched]) each.reset();
    for (const { endpoint, folder, state, count } of now.counts)
      documents.inc({ endpoint: endpoint === null ? '' : nameOf(endpoint), folder, state }, count);
    for (const { folder, state, reason = '', count, needsPerson } of now.counts)
      if (needsPerson) needing.inc({ folder, state, reason }, count);
    for (const { scope, reason } of now.holds) holds.inc({ scope, reason });
    for (const { code } of now.incidents) incidents.inc({ code });
    for (const { path, state } of now.folders) watched.set({ folder: path }, WATCHED.has(state) ? 1 : 0);
    oldest.set(now.oldestWaiting === null ? 0 : Math.max(0, clock.now() - now.oldestWaiting) / 1_000);
    inFlight.set(now.inFlight);
    spoolBytes.set(now.spool.used);
    spoolLimit.set(now.spool.limit);
  }

  return {
    meter: {
      judged: (folder, verdict) => files.inc({ folder, verdict }),
      requested(endpoint, status, duration, bytes) {
        const labels = { endpoint: nameOf(endpoint) };
        requests.inc({ ...labels, status });
        seconds.observe(labels, duration);
        if (status !== 'none') bytesSent.inc(labels, bytes);
      },
      ended: (outcome) => attempts.inc({ outcome }),
      accepted: (after) => acceptance.observe(after),
      durable: (after) => writes.observe(after),
    },
    async scrape() {
      show(await standing());
      return { text: await registry.metrics(), mediaType: registry.contentType };
    },
  };
}
