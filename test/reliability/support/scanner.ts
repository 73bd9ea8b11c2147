import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Event, KnownAs } from '../../oracle/evidence.ts';
import { pause } from './agentProcess.ts';
import { Dice } from './dice.ts';
import { sha256 } from './digest.ts';
import { unlessGone, writeInPieces } from './files.ts';
import type { Image } from './images.ts';

/** Bytes that were written to a path. */
export interface Scan {
  readonly uid: string;
  readonly sha256: string;
  readonly kind: 'image' | 'junk' | 'cutShort';
  /** Current or last absolute path. */
  path: string;
  readonly at: number;
  /** Whether it was renamed. */
  isMoved?: true;
  /** Null while the file is in place, as far as the scanner knows. */
  gone: { readonly how: 'overwritten' | 'deleted'; readonly knownAs: KnownAs } | null;
}

export interface ScannerFolder {
  readonly path: string;
  readonly uid: string;
}

/** What a scanner, and the people beside it, do in a folder. */
type Habit = 'drop' | 'pieces' | 'copy' | 'rename' | 'overwrite' | 'delete' | 'junk' | 'cutShort' | 'batch';

export interface ScannerOptions {
  readonly seed: number;
  readonly folders: readonly ScannerFolder[];
  /** A directory on the same file system. */
  readonly aside: string;
  readonly habits: Readonly<Partial<Record<Habit, number>>>;
  readonly longestPauseMs: number;
  readonly image: (dice: Dice) => Image | Promise<Image>;
  /** How well the agent knows an image that is about to be taken away; null: nobody can tell now. */
  readonly knownAs: (scan: Scan) => Promise<KnownAs | null>;
  /** How often people take away an image without waiting until it is accepted or copied. */
  readonly careless?: number;
  /** Files that are younger are left alone. */
  readonly oldMs?: number;
  /** Whether files may be overwritten in place. */
  readonly inPlace?: boolean;
  /** Scans go to a directory of their own after so many; left out: to the folder itself. */
  readonly scansADirectory?: number;
}

interface Turn {
  readonly habit: Habit;
  readonly number: number;
}

/** Steps that wait for the agent are tried again; of more than these, only the newest. */
const WAITING_MOST = 3;

/**
 * The activity in an office's folders: drops scans, in pieces or at once, and copies, renames, overwrites and deletes some. Records what it
 * does for the oracle. `still` pauses it.
 */
