import { randomFillSync } from 'node:crypto';
import fs from 'node:fs';
import { dirname } from 'node:path';
import { systemCode } from '../../core/domain/errors.ts';
import { syncDirectorySync } from '../../system/syncDirectory.ts';

const CHUNK_BYTES = 1024 * 1024;
/** Bytes that must stay free after restoring the reserve: otherwise the next commit would fill the disk again. */
const ROOM_BYTES = 1_000_000;

/**
 * Disk space set aside, so that the outcomes of requests in progress can still be recorded when the disk is full:
 *
 *   absent ──prepare──▶ held ──release──▶ absent ──restore, once there is room for it and a little more──▶ held
 *
 * A file of random bytes: a file system that compresses, or omits empty blocks, would reserve nothing otherwise.
 * Written under a temporary name first, so that an incomplete file is never taken for the reserve. Synchronous, like
 * commits.
 */
export class Reserve {
  readonly #path: string;
  readonly #bytes: number;
  #held = false;

  /** `bytes` 0: no reserve; `prepare` only removes an old one. */
  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#bytes = bytes;
  }

  get isHeld(): boolean {
    return this.#held;
  }

  /** Idempotent. False without enough space, or on any other disk failure; nothing is left behind then. */
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

  /** Idempotent. Never throws: it is called when the disk is already in trouble. */
  release(): void {
    this.#held = false;
    this.#remove(this.#path);
    this.#remove(this.#partial);
  }

  /** Bytes that must be free for `restore`. */
  get wantedBytes(): number {
    return this.#bytes === 0 ? 0 : this.#bytes + ROOM_BYTES;
  }

  /** Prepares the reserve again if that leaves some room. */
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
    // A copy of the state directory may have turned it into a sparse file.
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

  /** Truncates first: on some file systems, unlinking alone frees the space late. */
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
