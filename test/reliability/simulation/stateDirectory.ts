import type { ReservedSpace } from '../../../src/ledger/sqlite/trouble.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import type { JournalEntry, JournalEvent, JournalHead } from '../../../src/core/ports/journal.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { Spool } from '../../../src/core/ports/spool.ts';
import type { DeferredImage, DeferredJournal } from '../../../src/core/ports/deferredJournal.ts';
import { awayLedger, type AwayLedger } from '../../support/awayLedger.ts';
import type { PaperImage, ScannedPapers } from '../../../src/core/ports/papers.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import { LEDGER, simulatedLedger, type LedgerDisk, type SimulatedLedger } from './ledger.ts';
import type { Process } from './process.ts';
import { systemError } from './share.ts';

/** Learns what becomes durable, and what the agent gives up. */
export interface Witness {
  entry(entry: JournalEntry): void;
  copied(sha256: string, size: number): void;
  /** The agent has decided to remove a copy. */
  letsGo(sha256: string): void;
  dropped(sha256: string): void;
  deferred(image: DeferredImage): void;
  /** The agent counts the image as admitted from now on. */
  tickedOff(image: DeferredImage): void;
}

/** Number of commits that fit into the released reserve. */
const RESERVED_COMMITS = 20;

/**
 * What survives a process: the journal's entries and the spool's copies. The ledger itself is an in-memory SQLite database. A power failure
 * loses it, and a kill loses commits that the journal already has.
 */
export class StateDirectory implements LedgerDisk {
  readonly journal: JournalEntry[] = [];
  readonly copies = new Map<string, Buffer>();
  readonly #witness: Witness;
  readonly #ledger: SimulatedLedger = simulatedLedger();
  /** `full`: no space. `failing`: writes fail. */
  disk: 'well' | 'full' | 'failing' = 'well';
  #reserved = 0;
  /** Contents of the agent's file of deferred images, in order. */
  readonly #deferred = new Map<string, DeferredImage>();
  /** The appearance of scanned papers, by folder and image. */
  readonly papers = new Map<string, PaperImage & { readonly folder: string; readonly at: number }>();
  #isLedgerAway = false;
  #away: AwayLedger | null = null;

  constructor(witness: Witness) {
    this.#witness = witness;
  }

  get isLedgerAway(): boolean {
    return this.#isLedgerAway;
  }