export class Scanner {
  readonly scans: Scan[] = [];
  readonly #options: ScannerOptions;
  #waiting: Turn[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  /** Takes so many steps, or all until it is aborted. A step that has to wait for the agent is tried again after each further step. */
  async run(steps: number, signal?: AbortSignal): Promise<void> {
    const { seed, habits, longestPauseMs, aside } = this.#options;
    const isOver = () => signal?.aborted === true;
    await mkdir(aside, { recursive: true });
    for (let number = 1; number <= steps && !isOver(); number += 1) {
      const dice = Dice.of(seed, `scanner ${number}`);
      // The first step is a drop, because otherwise nothing could be overwritten.
      const habit = number === 1 ? 'drop' : dice.weighted(habits as Record<Habit, number>);
      for (const turn of [...this.#waiting.splice(0).slice(-WAITING_MOST), { habit, number }])
        // Dice of its own for each step, so that waiting does not change the outcome.
        if (!(await this.still(() => this.#do(turn.habit, Dice.of(seed, `step ${turn.number}`)))))
          this.#waiting.push(turn);
      await pause(dice.int(0, longestPauseMs), signal);
    }
  }

  /** Runs `work` while the scanner is paused. */
  still<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** False if it has to wait. */
  async #do(habit: Habit, dice: Dice): Promise<boolean> {
    const folder = dice.pick(this.#options.folders);
    const image = async (): Promise<Buffer> => (await this.#options.image(dice)).bytes;
    const scan = this.#one(folder, dice);
    switch (habit) {
      case 'drop':
      case 'pieces':
        await this.#drop(folder, await image(), dice, 'image', habit === 'pieces');
        return true;
      case 'junk':
        await this.#drop(folder, Buffer.from(`No image: ${dice.int(0, 1e9)}.\n`.repeat(20)), dice, 'junk');
        return true;
      case 'cutShort': {
        const bytes = await image();
        await this.#drop(folder, bytes.subarray(0, Math.floor(bytes.length / 2)), dice, 'cutShort');
        return true;
      }
      case 'copy': {
        const bytes = scan && (await unlessGone(readFile(scan.path)));
        if (scan && bytes && sha256(bytes) === scan.sha256) await this.#drop(folder, bytes, dice, 'image');
        return true;
      }
      case 'rename': {
        const path = join(folder.path, this.#name(dice));
        if (scan === null) return true;
        await mkdir(dirname(path), { recursive: true });
        // The agent removes files as configured.
        if ((await unlessGone(rename(scan.path, path))) !== null)
          Object.assign(scan, { path, isMoved: true });
        return true;
      }
      case 'batch': {
        const made = join(this.#options.aside, 'batch');
        const directory = join(folder.path, `batch ${(this.#count += 1)}`);
        await mkdir(made);
        const images: [name: string, bytes: Buffer][] = [];
        for (let n = 0; n < 3; n += 1) images.push([`${n}.jpg`, await image()]);
        for (const [name, bytes] of images) await writeFile(join(made, name), bytes);
        await rename(made, directory);
        for (const [name, bytes] of images) this.#note(folder.uid, join(directory, name), bytes, 'image');
        return true;
      }
      case 'overwrite':
      case 'delete':
        return scan === null || this.#takeAway(scan, dice, habit === 'delete' ? null : await image());
    }
  }

  async #drop(
    folder: ScannerFolder,
    bytes: Buffer,
    dice: Dice,
    kind: Scan['kind'],
    inPieces = false,
  ): Promise<void> {
    const path = join(folder.path, this.#name(dice));
    await mkdir(dirname(path), { recursive: true });
    // Some scanners close the file after each page.
    if (inPieces) await writeInPieces(path, bytes, dice.int(2, 4), () => dice.int(5, 60), dice.chance(0.5));
    else await this.#moveIn(path, bytes);
    this.#note(folder.uid, path, bytes, kind);
  }

  #note(uid: string, path: string, bytes: Buffer, kind: Scan['kind']): void {
    this.scans.push({ uid, sha256: sha256(bytes), kind, path, at: Date.now(), gone: null });
  }

  async #moveIn(path: string, bytes: Buffer): Promise<void> {
    const aside = join(this.#options.aside, 'new');
    await writeFile(aside, bytes);
    await rename(aside, path);
  }

  /** Deletes it, or overwrites it with these bytes. */
  async #takeAway(scan: Scan, dice: Dice, bytes: Buffer | null): Promise<boolean> {
    const { careless = 0, inPlace = false } = this.#options;
    const isCareless = dice.chance(careless);
    const knownAs = await this.#options.knownAs(scan);
    if (knownAs === null) return false;
    if (!isCareless && knownAs !== 'accepted' && knownAs !== 'copied') return false;
    if (bytes === null) {
      if ((await unlessGone(unlink(scan.path))) !== null) scan.gone = { how: 'deleted', knownAs };
      return true;
    }
    // If the agent already removed the file as configured, this is an ordinary new scan.
    if (inPlace && dice.chance(0.5)) {
      const file = await open(scan.path, constants.O_WRONLY | constants.O_TRUNC);
      scan.gone = { how: 'overwritten', knownAs };
      try {
        await file.write(bytes);
      } finally {
        await file.close();
      }
    } else await this.#moveIn(scan.path, bytes);
    scan.gone = { how: 'overwritten', knownAs };
    this.#note(scan.uid, scan.path, bytes, 'image');
    return true;
  }

  /** An image that is in the folder, as far as the scanner knows. */
  #one(folder: ScannerFolder, dice: Dice): Scan | null {
    const { oldMs = 0 } = this.#options;
    const there = this.scans.filter(
      ({ uid, kind, gone, at }) =>
        uid === folder.uid && kind === 'image' && gone === null && Date.now() - at >= oldMs,
    );
    return there.length === 0 ? null : dice.pick(there);
  }

  #name(dice: Dice): string {
    this.#count += 1;
    const number = String(this.#count).padStart(4, '0');
    const name = dice.chance(0.2) ? `Beleg für März ${number}.JPG` : `SCAN${number}.jpg`;
    const { scansADirectory } = this.#options;
    return scansADirectory ? join(`day ${Math.floor(this.#count / scansADirectory)}`, name) : name;
  }
}

/** What was scanned, for the oracle. */
export function* eventsOf(scans: readonly Scan[]): Generator<Event> {
  for (const { sha256: hash, kind, uid, gone } of scans) {
    yield { kind: 'content', at: 0, content: { sha256: hash, is: kind } };
    if (kind === 'image') yield { kind: 'image', uid, sha256: hash, knownAs: gone?.knownAs ?? null };
  }
}
