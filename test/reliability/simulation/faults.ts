import type { Answer } from '../../../src/core/domain/outcome.ts';

/** Faults in the service's handling of an upload. */
export const FAULTS = [
  'unreachable', // no connection: nothing was sent
  'lostBefore', // the connection breaks before the image is stored
  'lostAfter', // stored, but the answer is lost
  'slow', // stored; the answer takes up to a minute
  'silent', // never answers; may have been stored
  'error', // 500 without storing
  'errorStored', // 502 after storing
  'tooMany', // 429 with or without Retry-After
  'quota', // 402
  'unauthorized', // 401: the token is no longer valid
  'forbidden', // 403
  'unknownEndpoint', // 404
  'html', // 200 with a web page
  'otherName', // 200 with another document's record
  'otherEndpoint', // 200 with the record of another endpoint
  'truncatedRecord', // 200 with a truncated record
  'statusless', // 200 with a record without a status
  'accepted202', // 202, which is undocumented; stored
  'redirect', // 302
  'conflict', // 409 for any name
  'refusedOnce', // 422 for everything while it lasts
] as const;
export type Fault = (typeof FAULTS)[number];

/** A period with a fault; `uid` null: at every endpoint. Times in milliseconds of the timeline. */
export interface Phase {
  readonly from: number;
  until: number;
  readonly fault: Fault;
  readonly uid: string | null;
  /** Share of the requests affected. */
  readonly share: number;
}

export function status(
  httpStatus: number,
  body = '',
  retryAfterMs: number | null = null,
): Answer & { body: string } {
  return { kind: 'response', httpStatus, body, retryAfterMs } as const;
}

export function record(name: string, endpointUid: string): Answer & { body: string } {
  return status(200, JSON.stringify({ name, endpointUid, status: 'PROCESSING', unknown: true }));
}

export function broken(code: string, sent: boolean): Answer {
  return {
    kind: 'fault',
    sent,
    code,
    fault: { at: 'service', host: 'service', code, isConnecting: !sent, other: null },
  };
}