  set isLedgerAway(isAway: boolean) {
    if (isAway === this.#isLedgerAway) return;
    this.#isLedgerAway = isAway;
    if (isAway) this.#away?.leave();
    else this.#away?.comeBack();
  }

  get head(): JournalHead {
    const last = this.journal.at(-1);
    return { ledger: LEDGER, seq: last?.seq ?? 0, hash: last?.hash ?? '' };
  }

  /** A power failure: loses what SQLite had not synced. */
  loseLedger(): void {
    this.#ledger.lose();
  }

  openLedger(process: Process): Ledger {
    this.#away = awayLedger(
      { ...this.#ledger.open(process, this), close: async () => {} },
      this.#isLedgerAway,
    );
    return this.#away.ledger;
  }

  /** When the last hold in the tables ends, by the wall clock; 0 if there is none. */
  heldUntil(): number {
    return this.#ledger.heldUntil();
  }

  openDeferredJournal(process: Process): DeferredJournal {
    const waiting = new Map(this.#deferred);
    const keyOf = ({ folder, path, sha256 }: DeferredImage): string => `${sha256} ${folder}/${path}`;
    return {
      defer: async (image) => {
        if (waiting.has(keyOf(image))) return;
        await process.step('a line of the deferred', () => {
          if (this.disk !== 'well')
            throw new ReceiptdError({
              code: 'DISK_FULL',
              message: 'The disk is full.',
              hint: 'Free some space.',
            });
          this.#deferred.set(keyOf(image), image);
          this.#witness.deferred(image);
        });
        waiting.set(keyOf(image), image);
      },
      waiting: () => [...waiting.values()],
      needs: (sha256) => [...waiting.values()].some((image) => image.sha256 === sha256),
      admitted: async (image) => {
        await process.step('a line of the admitted', () => {
          if (this.disk !== 'well')
            throw new ReceiptdError({
              code: 'DISK_FULL',
              message: 'The disk is full.',
              hint: 'Free some space.',
            });
          this.#deferred.delete(keyOf(image));
          this.#witness.tickedOff(image);
        });
        waiting.delete(keyOf(image));
      },
      close: async () => {},
    };
  }

  openPapers(process: Process): ScannedPapers {
    return {
      alike: (folder, { sha256, print }) =>
        process.step('a look for the same paper', () =>
          [...this.papers.values()].filter(
            (each) => each.folder === folder && each.print === print && each.sha256 !== sha256,
          ),
        ),
      remember: (folder, image) =>
        process.step('what a paper looks like', () => {
          const at = process.timeline.wall;
          if (this.disk === 'well') this.papers.set(`${folder} ${image.sha256}`, { ...image, folder, at });
        }),
    };
  }

  openSpool(process: Process, limitBytes: number): Spool {
    const copies = new Map([...this.copies].map(([hash, { length }]) => [hash, length]));
    let reserved = 0;
    const used = (): number => [...copies.values()].reduce((sum, size) => sum + size, 0);
    const unwritable = (): ReceiptdError =>
      new ReceiptdError({
        code: 'SPOOL_UNWRITABLE',
        message: "The spool can't be written.",
        hint: 'Free some space.',
      });
    return {
      limitBytes,
      get usedBytes() {
        return used();
      },
      has: (sha256) => copies.has(sha256),
      fits: (bytes) => used() + reserved + bytes <= limitBytes,
      hashes: () => [...copies.keys()],
      put: async (sha256, bytes) => {
        if (copies.has(sha256)) return true;
        if (used() + reserved + bytes.length > limitBytes) return false;
        reserved += bytes.length;
        try {
          await process.step('a copy into the spool', () => {
            if (this.disk !== 'well') throw unwritable();
            this.copies.set(sha256, Buffer.from(bytes));
            this.#witness.copied(sha256, bytes.length);
          });
          copies.set(sha256, bytes.length);
          return true;
        } finally {
          reserved -= bytes.length;
        }
      },
      read: (sha256) =>
        process.step('a look into the spool', () => {
          const bytes = copies.has(sha256) ? this.copies.get(sha256) : undefined;
          if (bytes && hashOf(bytes) === sha256) return Buffer.from(bytes);
          copies.delete(sha256);
          this.copies.delete(sha256);
          return null;
        }),
      remove: (sha256) => {
        if (!process.isDead) this.#witness.letsGo(sha256);
        return process.step("a copy's removal", () => {
          this.#witness.dropped(sha256);
          copies.delete(sha256);
          this.copies.delete(sha256);
        });
      },
    };
  }

  close(): void {
    this.loseLedger();
  }

  append(events: readonly JournalEvent[]): JournalHead {
    for (const event of events) {
      const { kind, at, facts, personal = null } = JSON.parse(JSON.stringify(event)) as JournalEvent;
      const seq = this.journal.length + 1;
      const entry = { seq, hash: `hash ${seq}`, kind, at, facts, personal };
      this.journal.push(entry);
      this.#witness.entry(entry);
    }
    return this.head;
  }

  needSpace(): void {
    if (this.disk === 'failing') throw systemError('EIO', 'the journal');
    if (this.disk !== 'full') return;
    if (this.#reserved === 0) throw systemError('ENOSPC', 'the journal');
    this.#reserved -= 1;
  }

  reserve(): ReservedSpace {
    const hold = (): boolean => {
      this.#reserved = 0;
      return this.disk === 'well';
    };
    return {
      prepare: hold,
      restore: hold,
      release: () => void (this.#reserved = RESERVED_COMMITS),
      wantedBytes: 0,
    };
  }
}
