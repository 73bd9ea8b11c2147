import { readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Event } from '../../oracle/evidence.ts';
import { pause } from '../support/agentProcess.ts';
import type { Dice } from '../support/dice.ts';
import { sha256 } from '../support/digest.ts';
import { unlessGone } from '../support/files.ts';
import type { ImageMaker } from '../support/images.ts';
import { UIDS } from '../support/office.ts';
import { eventsOf, Scanner, type Scan } from '../support/scanner.ts';
import type { Inbox, Place } from './place.ts';
import type { LogRecord } from './record.ts';

const HABITS = { drop: 54, pieces: 14, copy: 6, rename: 6, overwrite: 9, delete: 5, junk: 2, cutShort: 2 };
/** Scanners stop while more images than this wait; otherwise a long outage would only test the disk. */
const WAITING_MOST = 4_000;
const KEPT_MS = 12_000;
const TAKEN: NonNullable<Scan['gone']> = { how: 'deleted', knownAs: 'accepted' };

interface OfficeParts {
  readonly place: Place;
  readonly images: ImageMaker;
  readonly log: LogRecord;
  readonly seed: number;
  /** Scans in a second, in all inboxes together. */
  readonly rate: number;
}

/**
 * A scanner at each inbox, and the person who tidies up: removes what was accepted a while ago from folders and archive, and empty directories.
 * Checks on the way that originals are as configured (promise P3).
 */
export class Office {
  readonly breaches: string[] = [];
  readonly #desks: readonly { readonly inbox: Inbox; readonly scanner: Scanner }[];
  readonly #log: LogRecord;
  readonly #archive: string;
  /** Files in the archive, and when each was first seen there. */
  readonly #filed = new Map<string, number>();
  #isOver = false;

