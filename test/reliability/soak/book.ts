import type { Event } from '../../oracle/evidence.ts';
import { UIDS, type Alias } from '../support/office.ts';

/** Length of the hash in names, as configured. */
const SHORT = 12;

/**
 * What was put into the folders, and what the agent's log said about it.
 *
 * An image that stays until it is accepted must be accepted. One that is removed sooner may also be lost, if the ledger says so, or never
 * be seen.
 */
export class Book {
  /** Whether it must be accepted, by `endpoint uid + hash`. */
  readonly images = new Map<string, { must: boolean }>();
  /** Absolute paths of files that are no images, and the state that the ledger must give them. */
  readonly refusals = new Map<string, 'rejected' | 'incomplete'>();
  /** Hashes of images renamed at a random moment, which the agent may report as lost until it finds them. */
  readonly moved = new Set<string>();
  readonly counts = new Map<string, number>();
  readonly #accepted = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #open = new Set<string>();
  readonly #waiters = new Map<string, (() => void)[]>();

  /** Announces an image before it is written to a folder of the endpoint. `must` is never reset. */
  expect(alias: Alias, sha256: string, must: boolean): void {
    const key = `${UIDS[alias]} ${sha256}`;
    const known = this.images.get(key);
    if (known) known.must ||= must;
    else this.images.set(key, { must });
    const short = `${alias} ${sha256.slice(0, SHORT)}`;
    if (must && !this.#accepted.has(short)) this.#open.add(short);
  }

  /** Whether the log may report an image with that hash as lost. */
  mayBeLost(sha256: string): boolean {
    if (this.moved.has(sha256)) return true;
    return Object.values(UIDS).some((uid) => this.images.get(`${uid} ${sha256}`)?.must === false);
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  /** Takes a log line, which has only the document's name; its ending is the first part of the hash. */
  accepted(name: string): void {
    const key = shortKey(name);
    if (key === null || this.#accepted.has(key)) return;
    this.#accepted.add(key);
    this.#open.delete(key);
    for (const tell of this.#waiters.get(key) ?? []) tell();
    this.#waiters.delete(key);
  }

  isAccepted(alias: Alias, sha256: string): boolean {
    return this.#accepted.has(`${alias} ${sha256.slice(0, SHORT)}`);
  }

  /** How many images have yet to be accepted, according to the log. */
  get waiting(): number {
    return this.#open.size;
  }

  /** Notes that the log reports the file as not sent. */
  refused(path: string): void {
    this.#refused.add(path);
  }

  isRefused(path: string): boolean {
    return this.#refused.has(path);
  }

  get acceptedCount(): number {
    return this.#accepted.size;
  }

  /** What was scanned, for the oracle. */
  *history(): Generator<Event> {
    for (const [key, { must }] of this.images) {
      const [uid = '', sha256 = ''] = key.split(' ');
      // One that was removed at a random moment may not have been seen.
      yield { kind: 'image', uid, sha256, knownAs: must ? null : 'unseen' };
    }
    for (const [path, state] of this.refusals) {
      // `list` omits incomplete files that are gone.
      if (state === 'incomplete' && this.isRefused(path)) continue;
      const is = state === 'rejected' ? 'junk' : 'cutShort';
      yield { kind: 'content', at: 0, content: { sha256: path, is } };
      yield { kind: 'file', at: 0, folder: '', path: path.slice(1), sha256: path };
    }
  }

  whenAccepted(alias: Alias, sha256: string): Promise<void> {
    if (this.isAccepted(alias, sha256)) return Promise.resolve();
    const key = `${alias} ${sha256.slice(0, SHORT)}`;
    return new Promise((resolve) => {
      this.#waiters.set(key, [...(this.#waiters.get(key) ?? []), resolve]);
    });
  }
}

function shortKey(name: string): string | null {
  const match = /^(office|depot)-.*-([0-9a-f]{12})$/.exec(name);
  return match === null ? null : `${match[1]} ${match[2]}`;
}
