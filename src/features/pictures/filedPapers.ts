import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, readFile, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import PQueue from 'p-queue';
import { systemCode } from '../../core/domain/errors.ts';
import { likeness, PRINT_BYTES, SAME_PAPER, toPrint } from '../../core/domain/paper.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import type { EarlierScan, PaperImage, ScannedPapers } from '../../core/ports/papers.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';

export interface FiledPapersOptions {
  /** Absolute; created with the first record. */
  readonly dir: string;
  readonly clock: Clock;
  readonly log: Pick<Log, 'debug'>;
  /** Most records per folder. */
  readonly most?: number;
}

const MOST = 500;
const REMEMBERED_MS = 30 * 24 * 60 * 60_000;
const HASH_BYTES = 32;
const TIME_BYTES = 8;
const RECORD_BYTES = HASH_BYTES + TIME_BYTES + PRINT_BYTES;
/** Records compared at once, before other work gets a turn. */
const COMPARED = 20;

/**
 * One file per folder, named by the hash of its path, with fixed-length records for its images, newest last. A forgotten record is
 * all zeros. Nothing is kept in memory: records are read for each comparison.
 */
export class FiledPapers implements ScannedPapers {
  readonly #options: FiledPapersOptions;
  readonly #most: number;
  readonly #queue = new PQueue({ concurrency: 1 });

  constructor(options: FiledPapersOptions) {
    this.#options = options;
    this.#most = options.most ?? MOST;
  }

  async alike(folder: string, image: PaperImage): Promise<readonly EarlierScan[]> {
    const records = await this.#inTurn(() => this.#read(this.#file(folder)), []);
    const since = this.#options.clock.now() - REMEMBERED_MS;
    const print = toPrint(Buffer.from(image.print, 'base64'));
    const found: (EarlierScan & { readonly likeness: number })[] = [];
    for (const [index, record] of records.toReversed().entries()) {
      if (index % COMPARED === COMPARED - 1) await nextTurn();
      const { sha256, at } = headOf(record);
      if (at < since || sha256 === image.sha256) continue;
      const alike = likeness(toPrint(record.subarray(HASH_BYTES + TIME_BYTES)), print);
      if (alike >= SAME_PAPER) found.push({ sha256, at, likeness: alike });
    }
    return found.toSorted((a, b) => b.likeness - a.likeness).map(({ sha256, at }) => ({ sha256, at }));
  }

  remember(folder: string, { sha256, print }: PaperImage): Promise<void> {
    const record = Buffer.alloc(RECORD_BYTES);
    record.write(sha256, 'hex');
    record.writeBigInt64BE(BigInt(this.#options.clock.now()), HASH_BYTES);
    record.write(print, HASH_BYTES + TIME_BYTES, 'base64');
    return this.#inTurn(() => this.#add(this.#file(folder), record), undefined);
  }

  /** Covers folders that are no longer watched, too. Idempotent. @throws errors of the file system */
  forget(sha256: string): Promise<void> {
    const wanted = Buffer.from(sha256, 'hex');
    return this.#queue.add(async () => {
      for (const name of await orWhereMissing(readdir(this.#options.dir), [])) {
        const file = join(this.#options.dir, name);
        const bytes = await readFile(file);
        for (let at = 0; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES)
          if (bytes.subarray(at, at + HASH_BYTES).equals(wanted))
            await overwrite(file, Buffer.alloc(RECORD_BYTES), at);
      }
    });
  }

  async #add(file: string, record: Buffer): Promise<void> {
    const { dir, clock } = this.#options;
    await makeDirectory(dir, 0o700);
    const { size } = await orWhereMissing<{ readonly size: number }>(stat(file), { size: 0 });
    // A crash may have left a partial record.
    const whole = size - (size % RECORD_BYTES);
    if (whole < size) await truncate(file, whole);
    if (whole < 2 * this.#most * RECORD_BYTES) return overwrite(file, record, whole);
    const kept = (await this.#read(file)).slice(1 - this.#most);
    await writeDurably(file, Buffer.concat([...kept, record]));
    await this.#dropFormer(clock.now() - REMEMBERED_MS);
  }

  /** Removes the files of folders with no scan since `since`. */
  async #dropFormer(since: number): Promise<void> {
    for (const name of await readdir(this.#options.dir)) {
      const file = join(this.#options.dir, name);
      if ((await stat(file)).mtimeMs < since) await rm(file, { force: true });
    }
  }

  /** The latest records, newest last. */
  async #read(file: string): Promise<Buffer[]> {
    const bytes = await orWhereMissing(readFile(file), Buffer.alloc(0));
    const records: Buffer[] = [];
    for (let at = 0; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
      const record = bytes.subarray(at, at + RECORD_BYTES);
      if (headOf(record).at > 0) records.push(record);
    }
    return records.slice(-this.#most);
  }

  #file(folder: string): string {
    return join(this.#options.dir, createHash('sha256').update(folder).digest('hex'));
  }

  #inTurn<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    return this.#queue.add(work).catch((error: unknown) => {
      this.#options.log.debug('appearanceUnusable', {
        why: String(error),
      });
      return otherwise;
    });
  }
}

function headOf(record: Buffer): EarlierScan {
  return { sha256: record.toString('hex', 0, HASH_BYTES), at: Number(record.readBigInt64BE(HASH_BYTES)) };
}

async function overwrite(file: string, bytes: Buffer, at: number): Promise<void> {
  const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    await handle.write(bytes, 0, bytes.length, at);
  } finally {
    await handle.close();
  }
}

/** Only a missing file counts as empty. Other errors must not: the file would be overwritten, or count as erased. */
function orWhereMissing<T>(read: Promise<T>, otherwise: T): Promise<T> {
  return read.catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return otherwise;
    throw error;
  });
}
