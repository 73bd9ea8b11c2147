import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect } from 'vitest';
import type { AccountOf } from '../../../src/core/domain/account.ts';
import {
  endpointId,
  type Document,
  type EndpointKey,
  type FileIdentity,
} from '../../../src/core/domain/document.ts';
import { parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import type { Naming } from '../../../src/core/domain/naming.ts';
import type { Hold } from '../../../src/core/domain/hold.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { Admission, FileSeen, FileNote } from '../../../src/core/ports/ledgerIntake.ts';
import type { ListFilter, ListRow } from '../../../src/core/ports/ledgerReports.ts';
import {
  begin,
  nextOf as nextFrom,
  finish,
  type AttemptResult,
  type QueueQuery,
  type Recording,
  type Transition,
} from '../../support/uploads.ts';

/** A location for one ledger. `open` reopens what the last one left; all endpoints share one account by default. */
export interface LedgerPlace {
  open(accountOf?: AccountOf): Promise<Ledger>;
  /** All stored data, including the history. */
  stored(): Promise<string>;
  remove(): Promise<void>;
}

export const OFFICE: EndpointKey = { baseUrl: 'http://127.0.0.1:9', uid: 'office' };
export const SHOP: EndpointKey = { baseUrl: 'http://127.0.0.1:9', uid: 'shop' };

export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

export function identity(n = 1): FileIdentity {
  return { size: 100 + n, mtimeNs: BigInt(n), ctimeNs: BigInt(n), inode: BigInt(n) };
}

export function seen(path: string, n = 1, folder = '/scans'): FileSeen {
  return { folder, path, identity: identity(n) };
}

export function admission(path: string, content: string, more: Partial<Admission> = {}): Admission {
  return {
    endpoint: OFFICE,
    file: seen(path),
    sha256: hashOf(content),
    type: 'jpeg',
    lane: 'fresh',
    at: 1_000,
    naming: [`doc-${content}`],
    ...more,
  };
}

/** Names from a template, for a file with that name and no extension. */
export function naming(template: string, content: string, stem = 'scan'): Naming {
  const date = new Date(1_000);
  const of = { folder: '/scans', path: stem, host: 'host', endpoint: 'office', date, captured: date };
  return parseTemplate(template).naming({ ...of, hash: hashOf(content), maxBytes: 255 });
}

/** Every third wants the same name; the rest collide with each other's numbers: `n1` and 5 is `n` and 15. */
export function colliding(n: number, content: string): Naming {
  return n % 3 === 0 ? naming('same', content) : naming('{stem}{seq}', content, n % 3 === 1 ? 'n' : 'n1');
}

export function note(verdict: FileNote['verdict'], more: Partial<FileNote> = {}): FileNote {
  return { verdict, reason: 'WHY', message: 'Because.', sha256: null, policy: 'p1', at: 1_000, ...more };
}

export function hold(more: Partial<Hold> = {}): Hold {
  return {
    scope: 'endpoint',
    key: endpointId(OFFICE),
    reason: 'HTTP_403',
    message: 'Not allowed.',
    since: 1_000,
    until: null,
    demandedUntil: null,
    ...more,
  };
}

export function ended(outcome: AttemptResult['outcome'], transition: Transition, at = 3_000): AttemptResult {
  return { at, outcome, httpStatus: outcome === 'unknown' ? null : 200, message: 'words', transition };
}

export const ACCEPTED: Transition = {
  state: 'accepted',
  serviceStatus: 'PROCESSING',
  response: '{"status":"PROCESSING"}',
};
/** How most requests end. */
export const ACCEPTANCE: AttemptResult = {
  at: 3_000,
  outcome: 'accepted',
  httpStatus: 200,
  message: null,
  transition: ACCEPTED,
};
export const FAILED: Transition = { state: 'failed', reason: 'HTTP_422', message: 'Refused.' };
/** How a request ends that the service refuses. */
export const REFUSAL = { outcome: 'refused', httpStatus: 422, transition: FAILED } as const;

export function later(notBefore: number, more: { answerLost?: boolean; isOdd?: boolean } = {}): Transition {
  const { answerLost = false, isOdd = false } = more;
  return { state: 'queued', notBefore, reason: 'HTTP_503', message: 'Down.', answerLost, isOdd };
}

/** What a ledger lists. */
export async function rowsOf(ledger: Pick<Ledger, 'list'>, filter: ListFilter = {}): Promise<ListRow[]> {
  const rows: ListRow[] = [];
  for await (const row of ledger.list(filter)) rows.push(row);
  return rows;
}

export function nextOf(
  ledger: Pick<Ledger, 'heads'>,
  limit = 10,
  more: Partial<QueueQuery> = {},
): Promise<readonly Document[]> {
  return nextFrom(ledger, {
    endpoint: OFFICE,
    lane: 'fresh',
    limit,
    now: 5_000,
    exceptFolders: [],
    freshSince: 0,
    longestWaitMs: 3_600_000,
    ...more,
  });
}

/** One request for a document, begun `from` that time on; it is accepted unless `end` says otherwise. */
export async function send(
  ledger: Recording,
  id: number,
  { from = 2_000, bytes = 100, ...end }: Partial<AttemptResult> & { from?: number; bytes?: number } = {},
): Promise<void> {
  await finish(ledger, await begin(ledger, id, from, bytes), { ...ACCEPTANCE, ...end });
}

/** The ledger of a test, and what the tests do with it. */
export type LedgerUse = ReturnType<typeof ledgerOfEachTest>;

/** Opens a ledger in an empty location before each test. */
export function ledgerOfEachTest(create: () => Promise<LedgerPlace>) {
  let place: LedgerPlace;
  let opened: Ledger;

  beforeEach(async () => {
    place = await create();
    opened = await place.open();
  });
  afterEach(async () => {
    await opened.close();
    await place.remove();
  });

  /** The one that is open: another one in each test, and after `reopen`. */
  const ledger = new Proxy({} as Ledger, { get: (_, name) => Reflect.get(opened, name) as unknown });

  async function reopen(whileClosed: () => Promise<void> = async () => {}): Promise<void> {
    await opened.close();
    await whileClosed();
    opened = await place.open();
  }

  async function queued(path: string, content: string, more: Partial<Admission> = {}): Promise<Document> {
    const admitted = await ledger.admit(admission(path, content, more));
    expect(admitted.kind).toBe('queued');
    return admitted.document;
  }

  async function upload(id: number, transition: Transition, outcome: AttemptResult['outcome'] = 'accepted') {
    await send(ledger, id, ended(outcome, transition));
  }

  async function nextNames(limit: number, more: Partial<QueueQuery> = {}) {
    return (await nextOf(ledger, limit, more)).map(({ name }) => name);
  }

  const toDispose = (
    folder: string,
    afterFileId: number,
    limit: number,
    statuses: readonly string[] | null,
    stays = 0,
  ) => ledger.toDispose(folder, { afterFileId, limit, stays, statuses });

  const rows = (filter: ListFilter = {}): Promise<ListRow[]> => rowsOf(ledger, filter);

  async function inPages(
    filter: Omit<ListFilter, 'limit'>,
    order: 'oldest' | 'newest',
    limit: number,
    between: () => Promise<void> = async () => {},
  ): Promise<string[]> {
    const paths: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const wanted = { order, limit, withinMs: 60_000, ...(cursor !== '' && { cursor }) };
      const { rows: part, next, lookedUntil } = await ledger.page(filter, wanted);
      expect(part.length).toBeLessThanOrEqual(limit);
      expect(next === null).toBe(lookedUntil === null);
      // The search ends at or after the last row found, at a valid date.
      const last = Date.parse(part.at(-1)?.createdAt ?? '');
      const searched = lookedUntil ?? last;
      expect(() => new Date(lookedUntil ?? 0).toISOString()).not.toThrow();
      expect(order === 'oldest' ? searched < last : searched > last).toBe(false);
      paths.push(...part.map(({ path }) => path));
      cursor = next;
      await between();
    }
    return paths;
  }

  async function state(id: number): Promise<Document> {
    const document = await ledger.document(id);
    if (!document) throw new Error('no such document');
    return document;
  }

  /** A document in each of two states, a duplicate, one of another endpoint, and other files. */
  async function fill(): Promise<void> {
    const a = await queued('a', 'a', { at: 10 });
    await queued('sub/b', 'b', { at: 20, file: seen('sub/b', 2) });
    await ledger.admit(admission('copy-of-a', 'a', { at: 30 }));
    await queued('c', 'c', { at: 40, endpoint: SHOP, file: seen('c', 3, '/other') });
    await ledger.note(seen('bad.txt'), note('rejected', { at: 25 }));
    await ledger.note(seen('half.jpg'), note('incomplete', { at: 45 }));
    await ledger.note(seen('old.jpg'), note('skipped', { at: 5 }));
    await upload(a.id, ACCEPTED);
  }

  return {
    ledger,
    reopen,
    /** All stored data of the ledger, while it is closed. */
    stored: () => place.stored(),
    queued,
    upload,
    nextNames,
    toDispose,
    rows,
    inPages,
    state,
    fill,
  };
}
