import { useEffect, useRef, useState } from 'preact/hooks';
import type { ListRowJson } from '../../../control/protocol/documents.ts';
import type { Response } from '../../../control/protocol/protocol.ts';
import { call, isAbort } from '../api.ts';
import { useCountsTick } from '../parts/hooks.ts';
import { filterHref, renewed, requestOf, type FilterText } from './documentFilter.ts';

const PAGE = 50;
/** Growth at which the first page is read again. */
const GROWN = 4 * PAGE;
const REFRESH_MS = 2000;

export interface DocumentListing {
  readonly rows: readonly ListRowJson[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
  readonly lookedUntil: string | null;
  readonly busy: boolean;
  readonly error: unknown;
  readonly stopped: boolean;
}

export interface ListedRows extends DocumentListing {
  /** Number of new documents not shown yet, because the person is using the table. */
  readonly pending: number;
  readonly showPending: () => void;
  readonly stop: () => void;
  readonly again: () => void;
}

const EMPTY: DocumentListing = {
  rows: [],
  next: null,
  lookedUntil: null,
  busy: true,
  error: null,
  stopped: false,
};

/** One page of documents, filled by as many requests as needed; the first page updates live. */
export function useListing(
  filter: FilterText,
  cursor: string | undefined,
  isAtRest: () => boolean,
): ListedRows {
  const [listing, setListing] = useState<DocumentListing & { key: string }>({ ...EMPTY, key: '' });
  const [pending, setPending] = useState<readonly ListRowJson[]>([]);
  const [turn, setTurn] = useState(0);
  const running = useRef<AbortController | null>(null);
  const key = filterHref(filter, cursor);
  const shown = listing.key === key ? listing : { ...EMPTY, key };

  useEffect(() => {
    const control = new AbortController();
    running.current = control;
    setPending([]);
    setListing({ ...EMPTY, key });
    void fill(filter, cursor, control.signal, (part) => setListing({ ...part, key }));
    return () => control.abort();
  }, [key, turn]);

  const counts = useCountsTick(REFRESH_MS);
  const isFirst = cursor === undefined && filter.order !== 'oldest';
  const latest = useRef(listing);
  latest.current = listing;
  const isSettled = useRef(false);
  isSettled.current = isFirst && !shown.busy && shown.error === null;
  useEffect(() => {
    if (!isSettled.current) return;
    const control = new AbortController();
    const look = async () => {
      const fresh = await call('documents', { ...requestOf(filter), limit: PAGE }, control.signal);
      const last = fresh.rows.at(-1)?.createdAt ?? fresh.lookedUntil;
      const reach = fresh.next === null ? null : last;
      const before = latest.current;
      if (control.signal.aborted || before.key !== key) return;
      const { rows, added } = renewed(before.rows, fresh.rows, reach);
      const isNow = added.length === 0 || isAtRest();
      setPending(isNow ? [] : added);
      setListing({ ...before, rows: isNow ? [...added, ...rows] : rows });
    };
    // The next refresh recovers; a lost connection is reported elsewhere.
    look().catch(() => {});
    return () => control.abort();
  }, [counts]);
  useEffect(() => {
    if (isFirst && !shown.busy && shown.rows.length > GROWN) setTurn((value) => value + 1);
  }, [shown.rows.length]);

  return {
    ...shown,
    pending: pending.length,
    showPending: () => {
      setListing((before) => ({ ...before, rows: [...pending, ...before.rows] }));
      setPending([]);
    },
    stop: () => {
      running.current?.abort();
      setListing((before) => ({ ...before, busy: false, stopped: true }));
    },
    again: () => setTurn((value) => value + 1),
  };
}

async function fill(
  filter: FilterText,
  cursor: string | undefined,
  signal: AbortSignal,
  show: (part: DocumentListing) => void,
): Promise<void> {
  let part: DocumentListing = EMPTY;
  let next: string | null = cursor ?? null;
  try {
    do {
      const request = { ...requestOf(filter), limit: PAGE - part.rows.length };
      const page: Response<'documents'> = await call(
        'documents',
        next ? { ...request, cursor: next } : request,
        signal,
      );
      if (signal.aborted) return;
      next = page.next;
      const rows = [...part.rows, ...page.rows];
      const busy = next !== null && rows.length < PAGE;
      part = { ...part, rows, next, lookedUntil: page.lookedUntil, busy };
      show(part);
    } while (part.busy);
  } catch (error) {
    if (!signal.aborted && !isAbort(error)) show({ ...part, busy: false, error });
  }
}
