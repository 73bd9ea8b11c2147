import { UIDS, type Alias } from './place.ts';

/** Of the hash, as the names of the config carry it. */
const SHORT = 12;

/**
 * What was put into the folders, and what the agent's log said of it.
 *
 * An image that comes to rest and stays until it is accepted must be accepted. One that is taken away sooner may also be
 * lost, as long as the ledger says so, or never have been seen.
 */
export class Book {
  /** By `endpoint uid + hash`: whether it must be accepted. */
  readonly images = new Map<string, { must: boolean }>();
  /** Absolute paths of files that are no images, and the state in which the ledger must have them. */
  readonly refusals = new Map<string, 'rejected' | 'incomplete'>();
  /** Hashes of images that were renamed at a moment of their own; the agent may take one for lost until it has found it. */
  readonly moved = new Set<string>();
  readonly counts = new Map<string, number>();
  readonly #accepted = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #open = new Set<string>();
  readonly #waiters = new Map<string, (() => void)[]>();

  /** An image is about to lie in a folder of that endpoint. `must` once is `must` forever. */
  expect(alias: Alias, sha256: string, must: boolean): void {
    const key = `${UIDS[alias]} ${sha256}`;
    const known = this.images.get(key);
    if (known) known.must ||= must;
    else this.images.set(key, { must });
    const short = `${alias} ${sha256.slice(0, SHORT)}`;
    if (must && !this.#accepted.has(short)) this.#open.add(short);
  }

  /** Whether the log may say that an image with that hash is lost. */
  mayBeLost(sha256: string): boolean {
    if (this.moved.has(sha256)) return true;
    return Object.values(UIDS).some((uid) => this.images.get(`${uid} ${sha256}`)?.must === false);
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  /** A line of the log: it has the document's name alone, which ends with the first of the hash. */
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

  /** How many images must still be accepted, as far as the log says. */
  get waiting(): number {
    return this.#open.size;
  }

  /** The log says that the file is not sent. */
  refused(path: string): void {
    this.#refused.add(path);
  }

  isRefused(path: string): boolean {
    return this.#refused.has(path);
  }

  get acceptedCount(): number {
    return this.#accepted.size;
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
