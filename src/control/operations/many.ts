import { ReceiptdError } from '../../core/domain/errors.ts';
import { isNeeding, UNDECIDED_STATES } from '../../core/domain/needsPerson.ts';
import { locateBytes, type OpenFolder } from '../../keeper/locateBytes.ts';
import { endpointId } from '../../core/domain/document.ts';
import { isElsewhere } from '../../core/domain/elsewhere.ts';
import type { EndpointSettings } from '../../core/domain/settings.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { LedgerReports, ListFilter, ListRow, ListState } from '../../core/ports/ledgerReports.ts';
import type { Spool } from '../../core/ports/spool.ts';
import type { ManyAct } from '../protocol/many.ts';
import type { Request, Response } from '../protocol/protocol.ts';
import { listFilter } from '../queries/documents.ts';
import { rowsOfDocuments } from '../queries/rowsOfDocuments.ts';
import { PART_MS } from './parts.ts';
import { SOMEBODY } from '../protocol/shapes.ts';

export interface ManyDeps {
  readonly ledger: Ledger;
  readonly spool: Spool;
  readonly open: OpenFolder;
  readonly endpoints: readonly EndpointSettings[];
  readonly clock: Clock;
  /** Makes the flow read its queue again after a change. */
  readonly changed: () => Promise<void>;
}

const AT_ONCE = 500;
/** Smaller, because resending reads each image to check that it is still the one that was sent. */
const RESENT_AT_ONCE = 20;

type ActedOn = Response<'actOnMany'>['done'];

/** The rows of a list that an act applies to. */
const MEANT: Readonly<Record<ManyAct, Pick<ListFilter, 'states' | 'attention'>>> = {
  retry: { states: UNDECIDED_STATES },
  resend: { states: ['accepted'] },
  move: { states: ['queued', 'held', ...UNDECIDED_STATES] },
  dismiss: { attention: 'needed' },
  undismiss: { attention: 'dismissed' },
};

/** @throws ReceiptdError USAGE */
export async function actOnMany(
  deps: ManyDeps,
  { act, documents = [], files = [], filter, endpoint, cursor, by = SOMEBODY }: Request<'actOnMany'>,
): Promise<Response<'actOnMany'>> {
  const { ledger, clock } = deps;
  if (filter === undefined) {
    // The current state decides, not the one that the user saw.
    const rows = isDismissal(act) ? [] : await rowsOfDocuments(ledger, documents);
    const meant = isDismissal(act)
      ? { documents, files }
      : { documents: rows.filter((row) => isMeant(row, act)).flatMap(numberOf), files: [] };
    return { ...(await perform(deps, act, meant, by, endpoint)), next: null };
  }
  if (documents.length + files.length > 0) throw new ReceiptdError('USAGE.numbersOrFilter');
  const wanted = narrowed(listFilter(filter), act);
  const done: ActedOn = { documents: [], files: [] };
  let count = 0;
  let failed = 0;
  let next: string | null = cursor ?? null;
  if (wanted === null) return { count, done, failed, next: null };
  const until = clock.monotonic() + PART_MS;
  do {
    const limit = act === 'resend' ? RESENT_AT_ONCE : AT_ONCE;
    const how = {
      order: 'oldest',
      limit,
      withinMs: PART_MS,
      ...(next !== null && { cursor: next }),
    } as const;
    const page: Awaited<ReturnType<LedgerReports['page']>> = await ledger.page(wanted, how);
    const part = await perform(deps, act, casesOf(page.rows), by, endpoint);
    done.documents.push(...part.done.documents);
    done.files.push(...part.done.files);
    count += part.count;
    failed += part.failed;
    next = page.next;
  } while (next !== null && clock.monotonic() < until);
  return { count, done, failed, next };
}

function isDismissal(act: ManyAct): act is 'dismiss' | 'undismiss' {
  return act === 'dismiss' || act === 'undismiss';
}

/** The filter, restricted to rows that the act applies to; null if no row can match both. */
function narrowed(filter: Omit<ListFilter, 'limit'>, act: ManyAct): Omit<ListFilter, 'limit'> | null {
  const { states, attention } = MEANT[act];
  if (attention !== undefined && filter.attention !== undefined && filter.attention !== attention)
    return null;
  const both = states === undefined ? filter.states : inBoth(filter.states, states);
  if (both?.length === 0) return null;
  return { ...filter, ...(both && { states: both }), ...(attention && { attention }) };
}

