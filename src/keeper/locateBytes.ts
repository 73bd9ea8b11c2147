import { isAbsolute } from 'node:path';
import { BYTES_MISSING, type Document } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { fileOf } from '../core/domain/pages.ts';
import { ofError, toMessage, whyText, type AwayFact, type WhyFact } from '../core/domain/why.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { WatchedFolder } from '../core/ports/folder.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { LedgerQueue } from '../core/ports/ledgerQueue.ts';
import type { Log } from '../core/ports/log.ts';
import type { BytesReading, Spool } from '../core/ports/spool.ts';
import { sha256 } from '../core/sha256.ts';

/**
 * `away`: a place that may have the bytes can't be read now. `gone`: no place that this agent can reach has them any more;
 * `elsewhere`: another agent's may.
 */
export type ImageSearch =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'away'; readonly why: WhyFact }
  | {
      readonly kind: 'gone';
      readonly why: AwayFact;
      readonly elsewhere?: boolean;
    };

/** Opens a folder by its absolute path, whether or not it is (still) configured. */
export type OpenFolder = (path: string) => WatchedFolder;

/** Identifies the bytes, and says where they were first seen. */
export type Sought = Pick<Document, 'sha256' | 'size' | 'folder' | 'path'>;

/** Where bytes may be, and how they are read. */
export interface Places {
  readonly ledger: LedgerQueue;
  readonly spool: Pick<Spool, 'read'>;
  readonly open: OpenFolder;
  readonly reading?: BytesReading | undefined;
}

/** Finds a document's bytes in the spool or in any place where they were seen. The returned bytes match the document's hash. */
export async function locateBytes(
  document: Sought,
  { ledger, spool, open, reading }: Places,
): Promise<ImageSearch> {
  const copy = await spool.read(document.sha256, reading).catch((error: unknown) => {
    if (error instanceof ReceiptdError) return error;
    throw error;
  });
  if (copy !== null && !(copy instanceof ReceiptdError)) return { kind: 'bytes', bytes: copy };
  const found = await locateOriginal(document, ledger, open, reading?.hash);
  // A copy that can't be read now may still exist.
  return found.kind === 'gone' && copy !== null ? { kind: 'away', why: ofError(copy) } : found;
}

/** Finds a document's bytes in any folder or archive where they were seen. The returned bytes match the document's hash. */
export async function locateOriginal(
  document: Sought,
  ledger: LedgerQueue,
  open: OpenFolder,
  hash: BytesReading['hash'] = async (bytes) => sha256(bytes),
): Promise<ImageSearch> {
  let away: AwayFact | null = null;
  let gone: AwayFact = { is: 'fileGone', file: `${document.folder}/${document.path}` };
  const sources = await ledger.sources(document.sha256);
  for (const source of sources) {
    const [folder, path] =
      source.archivedTo === null ? [source.folder, source.path] : split(source.archivedTo);
    const opened = open(folder);
    // A larger file must be a different one, and would exceed the memory reserved for this one.
    const read = await opened.read(path, document.size);
    if (read.kind === 'bytes' && (await hash(read.bytes)) === document.sha256)
      return { kind: 'bytes', bytes: read.bytes };
    if (read.kind === 'unreadable')
      away = { is: 'fileUnreadable', file: `${folder}/${path}`, system: read.code };
    else {
      const why = await whyAway(opened);
      // Nothing can bring that folder back.
      if (why?.is === 'sentByHand') gone = why;
      else away = why ?? away;
    }
  }
  if (away !== null) return { kind: 'away', why: away };
  // A folder of another agent, or a share that this machine does not have.
  if (!isAbsolute(document.folder))
    return { kind: 'gone', elsewhere: true, why: { is: 'imageElsewhere', folder: document.folder } };
  return { kind: 'gone', why: gone };
}

/** Why the folder is unavailable; null if it is present. While another directory is in its place, the content of a path means nothing. */
async function whyAway(folder: WatchedFolder): Promise<AwayFact | null> {
  const availability = await folder.availability();
  return availability.state === 'present' ? null : availability.why;
}

