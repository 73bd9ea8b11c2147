import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../support/digest.ts';
import { unlessGone } from '../support/files.ts';
import { UIDS } from '../support/office.ts';
import type { Book } from './book.ts';
import type { OpenInbox } from './inboxes.ts';

const KEPT_MS = 12_000;

interface CleanerParts {
  readonly inboxes: readonly OpenInbox[];
  readonly book: Book;
  readonly archive: string;
  readonly closedDirs: Set<string>;
}

/**
 * The person who tidies the folders: removes files accepted a while ago, from folders and archive, and empty directories. Checks on the way that
 * originals are as configured (promise P3).
 */
export class Cleaner {
  readonly #parts: CleanerParts;
  readonly breaches: string[] = [];
  /** Files in the archive, and when each was first seen there. */
  readonly #filed = new Map<string, number>();

  constructor(parts: CleanerParts) {
    this.#parts = parts;
  }

  /** `archiveToo`: false while an agent may be finding out what it did there before a kill. */
  async tidy(archiveToo: boolean): Promise<void> {
    for (const inbox of this.#parts.inboxes) {
      if (inbox.gate.isClosed) continue;
      await inbox.gate.inside(async () => {
        await this.#tidyInbox(inbox);
        if (inbox.inbox.recursive) await this.#tidyDirs();
        if (inbox.inbox.after === 'archive' && archiveToo) await this.#tidyArchive();
      });
    }
  }

  /** Files still in folders from which the agent archives or deletes originals. */
  async leftBehind(): Promise<string[]> {
    const left: string[] = [];
    for (const { inbox } of this.#parts.inboxes) {
      if (inbox.after === 'keep') continue;
      for (const name of await readdir(inbox.dir)) {
        const path = join(inbox.dir, name);
        if (path === this.#parts.archive || this.#parts.book.refusals.has(path)) continue;
        left.push(path);
      }
    }
    return left;
  }

  async #tidyInbox({ inbox, lying }: OpenInbox): Promise<void> {
    const old = Date.now() - KEPT_MS;
    for (const [path, { sha256: hash, at }] of lying) {
      if (at > old) continue;
      const isRefused = this.#parts.book.refusals.has(path) && this.#parts.book.isRefused(path);
      if (!isRefused && !this.#parts.book.isAccepted(inbox.alias, hash)) continue;
      if (inbox.after !== 'keep' && !isRefused) {
        if ((await unlessGone(readFile(path))) === null) lying.delete(path);
        continue;
      }
      const bytes = await unlessGone(readFile(path));
      if (bytes === null) this.breaches.push(`${path} should be kept, but is gone`);
      else if (sha256(bytes) !== hash) this.breaches.push(`${path} should be kept, but has different bytes`);
      await rm(path, { force: true });
      lying.delete(path);
      this.#parts.book.count('tidied away');
    }
  }

  async #tidyDirs(): Promise<void> {
    for (const dir of this.#parts.closedDirs) {
      const isGone = await rmdir(dir).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      );
      if (!isGone) continue;
      this.#parts.closedDirs.delete(dir);
      this.#parts.book.count('directories gone');
    }
  }

  async #tidyArchive(): Promise<void> {
    const now = Date.now();
    for (const name of await readdir(this.#parts.archive).catch(() => [])) {
      const path = join(this.#parts.archive, name);
      if ((await stat(path)).isDirectory()) continue;
      const since = this.#filed.get(path) ?? now;
      this.#filed.set(path, since);
      if (since > now - KEPT_MS) continue;
      const hash = sha256(await readFile(path));
      // If a kill prevented the log line, the file stays to the end.
      if (!this.#parts.book.isAccepted('office', hash)) continue;
      if (!this.#parts.book.images.has(`${UIDS.office} ${hash}`))
        this.breaches.push(`${basename(dirname(path))}/${name} has bytes that nobody scanned`);
      await rm(path);
      this.#filed.delete(path);
      this.#parts.book.count('taken from the archive');
    }
  }
}
