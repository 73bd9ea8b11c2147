import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KnownAs } from '../../oracle/evidence.ts';
import { Dice } from '../support/dice.ts';
import { sha256 } from '../support/digest.ts';
import { unlessGone, writeInPieces } from '../support/files.ts';
import type { Image } from '../support/images.ts';
import type { Step } from './plan.ts';
import type { Site, SiteFolder } from './site.ts';

/** Bytes written to a path. */
export interface Scan {
  readonly endpointUid: string;
  readonly sha256: string;
  readonly kind: 'image' | 'junk' | 'cutShort';
  /** Current or last absolute path. */
  path: string;
  /** Null while the file is in place, as far as the scanner knows. */
  gone: { readonly how: 'overwritten' | 'deleted'; readonly knownAs: KnownAs } | null;
}

interface Turn {
  readonly step: Step;
  readonly index: number;
}

/**
 * The activity in an office's folders: drops scans, in pieces or at once, and copies, renames, overwrites and deletes some. Records what it
 * does for the oracle. `still` pauses it.
 */
export class Scanner {
  readonly scans: Scan[] = [];
  readonly #site: Site;
  readonly #images: readonly Image[];
  readonly #seed: number;
  readonly #left: Turn[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #number = 0;

  constructor(site: Site, images: readonly Image[], seed: number) {
    this.#site = site;
    this.#images = images;
    this.#seed = seed;
  }

  /** Performs all steps while the agent runs. A step that has to wait for the agent is retried after each further step. */
  async run(steps: readonly Step[]): Promise<void> {
    await mkdir(this.#aside, { recursive: true });
    for (const [index, step] of steps.entries()) {
      await sleep(step.pauseMs);
      for (const turn of [...this.#left.splice(0), { step, index }]) await this.#take(turn);
    }
  }

  /** Runs `work` while the scanner is paused. */
  still<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => undefined);
    return result;
  }

  async #take(turn: Turn): Promise<void> {
    // Separate dice for each step, so that waiting does not change the outcome.
    const dice = Dice.of(this.#seed, `step ${turn.index}`);
    if (!(await this.still(() => this.#do(turn.step, dice)))) this.#left.push(turn);
  }

  /** False if it has to wait. */
  async #do(step: Step, dice: Dice): Promise<boolean> {
    const folder = this.#site.folders[step.folder % this.#site.folders.length]!;
    switch (step.what) {
      case 'drop':
      case 'pieces':
        await this.#drop(folder, this.#image(step.image).bytes, dice, { inPieces: step.what === 'pieces' });
        return true;
      case 'junk':
        await this.#drop(folder, Buffer.from(`No image: ${dice.int(0, 1e9)}.\n`.repeat(20)), dice, {
          kind: 'junk',
        });
        return true;
      case 'cutShort': {
        const { bytes } = this.#image(step.image);
        await this.#drop(folder, bytes.subarray(0, Math.floor(bytes.length / 2)), dice, { kind: 'cutShort' });
        return true;
      }
      case 'duplicate': {
        const scan = this.#one(folder, dice);
        const bytes = scan && (await unlessGone(readFile(scan.path)));
        if (scan && bytes && sha256(bytes) === scan.sha256) await this.#drop(folder, bytes, dice);
        return true;
      }
      case 'rename': {
        const scan = this.#one(folder, dice);
        if (scan) await this.#rename(scan, join(folder.path, this.#name(dice)));
        return true;
      }
      case 'overwrite':
      case 'delete':
        return this.#takeAway(folder, step, dice);
    }
  }

  async #drop(
    folder: SiteFolder,
    bytes: Buffer,
    dice: Dice,
    { kind = 'image', inPieces = false }: { kind?: Scan['kind']; inPieces?: boolean } = {},
  ): Promise<void> {
    const path = join(folder.path, this.#name(dice));
    if (inPieces) await writeInPieces(path, bytes, dice.int(2, 4), () => dice.int(5, 60));
    else await this.#moveIn(path, bytes);
    this.scans.push({ endpointUid: folder.endpointUid, sha256: sha256(bytes), kind, path, gone: null });
  }

  async #moveIn(path: string, bytes: Buffer): Promise<void> {
    const aside = join(this.#aside, 'new');
    await writeFile(aside, bytes);
    await rename(aside, path);
  }

  async #rename(scan: Scan, path: string): Promise<void> {
    // The agent removes files as configured.
    if ((await unlessGone(rename(scan.path, path))) !== null) scan.path = path;
  }

  async #takeAway(
    folder: SiteFolder,
    step: Extract<Step, { what: 'overwrite' | 'delete' }>,
    dice: Dice,
  ): Promise<boolean> {
    const scan = this.#one(folder, dice);
    if (!scan) return true;
    const knownAs = await this.#knownAs(scan);
    if (!step.careless && knownAs !== 'accepted' && knownAs !== 'copied') return false;
    if (step.what === 'delete') {
      if ((await unlessGone(unlink(scan.path))) !== null) scan.gone = { how: 'deleted', knownAs };
      return true;
    }
    // If the agent already removed the file as configured, this is an ordinary new scan.
    const { bytes } = this.#image(step.image);
    const path = scan.path;
    if (this.#site.settings.afterUpload === 'keep' && dice.chance(0.5)) {
      const file = await open(path, constants.O_WRONLY | constants.O_TRUNC);
      scan.gone = { how: 'overwritten', knownAs };
      try {
        await file.write(bytes);
      } finally {
        await file.close();
      }
    } else {
      await this.#moveIn(path, bytes);
      scan.gone = { how: 'overwritten', knownAs };
    }
    const { endpointUid } = scan;
    this.scans.push({ endpointUid, sha256: sha256(bytes), kind: 'image', path, gone: null });
    return true;
  }

  async #knownAs({ endpointUid, sha256: hash }: Scan): Promise<KnownAs> {
    const { books, copies } = await this.#site.known();
    const document = books.documentOf(endpointUid, hash);
    if (!document) return 'unseen';
    if (document.state === 'accepted') return 'accepted';
    return copies.has(hash) ? 'copied' : 'named';
  }

  /** An image that is in the folder, as far as the scanner knows. */
  #one(folder: SiteFolder, dice: Dice): Scan | null {
    const there = this.scans.filter(
      ({ endpointUid, kind, gone }) =>
        endpointUid === folder.endpointUid && kind === 'image' && gone === null,
    );
    return there.length === 0 ? null : dice.pick(there);
  }

  #image(index: number): Image {
    return this.#images[index % this.#images.length]!;
  }

  #name(dice: Dice): string {
    this.#number += 1;
    const number = String(this.#number).padStart(4, '0');
    return dice.chance(0.2) ? `Beleg für März ${number}.JPG` : `SCAN${number}.jpg`;
  }

  get #aside(): string {
    return join(this.#site.dir, 'scanner');
  }
}
