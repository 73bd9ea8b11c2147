import { endpointId, type EndpointKey } from '../../core/domain/document.ts';
import { counted } from '../../core/domain/words.ts';
import type { LimitedBy } from '../../delivery/limits/limiter.ts';
import type { StateCount } from '../../core/ports/ledgerReports.ts';

type Endpoints = readonly { readonly alias: string; readonly key: EndpointKey }[];

export interface RateForecast {
  /** Alias; null: all endpoints together. */
  readonly endpoint: string | null;
  readonly rate: string;
  /** Until what waits for this rate has been sent. */
  readonly leftMs: number;
}

/** The rates that keep a backlog waiting, and for how long; nothing where all that waits leaves in a moment. */
export function rateForecasts(
  limitedBy: readonly LimitedBy[],
  counts: readonly StateCount[],
  endpoints: Endpoints,
): RateForecast[] {
  return limitedBy.flatMap(({ endpoint, rate, perMinute }) => {
    const key = endpoints.find(({ alias }) => alias === endpoint)?.key;
    const id = key && endpointId(key);
    const waiting = counts
      .filter(({ state }) => state === 'queued' || state === 'uploading')
      .filter((each) => endpoint === null || (each.endpoint !== null && endpointId(each.endpoint) === id))
      .reduce((sum, each) => sum + each.count, 0);
    return waiting === 0 ? [] : [{ endpoint, rate, leftMs: (waiting * 60_000) / perMinute }];
  });
}

/** Such as `Uploads are limited to 60/min, about 31 min left.` */
export function rateNote(forecast: RateForecast): string {
  const { endpoint } = forecast;
  const what = endpoint === null ? 'Uploads' : `Uploads to endpoint ${endpoint}`;
  return `${what} are ${limitText(forecast)}.`;
}

/** Such as `limited to 60/min, about 31 min left`. */
export function limitText({ rate, leftMs }: RateForecast): string {
  return `limited to ${rate}, about ${leftText(leftMs)} left`;
}

/** Short: it stands in one line with a progress bar. */
function leftText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes <= 1) return 'a minute';
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : counted(Math.round(hours / 24), 'day');
}