  constructor({ place, images, log, seed, rate }: OfficeParts) {
    this.#log = log;
    this.#archive = place.archive;
    const image = async () => {
      while (!this.#isOver && this.waiting >= WAITING_MOST) await pause(1_000);
      return images.next();
    };
    this.#desks = place.inboxes.map((inbox, at) => ({
      inbox,
      scanner: new Scanner({
        seed: seed * place.inboxes.length + at,
        folders: [{ path: inbox.dir, uid: UIDS[inbox.alias] }],
        aside: join(place.dir, `scanner ${at}`),
        habits: {
          ...HABITS,
          ...(inbox.recursive && { batch: 2 }),
          // A kill in the middle of a disposal, and then nobody finds the file: the agent would rightly complain.
          ...(inbox.after !== 'keep' && { rename: 0, delete: 0 }),
        },
        longestPauseMs: (2_000 * place.inboxes.length) / rate,
        image,
        knownAs: async (scan) => (log.isAccepted(scan) ? 'accepted' : 'unseen'),
        careless: 0.1,
        ...(inbox.recursive && { scansADirectory: 40 }),
      }),
    }));
  }

  get scans(): readonly Scan[] {
    return this.#desks.flatMap(({ scanner }) => scanner.scans);
  }

  /** How many images have yet to be accepted, according to the log. */
  get waiting(): number {
    const isWaiting = (scan: Scan) =>
      scan.kind === 'image' && scan.gone === null && !this.#log.isAccepted(scan);
    return this.scans.filter(isWaiting).length;
  }

  /** Whether the log may report an image with that hash as lost: it was taken away, or renamed, at a random moment. */
  mayBeLost(hash: string): boolean {
    return this.scans.some(
      (scan) => scan.sha256 === hash && (scan.isMoved || scan.gone?.knownAs === 'unseen'),
    );
  }

  /** Resolves once aborted and the last scanner has finished. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => (this.#isOver = true), { once: true });
    const running = this.#desks.map(({ inbox, scanner }) =>
      scanner.run(Infinity, signal).catch((error: unknown) => {
        this.breaches.push(`the scanner of ${inbox.key} failed: ${String(error)}`);
      }),
    );
    await Promise.all(running);
  }

  /** Moves a whole folder elsewhere while `meanwhile` runs. */
  async takeAway(dice: Dice, meanwhile: () => Promise<void>): Promise<void> {
    const { inbox, scanner } = dice.pick(this.#desks);
    await scanner.still(async () => {
      await rename(inbox.dir, `${inbox.dir}-away`);
      try {
        await meanwhile();
      } finally {
        await rename(`${inbox.dir}-away`, inbox.dir);
      }
    });
  }

  /** `archiveToo`: false while an agent may be finding out what it did there before a kill. */
  async tidy(archiveToo: boolean): Promise<void> {
    for (const { inbox, scanner } of this.#desks)
      await scanner.still(async () => {
        await this.#tidyInbox(inbox, scanner);
        if (inbox.recursive) await tidyDirectories(inbox.dir);
        if (inbox.after === 'archive' && archiveToo) await this.#tidyArchive();
      });
  }

  /** Files still in folders from which the agent archives or deletes originals. */
  async leftBehind(): Promise<string[]> {
    const refused = new Set(this.scans.flatMap(({ kind, path }) => (kind === 'image' ? [] : [path])));
    const left: string[] = [];
    for (const { inbox } of this.#desks)
      if (inbox.after !== 'keep')
        left.push(...(await readdir(inbox.dir)).map((name) => join(inbox.dir, name)));
    return left.filter((path) => path !== this.#archive && !refused.has(path));
  }

  /** What was scanned, for the oracle. */
  *history(): Generator<Event> {
    yield* eventsOf(this.scans);
    for (const { kind, path, gone, sha256: hash } of this.scans) {
      // `list` omits incomplete files that are gone.
      if (kind === 'image' || (kind === 'cutShort' && gone !== null)) continue;
      yield { kind: 'file', at: 0, folder: '', path: path.slice(1), sha256: hash };
    }
  }

  async #tidyInbox({ after }: Inbox, { scans }: Scanner): Promise<void> {
    const old = Date.now() - KEPT_MS;
    for (const scan of scans) {
      if (scan.gone !== null || scan.at > old) continue;
      const isRefused = scan.kind !== 'image' && this.#log.isRefused(scan.path);
      if (!isRefused && !this.#log.isAccepted(scan)) continue;
      const bytes = await unlessGone(readFile(scan.path));
      if (after === 'keep' || isRefused) {
        if (bytes === null) this.breaches.push(`${scan.path} should be kept, but is gone`);
        else if (sha256(bytes) !== scan.sha256)
          this.breaches.push(`${scan.path} should be kept, but has different bytes`);
        await rm(scan.path, { force: true });
      } else if (bytes !== null) continue;
      scan.gone = TAKEN;
    }
  }

  async #tidyArchive(): Promise<void> {
    const now = Date.now();
    const scanned = new Set(this.scans.map(({ uid, sha256: hash }) => `${uid} ${hash}`));
    for (const name of await readdir(this.#archive).catch(() => [])) {
      const path = join(this.#archive, name);
      if ((await stat(path)).isDirectory()) continue;
      const since = this.#filed.get(path) ?? now;
      this.#filed.set(path, since);
      if (since > now - KEPT_MS) continue;
      const scan = { uid: UIDS.office, sha256: sha256(await readFile(path)) };
      // If a kill prevented the log line, the file stays to the end.
      if (!this.#log.isAccepted(scan)) continue;
      if (!scanned.has(`${scan.uid} ${scan.sha256}`))
        this.breaches.push(`${basename(dirname(path))}/${name} has bytes that nobody scanned`);
      await rm(path);
      this.#filed.delete(path);
    }
  }
}

/** Removes those that are empty. */
async function tidyDirectories(dir: string): Promise<void> {
  for (const entry of await readdir(dir, { withFileTypes: true }))
    if (entry.isDirectory()) await rmdir(join(dir, entry.name)).catch(() => {});
}
