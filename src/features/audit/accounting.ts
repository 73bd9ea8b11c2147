import type { Clock } from '../../core/ports/clock.ts';
import type { LedgerReports, ListState, SeenCount, StateCount } from '../../core/ports/ledgerReports.ts';
import type { WhyFact } from '../../core/domain/why.ts';

/** Outcomes of a file, or of a page of one: exactly one applies (promise P1). */
export const CATEGORIES = [
  'accepted',
  'duplicate',
  'split',
  'rejected',
  'failed',
  'waiting',
  'lost',
  'skipped',
] as const;
export type Category = (typeof CATEGORIES)[number];

const CATEGORY_OF: Readonly<Record<ListState, Category>> = {
  accepted: 'accepted',
  duplicate: 'duplicate',
  split: 'split',
  rejected: 'rejected',
  failed: 'failed',
  lost: 'lost',
  skipped: 'skipped',
  queued: 'waiting',
  uploading: 'waiting',
  held: 'waiting',
  unconfirmed: 'waiting',
  incomplete: 'waiting',
  unreadable: 'waiting',
};

const OF_DOCUMENTS = ['queued', 'uploading', 'accepted', 'failed', 'unconfirmed', 'lost'] as const;
const OF_FILES = ['duplicate', 'split', 'rejected', 'skipped', 'incomplete', 'unreadable'] as const;

/** Every file seen, counted in exactly one category. */
export interface FileTally {
  readonly seen: number;
  readonly by: Readonly<Record<Category, number>>;
  /** The states that make up `waiting`. */
  readonly waiting: Readonly<Partial<Record<ListState, number>>>;
}

export function tally(counts: readonly Pick<SeenCount, 'state' | 'count'>[]): FileTally {
  const by: Record<Category, number> = {
    accepted: 0,
    duplicate: 0,
    split: 0,
    rejected: 0,
    failed: 0,
    waiting: 0,
    lost: 0,
    skipped: 0,
  };
  const waiting: Partial<Record<ListState, number>> = {};
  let seen = 0;
  for (const { state, count } of counts) {
    seen += count;
    const category = CATEGORY_OF[state];
    by[category] += count;
    if (category === 'waiting') waiting[state] = (waiting[state] ?? 0) + count;
  }
  return { seen, by, waiting };
}

/** Whether a tally equals the sum of its categories: an unknown state would be in none. */
export function addsUp({ seen, by }: FileTally): boolean {
  return seen === CATEGORIES.reduce((sum, category) => sum + by[category], 0);
}

export interface CrossCheck {
  /** Names issued, which equals the number of documents. */
  readonly documents: number;
  /** Documents that a person resent to another endpoint: they have no file of their own. */
  readonly sentElsewhere: number;
  /** False if the ledger kept changing, so that some numbers could not be compared. */
  readonly settled: boolean;
  readonly differences: readonly WhyFact[];
}

const TRIES = 20;
const AGAIN_MS = 100;

/**
 * Counts the ledger twice: by files, and by documents plus files that are not documents. Files that are not documents
 * must match exactly. In each state, there must be at least as many files as documents (a file that left and came back was seen
 * twice); if there are fewer, each document's file is looked up.
 */
export async function crossCheck(
  reports: LedgerReports,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Promise<CrossCheck> {
  for (let left = TRIES; ; left -= 1) {
    const before = await reports.counts();
    const seen = await reports.seenCounts(null, null);
    const after = await reports.counts();
    const settled = JSON.stringify(before) === JSON.stringify(after);
    // A daemon may have written between the two reads: a difference proves nothing then.
    if (!settled && left > 0) {
      await clock.sleep(AGAIN_MS, signal);
      continue;
    }
    const differences = settled ? compareFiles(after, seen) : [];
    const orphans = settled ? await withoutFile(reports, after, seen) : { sentElsewhere: 0, differences: [] };
    const documents = after.filter(isOfDocuments).reduce((sum, { count }) => sum + count, 0);
    return {
      documents,
      sentElsewhere: orphans.sentElsewhere,
      settled,
      differences: [...differences, ...orphans.differences],
    };
  }
}

function compareFiles(counts: readonly StateCount[], seen: readonly SeenCount[]): WhyFact[] {
  const folders = new Set([...counts, ...seen].map(({ folder }) => folder));
  const found: WhyFact[] = [];
  for (const folder of folders) {
    for (const state of OF_FILES) {
      const one = sum(seen, (each) => each.folder === folder && each.state === state);
      const other = sum(counts, (each) => each.folder === folder && each.state === state);
      if (one !== other) found.push({ is: 'countsDiffer', folder, state, one, other });
    }
  }
  return found;
}

async function withoutFile(
  reports: LedgerReports,
  counts: readonly StateCount[],
  seen: readonly SeenCount[],
): Promise<{ sentElsewhere: number; differences: WhyFact[] }> {
  const few = OF_DOCUMENTS.filter(
    (state) => sum(seen, (each) => stateOf(each) === state) < sum(counts, (each) => stateOf(each) === state),
  );
  const differences: WhyFact[] = [];
  let sentElsewhere = 0;
  if (few.length === 0) return { sentElsewhere, differences };
  const endpoints = (await reports.endpoints()).map(({ endpoint }) => endpoint);
  const states: ListState[] = few.includes('queued') ? [...few, 'held'] : [...few];
  for await (const { documentId, sha256, name, state } of reports.list({ states })) {
    if (documentId === null || sha256 === null) continue;
    const detail = await reports.detail(documentId);
    if (detail === null || detail.files.some(({ verdict }) => verdict === 'document')) continue;
    const twins = await Promise.all(endpoints.map((endpoint) => reports.bySha256(endpoint, sha256)));
    if (twins.some((twin) => twin !== null && twin.id !== documentId)) sentElsewhere += 1;
    else differences.push({ is: 'noFile', name: name ?? sha256, state });
  }
  return { sentElsewhere, differences };
}

function isOfDocuments(count: { readonly state: ListState }): boolean {
  return OF_DOCUMENTS.some((state) => state === stateOf(count));
}

/** `held` is a queued document under a hold. */
function stateOf({ state }: { readonly state: ListState }): ListState {
  return state === 'held' ? 'queued' : state;
}

function sum<T extends { readonly count: number }>(
  counts: readonly T[],
  which: (count: T) => boolean,
): number {
  return counts.filter(which).reduce((total, { count }) => total + count, 0);
}
