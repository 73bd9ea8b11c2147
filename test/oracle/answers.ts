/** From answer to outcome (interface section 7, and the table of the same name in docs), restated once. */

/** The service's verdicts on a document. */
const VERDICTS = new Set([400, 413, 415, 422]);
/** Answers that hold an endpoint, which is then probed by one request at a time. */
const HOLDS = new Set([403, 404, 410]);
/** Answers that ask for fewer requests to an endpoint. */
const SLOWER = new Set([402, 429]);

export function isVerdict(status: number | null): boolean {
  return status !== null && VERDICTS.has(status);
}

export function isHold(status: number | null): boolean {
  return status !== null && HOLDS.has(status);
}

export function isRefusal(status: number | null): boolean {
  return status !== null && status >= 400 && status < 500;
}

export function asksToWait(status: number | null): boolean {
  return status !== null && (SLOWER.has(status) || status >= 500);
}

/** Whether a service that gave this answer may have stored the document. */
export function mayHaveStored(status: number | null): boolean {
  return status === null || status < 400 || status === 408 || status >= 500;
}

export type OutcomeKind =
  'accepted' | 'unauthorized' | 'endpointHold' | 'slowDown' | 'failed' | 'unconfirmed' | 'serviceTrouble';

/** The permitted outcomes. `afterLost`: the answer to an earlier request for the document was lost. */
export function outcomesOf(status: number, afterLost: boolean): readonly OutcomeKind[] {
  if (status === 200) return ['accepted', 'serviceTrouble'];
  if (status === 401) return ['unauthorized'];
  if (isHold(status)) return ['endpointHold'];
  if (SLOWER.has(status)) return ['slowDown'];
  if (isVerdict(status)) return [afterLost ? 'unconfirmed' : 'failed'];
  if (status === 409) return ['unconfirmed'];
  if (status === 407 || status === 408 || status >= 500) return ['serviceTrouble'];
  if (status >= 300 && status < 400) return ['serviceTrouble'];
  if (status >= 400) return [afterLost ? 'unconfirmed' : 'endpointHold'];
  return status >= 200 ? ['endpointHold', 'serviceTrouble'] : ['serviceTrouble'];
}
