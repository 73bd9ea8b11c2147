import { randomFillSync } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';

const CHUNK_BYTES = 1024 * 1024;
/** Free besides a reserve that is restored: with nothing at all the disk would be full again at the next commit. */
const ROOM_BYTES = 1_000_000;

/**
 * Space set aside for the full disk, so that the outcomes of requests under way can still be recorded:
 *
 *   absent ──prepare──▶ held ──release──▶ absent ──restore, once there is room for it and a little more──▶ held
 *
 * A file of random bytes: a file system that compresses or leaves out empty blocks would set nothing aside. Written
 * under another name first, so that what a kill cut short is never taken for the whole. Synchronous, as a commit is.
 */
export class Reserve {
  readonly #path: string;
  readonly #bytes: number;
  #held = false;

  /** `bytes` 0: there is none, and `prepare` has nothing to do. */
  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#bytes = bytes;
  }

  get isHeld(): boolean {
    return this.#held;
  }

  /** Idempotent. False if there is no space; nothing is left behind then. Other failures of the disk count as that. */
  prepare(): boolean {
    if (this.#bytes === 0) {
      this.#held = false;
      this.#remove(this.#path);
      return true;
    }
    try {
      if (!this.#isWhole()) this.#create();
      this.#held = true;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      this.release();
    }
    return this.#held;
  }

  /** Idempotent, and never throws: it is called when the disk is in trouble already. */
  release(): void {
    this.#held = false;
    this.#remove(this.#path);
    this.#remove(this.#partial);
  }

  /** So much has to be free for `restore`. */
  get wantedBytes(): number {
    return this.#bytes === 0 ? 0 : this.#bytes + ROOM_BYTES;
  }

  /** Prepares it again, if that leaves some room. */
  restore(): boolean {
    if (this.#held) return true;
    try {
      const { bavail, bsize } = fs.statfsSync(dirname(this.#path));
      return bavail * bsize >= this.wantedBytes && this.prepare();
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    }
  }

  get #partial(): string {
    return `${this.#path}.new`;
  }

  #isWhole(): boolean {
    const there = fs.lstatSync(this.#path, { throwIfNoEntry: false });
    // A copy of the state directory may have left out what it took for empty.
    return there?.isFile() === true && there.size === this.#bytes && there.blocks * 512 >= this.#bytes;
  }

  #create(): void {
    this.release();
    const handle = fs.openSync(this.#partial, 'wx', 0o600);
    try {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, this.#bytes));
      for (let written = 0; written < this.#bytes;) {
        randomFillSync(chunk);
        written += fs.writeSync(handle, chunk, 0, Math.min(chunk.length, this.#bytes - written));
      }
      fs.fsyncSync(handle);
    } finally {
      fs.closeSync(handle);
    }
    fs.renameSync(this.#partial, this.#path);
    syncDirectorySync(dirname(this.#path));
  }

  /** Truncated first: a file system may give space back late where a file is only unlinked. */
  #remove(path: string): void {
    for (const step of [() => fs.truncateSync(path), () => fs.unlinkSync(path)]) {
      try {
        if (fs.lstatSync(path, { throwIfNoEntry: false })?.isFile() === true) step();
      } catch (error) {
        if (systemCode(error) === undefined) throw error;
      }
    }
  }
}
