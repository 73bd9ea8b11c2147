import type { OverviewResponse } from '../../control/protocol/overview.ts';
import type { ListState } from '../../core/ports/ledgerReports.ts';

export const WAITING_STATES: readonly ListState[] = ['queued', 'uploading', 'held'];

export interface StateTally {
  readonly accepted: number;
  readonly waiting: number;
  readonly person: number;
  readonly other: number;
}

type Count = OverviewResponse['counts'][number];
type Counted = Pick<Count, 'state' | 'needsPerson' | 'count'>;

/** Each file is in exactly one of the four categories: sent, waiting, needs attention, left out. */
export function tally<C extends Counted>(counts: readonly C[], isMeant: (count: C) => boolean): StateTally {
  const sum = { accepted: 0, waiting: 0, person: 0, other: 0 };
  for (const each of counts) if (isMeant(each)) sum[wordOf(each)] += each.count;
  return sum;
}

function wordOf({ state, needsPerson }: Counted): keyof StateTally {
  if (state === 'accepted') return 'accepted';
  if (WAITING_STATES.includes(state)) return 'waiting';
  return needsPerson ? 'person' : 'other';
}

export const ofFolder =
  (path: string) =>
  ({ folder }: Pick<Count, 'folder'>) =>
    folder === path;

export function ofEndpoint({ baseUrl, uid }: { baseUrl: string; uid: string }) {
  return ({ endpoint }: Count) => endpoint?.uid === uid && endpoint.baseUrl === baseUrl;
}

/** Whether a document was given to this endpoint. */
export const isOf = (
  { endpoint }: { readonly endpoint: { readonly baseUrl: string; readonly uid: string } },
  { baseUrl, endpointUid }: { readonly baseUrl: string | null; readonly endpointUid: string | null },
): boolean => endpoint.uid === endpointUid && endpoint.baseUrl === baseUrl;

export const endpointId = ({ baseUrl, uid }: { baseUrl: string; uid: string }): string => `${baseUrl}#${uid}`;
