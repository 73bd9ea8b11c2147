import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../support/dice.ts';
import type { Image, ImageMaker } from '../support/images.ts';

/** An image at a path. */
export interface Scan {
  readonly path: string;
  readonly sha256: string;
  readonly at: number;
  /** False once it was deleted or overwritten. */
  isThere: boolean;
  /** Whether it must arrive at the service: it exists at the end, or was in the ledger when it was deleted or overwritten. */
  isDue: boolean;
}

export interface ScannerOptions {
  readonly folder: string;
  readonly images: ImageMaker;
  readonly dice: Dice;
  /** Whether the bytes may leave the folder without a loss; null if unknown at the moment. */
  readonly isSafe: (sha256: string) => Promise<boolean | null>;
}

const [SHORTEST_MS, LONGEST_MS] = [20, 150];
/** Pause in the middle of a slowly written file. */
const SLOW_MS = 30;
/** Minimum age in milliseconds at which a safe file may be deleted or overwritten. */
const OLD_MS = 1_500;

/** Puts images into the folder, and renames, deletes and overwrites some that have been there for a while. */
export class Scanner {
  readonly scans: Scan[] = [];
  readonly #options: ScannerOptions;
  readonly #held = new Map<string, Image>();
  #count = 0;

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { dice } = this.#options;
    while (!signal.aborted) {
      const what = dice.weighted({ add: 70, copy: 4, rename: 8, remove: 8, overwrite: 10 });
      await (what === 'add' ? this.#add() : this.#change(what));
      await sleep(dice.int(SHORTEST_MS, LONGEST_MS), undefined, { signal }).catch(() => {});
    }
  }

  async #add(): Promise<void> {
    const { images, dice } = this.#options;
    const image = await images.next();
    const path = this.#nextPath();
    if (dice.chance(0.3)) await this.#writeSlowly(path, image.bytes);
    else await this.#writeAtOnce(path, image.bytes);
    this.#note(path, image);
  }

  async #change(what: 'copy' | 'rename' | 'remove' | 'overwrite'): Promise<void> {
    const { dice, images, isSafe, folder } = this.#options;
    const old = this.scans.filter(({ isThere, at }) => isThere && Date.now() - at > OLD_MS);
    if (old.length === 0) return;
    const scan = dice.pick(old);
    const image = this.#held.get(scan.sha256);
    if (!image) throw new Error(`The bytes of ${scan.path} are missing.`);
    if (what === 'copy') {
      const path = this.#nextPath();
      await this.#writeAtOnce(path, image.bytes);
      return this.#note(path, image);
    }
    if (what === 'rename') {
      const path = this.#nextPath();
      await rename(join(folder, scan.path), join(folder, path));
      scan.isThere = false;
      // The bytes still exist under the new name.
      scan.isDue = false;
      return this.#note(path, image);
    }
    if ((await isSafe(scan.sha256)) !== true) return;
    if (what === 'remove') await rm(join(folder, scan.path));
    else {
      const next = await images.next();
      await this.#writeAtOnce(scan.path, next.bytes);
      this.#note(scan.path, next);
    }
    scan.isThere = false;
  }

  #note(path: string, image: Image): void {
    this.#held.set(image.sha256, image);
    this.scans.push({ path, sha256: image.sha256, at: Date.now(), isThere: true, isDue: true });
  }

  #nextPath(): string {
    this.#count += 1;
    return `SCAN${String(this.#count).padStart(4, '0')}.jpg`;
  }

  /** Writes a hidden file and renames it, like a careful scanner, so that an existing file is replaced atomically. */
  async #writeAtOnce(path: string, bytes: Buffer): Promise<void> {
    const { folder } = this.#options;
    const part = join(folder, `.${path}.part`);
    await writeFile(part, bytes);
    await rename(part, join(folder, path));
  }

  /** Closes half a file and appends the rest, like a scanner that writes page by page. */
  async #writeSlowly(path: string, bytes: Buffer): Promise<void> {
    const file = join(this.#options.folder, path);
    const half = Math.floor(bytes.length / 2);
    await writeFile(file, bytes.subarray(0, half));
    await sleep(SLOW_MS);
    await writeFile(file, bytes.subarray(half), { flag: 'a' });
  }
}
