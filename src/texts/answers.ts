/** What the service means by each status of an answer: the one table. `core/domain/outcome.ts` says what follows from it. */
const MEANINGS = {
  400: 'refused',
  401: 'unauthorized',
  402: 'slowDown',
  403: 'forbidden',
  404: 'endpointUnknown',
  407: 'blocked',
  408: 'blocked',
  409: 'mayHaveIt',
  410: 'endpointUnknown',
  413: 'refused',
  415: 'refused',
  422: 'refused',
  429: 'slowDown',
} as const;

export type Meaning = (typeof MEANINGS)[keyof typeof MEANINGS] | 'failing' | 'strange';

/** For texts that name the statuses. */
export const statusesOf = (meaning: Meaning): string[] =>
  Object.entries(MEANINGS).flatMap(([status, its]) => (its === meaning ? [status] : []));

export function meaningOf(status: number): Meaning {
  const known: Readonly<Partial<Record<number, Meaning>>> = MEANINGS;
  return known[status] ?? (status >= 500 ? 'failing' : 'strange');
}

/** The status in a reason such as HTTP_403; null for a reason that is none. */
export function statusOf(reason: string): number | null {
  const status = reason.startsWith('HTTP_') ? Number(reason.slice('HTTP_'.length)) : NaN;
  return Number.isInteger(status) ? status : null;
}
