import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../support/dice.ts';
import { sha256 } from '../support/digest.ts';
import { writeInPieces } from '../support/files.ts';
import type { Image, ImageMaker } from '../support/images.ts';
import type { Book } from './book.ts';
import type { OpenInbox } from './inboxes.ts';

/** Behaviours of scanners, with their weights. */
const HABITS = {
  whole: 40,
  slow: 12,
  renamed: 14,
  overwriting: 8,
  duplicate: 6,
  deleted: 3,
  cutShort: 2,
  notAnImage: 2,
  empty: 1,
  moved: 3,
  batch: 1,
};
type Habit = keyof typeof HABITS;

/** Scanners stop while more images than this wait; otherwise a long outage would only test the disk. */
const WAITING_MOST = 4_000;
/** Number of images that scanners handle concurrently. */
const BUSY_MOST = 300;
/** Images remembered per folder, to make duplicates of. */
const REMEMBERED = 40;
const TICK_MS = 100;
/** Number of subdirectories in use at once, and of images in each. */
const DIRS = 4;

/** Drops receipts into the inboxes like scanners, until stopped. */
export class Scanners {
  readonly #inboxes: readonly OpenInbox[];
  readonly #images: ImageMaker;
  readonly #book: Book;
  readonly #dice: Dice;
  readonly #over: Promise<void>;
  readonly #signal: AbortSignal;
  readonly #busy = new Set<Promise<void>>();
  readonly #recent = new Map<OpenInbox, Image[]>();
  /** Directories in use in the recursive inbox, and how many more images each gets. */
  readonly #dirs: { path: string; left: number }[] = [];
  /** Directories that get no more images. */
  readonly closedDirs = new Set<string>();
  readonly breaches: string[] = [];
  #count = 0;

  /** Stops when `signal` is aborted. */
  constructor(
    parts: { inboxes: readonly OpenInbox[]; images: ImageMaker; book: Book; dice: Dice },
    signal: AbortSignal,
  ) {
    this.#signal = signal;
    this.#over = new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.#inboxes = parts.inboxes;
    this.#images = parts.images;
    this.#book = parts.book;
    this.#dice = parts.dice;
  }

