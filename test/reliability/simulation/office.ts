import { Dice } from '../support/dice.ts';
import type { Gatherer } from './gather.ts';
import { isLooking, looksOf, ONCE_MORE } from './looks.ts';
import { PagedFiles } from './paged.ts';
import { firstPage, picture, pictureOf, type Picture } from './pictures.ts';
import type { Plan } from './plan.ts';
import type { Share } from './share.ts';
import type { Story } from './story.ts';
import { WORLD, type Timeline } from './timeline.ts';

/** Retry interval of people and scanners while a share is in trouble, in milliseconds. */
const AGAIN_MS = 3_000;

/**
 * The people and scanners of an office, who write files to the folders and change them afterwards. They tell the oracle what each content
 * is.
 */
export class Office {
  readonly files = new PagedFiles();
  readonly #plan: Plan;
  readonly #shares: readonly Share[];
  readonly #dice: Dice;
  readonly #timeline: Timeline;
  readonly #story: Story;
  readonly #gatherer: Gatherer;
  #pictures: Picture[] = [];
  #isCalm = false;

  constructor(
    plan: Plan,
    shares: readonly Share[],
    dice: Dice,
    timeline: Timeline,
    story: Story,
    gatherer: Gatherer,
  ) {
    this.#gatherer = gatherer;
    this.#plan = plan;
    this.#shares = shares;
    this.#dice = dice;
    this.#timeline = timeline;
    this.#story = story;
  }

  /** Schedules all actions. @returns the images that may be scanned */
  begin(): readonly Picture[] {
    const { scans, scansWithinMs, troubleMs } = this.#plan;
    for (let number = 1; number <= scans; number += 1) {
      const isTiff = this.#dice.chance(0.2);
      const label = `image ${number}`;
      const size = this.#dice.int(10, 400);
      this.#pictures.push(picture(label, isTiff ? 'tiff' : 'jpeg', size, isTiff ? this.#dice.int(1, 3) : 1));
    }
    for (const each of this.#pictures) {
      this.#at(this.#dice.chance(0.4) ? 0 : this.#dice.next() * scansWithinMs, () => this.#scan(each));
      if (this.#dice.chance(0.2)) this.#at(this.#dice.next() * troubleMs, () => this.#scan(each));
    }
    for (let left = this.#dice.int(0, 5); left > 0; left -= 1)
      this.#at(this.#dice.next() * troubleMs, () => this.#meddle());
    this.#beginFiles();
    if (this.#plan.config.folders.some(isLooking)) this.#scanOnceMore();
    return this.#pictures;
  }

  /** Uses separate dice, so that other stories stay the same. */
  #beginFiles(): void {
    const { filesOfPages, scansWithinMs, seed } = this.#plan;
    const dice = Dice.of(seed, 'office of pages');
    for (let number = 1; number <= filesOfPages; number += 1) {
      const file = this.files.make(`file ${number}`, dice);
      for (let times = dice.chance(0.4) ? 2 : 1; times > 0; times -= 1) {
        const share = dice.pick(this.#shares);
        const name = dice.chance(0.3) ? `SCAN000${dice.int(1, 6)}.jpg` : `pages${dice.int(1, 2)}.pdf`;
        this.#at(dice.next() * scansWithinMs, () =>
          this.#whenThere(share, () => this.#put(share, name, this.#paged(file))),
        );
      }
    }
  }

  /** Uses separate dice, too. */
  #scanOnceMore(): void {
    const { seed, scansWithinMs } = this.#plan;
    const dice = Dice.of(seed, 'scans of the same papers');
    for (const { label } of this.#pictures) {
      if (!dice.chance(0.3)) continue;
      const image = picture(`${label}${ONCE_MORE}`, 'jpeg', dice.int(10, 400));
      const share = dice.pick(this.#shares);
      const name = `SCAN000${dice.int(1, 6)}.jpg`;
      this.#at(dice.next() * scansWithinMs, () =>
        this.#whenThere(share, () => this.#put(share, name, this.#good(image))),
      );
    }
  }

  /** The agent drew an image from a page. */
  drawn(bytes: Buffer, of: { readonly file: string; readonly page: number }): void {
    this.#gatherer.content(bytes, { is: 'image', label: 'page', of });
  }

  /** Ends all trouble: releases all locks and stops meddling. */
  calm(): void {
    this.#isCalm = true;
    for (const share of this.#shares) for (const file of share.content.values()) file.isLocked = false;
  }

  /** Writes damaged and locked files, which must not affect a good one (promise P4). */
  makeTrouble(share: Share): void {
    const locked = share.write('locked.jpg', picture(`locked in ${share.path}`, 'jpeg', 20).bytes);
    locked.isLocked = true;
    this.#put(share, 'junk-later.txt', this.#unfit(Buffer.from(`junk in ${share.path}`), 'junk'));
    const cut = picture(`cut in ${share.path}`, 'jpeg', 50).bytes.subarray(0, 30);
    this.#put(share, 'cut-later.jpg', this.#unfit(Buffer.from(cut), 'torn'));
  }

  /** Writes a good image whose delivery is checked. */
  putCanary(share: Share): Picture {
    const canary = picture(`canary of ${share.path}`, 'jpeg', 60);
    this.#put(share, 'canary.jpg', this.#good(canary));
    return canary;
  }

  #at(ms: number, act: () => void): void {
    this.#timeline.after(ms, WORLD, act);
  }

  /** Runs `act` once the share is writable. */
  #whenThere(share: Share, act: () => void): void {
    if (share.state === 'present') act();
    else this.#at(AGAIN_MS, () => this.#whenThere(share, act));
  }

