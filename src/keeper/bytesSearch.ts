import { BYTES_MISSING, type Document } from '../core/domain/document.ts';
import { toMessage, whyText } from '../core/domain/why.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { Spool } from '../core/ports/spool.ts';
import { locateBytes, type ImageSearch, type OpenFolder } from './locateBytes.ts';

export interface BytesSearchDeps {
  readonly ledger: Ledger;
  readonly spool: Pick<Spool, 'read'>;
  readonly open: OpenFolder;
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
    // Read before the search: a file that is admitted during it must not be missed.
    const isSearched = this.#isSearchedFor(document);
    const found = await locateBytes(document, this.#deps);
    if (found.kind === 'bytes') return found.bytes;
    const now = clock.now();
    if (found.kind === 'away') {
      this.end(document.id);
      await ledger.postpone(document.id, now + AWAY_RETRY_MS, 'FILE_AWAY', toMessage(found.why), now);
    } else if (isSearched) {
      await this.#lost(document, found);
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

  async #lost(
    { id, name, folder, path, sha256 }: Document,
    { why, newestSeen }: Extract<ImageSearch, { kind: 'gone' }>,
  ): Promise<void> {
    const { ledger, clock, log } = this.#deps;
    await ledger.markLost(id, toMessage(why), clock.now(), newestSeen);
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