function split(absolute: string): [folder: string, path: string] {
  // The path of a page is that of its file.
  const { length } = fileOf(absolute);
  const cut = Math.max(absolute.lastIndexOf('/', length - 1), absolute.lastIndexOf('\\', length - 1));
  return [absolute.slice(0, cut) || '/', absolute.slice(cut + 1)];
}

export interface BytesSearchDeps extends Places {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Whether the watched folders that matter for a document of `folder` have been listed since `since` (monotonic). If not,
   * they are listed again soon.
   */
  readonly lookedThrough: (folder: string, since: number) => boolean;
}

/** Grace before a missing file counts as lost: it may just have been renamed or moved. */
const GRACE_MS = 15_000;
/** Longest interval of the search for missing bytes; the intervals grow. */
const RETRY_AT_MOST_MS = 60_000;
/** Cap on documents whose missing bytes are tracked at once; the others wait their turn. */
const AT_ONCE = 50_000;
const AWAY_RETRY_MS = 30_000;

/**
 * Fetches the bytes of documents about to be sent. A document is
 *
 *   found ──no place has its bytes──▶ missing, searched for again and again ──every place was searched──▶ lost
 *     ▲                                  │
 *     └──────they turn up, or may be away┘
 */
export class BytesSearch {
  readonly #deps: BytesSearchDeps;
  /** Documents whose bytes are missing, and since when (monotonic). */
  readonly #missingSince = new Map<number, number>();

  constructor(deps: BytesSearchDeps) {
    this.#deps = deps;
  }

  /** Null if the bytes are unavailable; the document is postponed or marked lost then. */
  async fetch(document: Document): Promise<Buffer | null> {
    const { ledger, clock } = this.#deps;
    // Both before the search: a file that is admitted during it must not be missed.
    const isSearched = this.#isSearchedFor(document);
    const files = isSearched ? await ledger.filesWith(document.sha256) : 0;
    const found = await locateBytes(document, this.#deps);
    if (found.kind === 'bytes') return found.bytes;
    const now = clock.now();
    if (found.kind === 'away') {
      this.end(document.id);
      await ledger.postpone(document.id, now + AWAY_RETRY_MS, 'FILE_AWAY', toMessage(found.why), now);
    } else if (isSearched) {
      await this.#lost(document, found.why, files);
      this.end(document.id);
    } else {
      const waitMs = Math.min(Math.max(this.#missingMs(document), GRACE_MS), RETRY_AT_MOST_MS);
      await ledger.postpone(document.id, now + waitMs, BYTES_MISSING, toMessage(found.why), now);
    }
    return null;
  }

  /** Call when the bytes are there, wherever they were found. */
  end(documentId: number): void {
    this.#missingSince.delete(documentId);
  }

  /** Whether every place that the file may have moved to has been searched. */
  #isSearchedFor({ id, folder }: Document): boolean {
    const since = this.#missingSince.get(id);
    if (since === undefined || this.#deps.clock.monotonic() - since < GRACE_MS) return false;
    return this.#deps.lookedThrough(folder, since);
  }

  /** How long the bytes have been missing; the first call starts the search. */
  #missingMs({ id, folder }: Document): number {
    const now = this.#deps.clock.monotonic();
    const since = this.#missingSince.get(id);
    if (since !== undefined) return now - since;
    if (this.#missingSince.size < AT_ONCE) {
      this.#missingSince.set(id, now);
      this.#deps.lookedThrough(folder, now);
    }
    return 0;
  }

  async #lost({ id, name, folder, path, sha256 }: Document, why: AwayFact, files: number): Promise<void> {
    const { ledger, clock, log } = this.#deps;
    await ledger.markLost(id, toMessage(why), clock.now(), files);
    const { state, reason } = (await ledger.document(id)) ?? {};
    // The file was seen again meanwhile.
    if (state === 'queued' && reason === BYTES_MISSING) return;
    const fields = { documentId: id, name, folder, path, detail: whyText(why) };
    if (state === 'lost')
      log.error('documentLost', {
        ...fields,
        sha256,
      });
    else log.info('imageElsewhere', fields);
  }
}