  #scan(image: Picture): void {
    const share = this.#dice.pick(this.#shares);
    const name = this.#nameFor(share);
    this.#whenThere(share, () => {
      const style = this.#dice.weighted({ atOnce: 5, slowly: 4, renamed: 2, cut: 1, junk: 1 });
      switch (style) {
        case 'atOnce':
          return this.#put(share, name, this.#good(image));
        case 'renamed': {
          this.#put(share, `${name}.part`, this.#unfit(image.bytes.subarray(0, 12), 'torn'));
          return this.#at(this.#dice.next() * 3_000, () =>
            this.#whenThere(share, () => {
              share.write(`${name}.part`, this.#good(image).bytes);
              this.#move(share, `${name}.part`, name);
            }),
          );
        }
        case 'slowly':
          return this.#writeSlowly(share, name, image);
        case 'cut':
          return this.#put(share, name, this.#unfit(Buffer.from(image.bytes.subarray(0, -2)), 'torn'));
        case 'junk':
          return this.#put(share, name, this.#unfit(Buffer.from(`junk ${this.#dice.int(0, 3)}`), 'junk'));
      }
    });
  }

  /** Piece by piece with pauses. A TIFF is written page by page and looks complete after each page. */
  #writeSlowly(share: Share, name: string, image: Picture): void {
    const { bytes } = image;
    const isPaged = bytes.includes('|p2');
    const page = firstPage(image);
    const cuts = isPaged
      ? [page.bytes.length, bytes.length]
      : [this.#dice.int(1, bytes.length - 1), this.#dice.int(1, bytes.length - 1), bytes.length].sort(
          (a, b) => a - b,
        );
    // Mostly within the time that the agent waits for a scanner: 200 ms, or the long quiet time for what may grow.
    const pause = isPaged ? 1_800 : 4_000;
    let at = 0;
    for (const cut of cuts) {
      this.#at(at, () =>
        this.#whenThere(share, () => {
          const piece = bytes.subarray(0, cut);
          if (cut === bytes.length) this.#good(image);
          else if (isPaged) this.#gatherer.content(page.bytes, { is: 'growing', label: page.label });
          else this.#unfit(piece, 'torn');
          share.write(name, Buffer.from(piece));
          this.#story.tell(
            'scanner',
            `${share.path}/${name}: ${cut} of ${bytes.length} bytes of ${image.label}`,
          );
        }),
      );
      at += this.#dice.next() * pause;
    }
  }

  /** What people do to files in the folders. */
  #meddle(): void {
    const share = this.#dice.pick(this.#shares);
    this.#whenThere(share, () => {
      if (this.#isCalm) return;
      const names = [...share.files.keys()].filter((name) => !name.includes('.aside-'));
      if (names.length === 0) return;
      const name = this.#dice.pick(names);
      const act = this.#dice.weighted({ overwrite: 3, delete: 2, rename: 2, move: 2, touch: 1, lock: 2 });
      const other = this.#dice.pick(this.#shares);
      this.#story.tell('person', `${act} ${share.path}/${name}`);
      switch (act) {
        case 'overwrite': {
          const image = this.#another(share.files.get(name)?.bytes.length ?? 0, name);
          if (this.#dice.chance(0.5)) return this.#put(share, name, this.#good(image));
          return this.#writeSlowly(share, name, image);
        }
        case 'delete':
          return share.remove(name);
        case 'rename':
          return this.#move(share, name, this.#nameFor(share));
        case 'move': {
          const file = share.files.get(name);
          if (!file || other === share || other.state !== 'present') return;
          other.place(other.files, this.#nameFor(other), file);
          return share.remove(name);
        }
        case 'touch':
          return share.touch(name);
        case 'lock': {
          const file = share.files.get(name);
          if (file) file.isLocked = true;
          return this.#at(this.#dice.next() * 20_000, () => {
            if (file) file.isLocked = false;
          });
        }
      }
    });
  }

  /** An image that overwrites a file, often with exactly the same size, as with uncompressed scans. */
  #another(length: number, name: string): Picture {
    const label = `over ${name} ${this.#dice.int(10, 99)}`;
    const size = length - picture(label, 'jpeg', 0).bytes.length;
    return picture(label, 'jpeg', size > 0 && this.#dice.chance(0.5) ? size : this.#dice.int(10, 300));
  }

  #put(share: Share, name: string, { bytes, label }: Picture): void {
    this.#story.tell('scanner', `puts ${label} into ${share.path}/${name}`);
    share.write(name, bytes);
    this.#gatherer.scanned(share, name);
  }

  #move(share: Share, from: string, to: string): void {
    if (share.files.has(from)) share.rename(from, to);
  }

  /** The next name of a scanner, which reuses a few names. */
  #nameFor(share: Share): string {
    const settings = this.#plan.config.folders.find(({ path }) => path === share.path);
    const below = settings?.recursive && this.#dice.chance(0.4) ? `${this.#dice.pick(['a', 'b'])}/` : '';
    return `${below}SCAN000${this.#dice.int(1, 6)}.jpg`;
  }

  #good(image: Picture): Picture {
    this.#gatherer.content(image.bytes, { is: 'image', label: image.label });
    return image;
  }

  #paged(file: Picture): Picture {
    const pages = this.files
      .pagesOf(file.sha256)
      ?.map(({ kind, text }) => ({ isDamaged: kind === 'damaged', look: looksOf(text) }));
    this.#gatherer.content(file.bytes, { is: 'file', label: file.label, ...(pages && { pages }) });
    return file;
  }

  #unfit(bytes: Buffer, what: 'junk' | 'torn'): Picture {
    this.#gatherer.content(bytes, { is: what });
    return pictureOf(what, bytes);
  }
}