  /** `rate`: receipts per second. Resolves once aborted and the last scanner has finished. */
  async run(rate: number): Promise<void> {
    let due = 0;
    let before = performance.now();
    while (!this.#signal.aborted) {
      const now = performance.now();
      due += (Math.min(now - before, 1_000) / 1_000) * rate * (0.5 + this.#dice.next());
      before = now;
      for (; due >= 1; due -= 1) {
        if (this.#busy.size >= BUSY_MOST || this.#book.waiting >= WAITING_MOST) continue;
        this.#scan();
      }
      await sleep(TICK_MS);
    }
    await Promise.all(this.#busy);
    for (const { path } of this.#dirs.splice(0)) this.closedDirs.add(path);
  }

  #scan(): void {
    const inbox = this.#dice.pick(this.#inboxes);
    const habit = this.#dice.weighted(HABITS);
    const busy = this.#behave(inbox, habit)
      .catch((error: unknown) => {
        this.breaches.push(`a scanner (${habit}) failed: ${String(error)}`);
      })
      .finally(() => this.#busy.delete(busy));
    this.#busy.add(busy);
  }

  async #behave(inbox: OpenInbox, habit: Habit): Promise<void> {
    this.#book.count(habit);
    this.#count += 1;
    const stem = `SCAN${String(this.#count).padStart(7, '0')}`;
    const write = (work: (dir: string) => Promise<void>): Promise<void> =>
      inbox.gate.inside(async () => work(await this.#directory(inbox)));
    switch (habit) {
      case 'notAnImage':
        return write((dir) => this.#refused(inbox, join(dir, `${stem}.jpg`), 'rejected', `page ${stem}\n`));
      case 'empty':
        return write((dir) => this.#refused(inbox, join(dir, `${stem}.png`), 'incomplete', ''));
      case 'cutShort':
        return this.#cutShort(inbox, stem, write);
      case 'overwriting':
        return this.#overwriting(inbox, stem, write);
      case 'duplicate': {
        const before = this.#recent.get(inbox) ?? [];
        if (before.length === 0) return;
        const image = this.#dice.pick(before);
        return write((dir) => this.#put(inbox, join(dir, `${stem} copy.${image.extension}`), image, 'whole'));
      }
      case 'deleted': {
        const image = await this.#images.next();
        const afterMs = this.#dice.int(0, 1_500);
        this.#book.expect(inbox.inbox.alias, image.sha256, false);
        return write(async (dir) => {
          const path = join(dir, `${stem}.${image.extension}`);
          await writeFile(path, image.bytes);
          await sleep(afterMs);
          await rm(path, { force: true });
        });
      }
      case 'moved': {
        const image = await this.#newImage(inbox);
        const afterMs = this.#dice.int(0, 3_000);
        this.#book.moved.add(image.sha256);
        return write(async (dir) => {
          const path = join(dir, `${stem}.${image.extension}`);
          await writeFile(path, image.bytes);
          await sleep(afterMs);
          const to = join(dir, `${stem} moved.${image.extension}`);
          // The agent may have archived or deleted it first.
          const isThere = await rename(path, to).then(
            () => true,
            () => false,
          );
          if (isThere) inbox.lies(to, image.sha256);
        });
      }
      case 'batch':
        if (inbox.inbox.recursive) return this.#batch(inbox, stem);
        return this.#behave(inbox, 'whole');
      case 'whole':
      case 'slow':
      case 'renamed': {
        const image = await this.#newImage(inbox);
        return write((dir) => this.#put(inbox, join(dir, `${stem}.${image.extension}`), image, habit));
      }
    }
  }

  async #newImage(inbox: OpenInbox): Promise<Image> {
    const image = await this.#images.next();
    this.#book.expect(inbox.inbox.alias, image.sha256, true);
    const recent = this.#recent.get(inbox) ?? [];
    recent.push(image);
    if (recent.length > REMEMBERED) recent.shift();
    this.#recent.set(inbox, recent);
    return image;
  }

  async #put(
    inbox: OpenInbox,
    path: string,
    { bytes, sha256: hash }: Image,
    how: 'whole' | 'slow' | 'renamed',
  ): Promise<void> {
    if (how === 'renamed') {
      await writeFile(`${path}.part`, bytes);
      await rename(`${path}.part`, path);
    } else if (how === 'whole') await writeFile(path, bytes);
    else await writeInPieces(path, bytes, this.#dice.int(2, 6), () => this.#dice.int(20, 400));
    inbox.lies(path, hash);
  }

  /** Overwrites a sent receipt with the next one, like scanners that restart at SCAN0001. */
  async #overwriting(
    inbox: OpenInbox,
    stem: string,
    write: (work: (dir: string) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { alias } = inbox.inbox;
    const first = await this.#newImage(inbox);
    const second = await this.#images.next();
    let path = '';
    await write(async (dir) => {
      path = join(dir, `${stem}.jpg`);
      await writeFile(path, first.bytes);
    });
    await this.#acceptedUnlessOver(inbox, [first]);
    if (this.#signal.aborted) return inbox.lies(path, first.sha256);
    this.#book.expect(alias, second.sha256, true);
    await inbox.gate.inside(async () => {
      await writeFile(path, second.bytes);
      inbox.lies(path, second.sha256);
    });
  }

  /** A directory that appears with all its files, is renamed once complete, and then removed. */
  async #batch(inbox: OpenInbox, stem: string): Promise<void> {
    const images: Image[] = [];
    for (let n = 0; n < 3; n += 1) images.push(await this.#newImage(inbox));
    const dir = join(inbox.inbox.dir, `${stem} new`);
    await inbox.gate.inside(async () => {
      await mkdir(dir);
      for (const [n, { bytes, extension }] of images.entries())
        await writeFile(join(dir, `${n}.${extension}`), bytes);
    });
    await this.#acceptedUnlessOver(inbox, images);
    if (this.#signal.aborted) return;
    await inbox.gate.inside(async () => {
      const done = join(inbox.inbox.dir, `${stem} done`);
      await rename(dir, done);
      await sleep(this.#dice.int(0, 4_000));
      await rm(done, { recursive: true });
    });
  }

  /** Resolves once all of them are accepted, or at the end. */
  async #acceptedUnlessOver({ inbox }: OpenInbox, images: readonly Image[]): Promise<void> {
    const accepted = images.map(({ sha256: hash }) => this.#book.whenAccepted(inbox.alias, hash));
    await Promise.race([Promise.all(accepted), this.#over]);
  }

  /** The scanner loses power, so the rest of the file comes later or never. */
  async #cutShort(
    inbox: OpenInbox,
    stem: string,
    write: (work: (dir: string) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const image = await this.#images.next();
    const comes = this.#dice.chance(0.5);
    const afterMs = this.#dice.int(500, 8_000);
    if (comes) this.#book.expect(inbox.inbox.alias, image.sha256, true);
    return write(async (dir) => {
      const path = join(dir, `${stem}.${image.extension}`);
      await writeFile(path, image.bytes.subarray(0, Math.floor(image.bytes.length / 2)));
      await sleep(afterMs);
      if (!comes) return rm(path);
      const file = await open(path, 'a');
      await file.write(image.bytes.subarray(Math.floor(image.bytes.length / 2)));
      await file.close();
      inbox.lies(path, image.sha256);
    });
  }

  async #refused(
    inbox: OpenInbox,
    path: string,
    state: 'rejected' | 'incomplete',
    content: string,
  ): Promise<void> {
    await writeFile(path, content);
    this.#book.refusals.set(path, state);
    inbox.lies(path, sha256(Buffer.from(content)));
  }

  async #directory({ inbox }: OpenInbox): Promise<string> {
    if (!inbox.recursive) return inbox.dir;
    const dice = this.#dice;
    if (this.#dirs.length < DIRS) {
      const parent = dice.chance(0.3) && this.#dirs.length > 0 ? dice.pick(this.#dirs).path : inbox.dir;
      this.#count += 1;
      const path = join(parent, `day ${this.#count}`);
      this.#dirs.push({ path, left: dice.int(5, 60) });
    }
    const dir = dice.pick(this.#dirs);
    dir.left -= 1;
    if (dir.left <= 0) {
      this.#dirs.splice(this.#dirs.indexOf(dir), 1);
      this.closedDirs.add(dir.path);
    }
    await mkdir(dir.path, { recursive: true });
    return dir.path;
  }
}