const inBoth = (
  some: readonly ListState[] | undefined,
  others: readonly ListState[],
): readonly ListState[] => (some === undefined ? others : some.filter((state) => others.includes(state)));

function isMeant({ state }: ListRow, act: ManyAct): boolean {
  return MEANT[act].states?.includes(state) ?? isNeeding(state);
}

const numberOf = ({ documentId }: ListRow): number[] => (documentId === null ? [] : [documentId]);

function casesOf(rows: readonly ListRow[]): ActedOn {
  return {
    documents: rows.filter(({ fileId }) => fileId === null).flatMap(numberOf),
    files: rows.flatMap(({ fileId }) => fileId ?? []),
  };
}

async function perform(
  deps: ManyDeps,
  act: ManyAct,
  cases: ActedOn,
  by: string,
  endpoint: string | undefined,
): Promise<Omit<Response<'actOnMany'>, 'next'>> {
  const { ledger, clock } = deps;
  if (cases.documents.length + cases.files.length === 0) return { count: 0, done: cases, failed: 0 };
  switch (act) {
    case 'dismiss':
      return { count: await ledger.dismiss(cases, by, clock.now()), done: cases, failed: 0 };
    case 'undismiss':
      return { count: await ledger.undismiss(cases, by, clock.now()), done: cases, failed: 0 };
    case 'retry': {
      await record(deps, 'retry', cases.documents, by);
      const count = await ledger.retry(cases.documents, clock.now());
      await deps.changed();
      return { count, done: { documents: cases.documents, files: [] }, failed: 0 };
    }
    case 'move':
      return move(deps, cases.documents, by, configured(deps, endpoint));
    case 'resend':
      return resend(deps, cases.documents, by);
  }
}

/** The configured endpoint with this alias. @throws ReceiptdError USAGE, ENDPOINT_UNKNOWN */
export function configured(
  { endpoints }: Pick<ManyDeps, 'endpoints'>,
  alias: string | undefined,
): EndpointSettings {
  if (alias === undefined) throw new ReceiptdError('USAGE.endpointForDocuments');
  const found = endpoints.find((each) => each.alias === alias || each.key.uid === alias);
  if (found) return found;
  throw new ReceiptdError('ENDPOINT_UNKNOWN.notConfigured', {
    alias,
    known: endpoints.map((each) => each.alias),
  });
}

/** Skips documents that this agent, or another one of the fleet with its own endpoints, may be about to send. */
async function move(
  deps: ManyDeps,
  ids: readonly number[],
  by: string,
  { key, alias }: EndpointSettings,
): Promise<Omit<Response<'actOnMany'>, 'next'>> {
  const { ledger, endpoints, clock } = deps;
  const own = new Set(endpoints.map((each) => endpointId(each.key)));
  const documents: number[] = [];
  for (const id of ids) {
    const document = await ledger.document(id);
    if (document && !own.has(endpointId(document.endpoint)) && !isElsewhere(document.folder))
      documents.push(id);
  }
  if (documents.length > 0) await record(deps, 'move', documents, by, ` to ${alias}`);
  const count = await ledger.moveTo(documents, key, by, clock.now());
  await deps.changed();
  return { count, done: { documents, files: [] }, failed: 0 };
}

async function resend(
  deps: ManyDeps,
  ids: readonly number[],
  by: string,
): Promise<Omit<Response<'actOnMany'>, 'next'>> {
  const { ledger, spool, open, clock } = deps;
  const found: number[] = [];
  for (const id of ids) {
    const document = await ledger.document(id);
    if (document?.state !== 'accepted') continue;
    if ((await locateBytes(document, { ledger, spool, open })).kind === 'bytes') found.push(id);
  }
  if (found.length > 0) await record(deps, 'resend', found, by);
  for (const id of found) await ledger.resend(id, clock.now());
  await deps.changed();
  return {
    count: found.length,
    done: { documents: found, files: [] },
    failed: ids.length - found.length,
  };
}

/** Records document numbers instead of names, so that the list is complete however long it is. */
async function record(
  { ledger, clock }: ManyDeps,
  kind: 'retry' | 'resend' | 'move',
  ids: readonly number[],
  by: string,
  more = '',
): Promise<void> {
  await ledger.recordAct({ at: clock.now(), kind, by, detail: `documents ${ids.join(' ')}${more}` });
}
