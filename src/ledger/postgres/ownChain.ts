import fs from 'node:fs';
import { describeError, systemCode } from '../../core/domain/errors.ts';
import type { Log } from '../../core/ports/log.ts';
import { blankInJournal, type SeqRange, lineAfter, checkedLines, lastCommit } from '../journal/read.ts';
import { isBad, type JournalLine } from '../journal/line.ts';
import type { ChainHead } from './chain.ts';

/** Whose chain it is, and in which database. */
export interface ChainOf {
  readonly agent: string;
  /** The agent's number. */
  readonly number: number;
  /** Names the chain. */
  readonly chain: string;
  /** Name of the database, as shown to people. */
  readonly where: string;
}

/** At this size a new file is begun, and the one before is kept: some 40,000 documents in each. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Lines that could not be written are kept for another try up to this size. */
const MOST_HELD = 8 * 1024 * 1024;

/**
 * An agent's own copy of its chain, with which it brings a database forward that went back: it was restored, or a standby that was behind took over.
 * Two files of journal lines, behind a first line that says whose they are. Written after each commit and never synced: it need not survive a power
 * failure of this machine, which loses no commits unless the database loses them too.
 */
export class OwnChain {
  readonly path: string;
  readonly #log: Log;
  readonly #mostBytes: number;
  #of: ChainOf | null = null;
  #last: ChainHead | null = null;
  #fd: number | null = null;
  #bytes = 0;
  /** Committed, but not written yet. */
  #held: string[] = [];
  #heldLength = 0;
  #hasFailed = false;

  constructor(path: string, log: Log, mostBytes = MOST_BYTES) {
    this.path = path;
    this.#log = log;
    this.#mostBytes = mostBytes;
  }

  /** Whose chain it is, and the last line; null if there is none that can be read. */
  end(): (ChainOf & ChainHead) | null {
    if (this.#of !== null && this.#last !== null) return { ...this.#of, ...this.#last };
    try {
      const of = firstOf(this.path);
      if (of === null) return null;
      const isFormer = firstOf(this.#formerPath)?.chain === of.chain;
      const head = endOf(this.path)?.head ?? (isFormer ? endOf(this.#formerPath)?.head : null) ?? null;
      return head && { ...of, ...head };
    } catch (error) {
      this.#failed(error);
      return null;
    }
  }

  /** The lines that follow each other without a gap up to the last one, in their order. */
  heads(): readonly ChainHead[] {
    let heads: ChainHead[] = [];
    for (const { entry, isNext } of this.#lines()) {
      if (!isNext) heads = [];
      heads.push({ seq: entry.seq, hash: entry.hash });
    }
    return heads;
  }

  /** Commits behind `seq`, of those that `heads` has. */
  *commitsBehind(seq: number): Generator<readonly JournalLine[]> {
    let commit: JournalLine[] = [];
    for (const { entry, isPart, isNext } of this.#lines()) {
      if (!isNext) commit = [];
      if (entry.seq > seq) commit.push(entry);
      if (isPart || commit.length === 0) continue;
      yield commit;
      commit = [];
    }
  }

  /** From now on it is the chain of `of`, with `head` as its last line. */
  begin(of: ChainOf, head: ChainHead): void {
    const own = this.end();
    const isSame = own?.chain === of.chain && own.number === of.number && own.where === of.where;
    const goesOn = isSame && own.seq === head.seq && own.hash === head.hash;
    if (goesOn && this.#fd !== null) return;
    this.#of = of;
    this.#last = head;
    this.#attempt(() => {
      this.#close();
      if (goesOn) this.#reopen();
      else this.#openNew();
    });
  }

  /** @param head of the chain once it has these lines, each with its line feed */
  append(lines: readonly string[], head: ChainHead): void {
    if (this.#of === null || (this.#last !== null && head.seq <= this.#last.seq)) return;
    this.#last = head;
    const text = lines.join('');
    this.#held.push(text);
    this.#heldLength += text.length;
    this.#attempt(() => this.#flush());
    if (this.#heldLength <= MOST_HELD) return;
    // What comes later goes into a file of its own.
    this.#held = [];
    this.#heldLength = 0;
    this.#attempt(() => this.#openNew());
  }

  /** Blanks the personal data of these lines; durable on return. @throws the system's error */
  erase(ranges: readonly SeqRange[]): void {
    this.#attempt(() => this.#flush());
    this.#held = [];
    this.#heldLength = 0;
    const of = firstOf(this.path);
    for (const path of [this.#formerPath, this.path])
      if (of !== null && firstOf(path)?.chain === of.chain) blankInJournal(path, ranges);
  }

  /** Moves what is known under another name, for people. @returns the name; null if that failed */
  keepAside(): string | null {
    const kept = this.path.replace(/(?:\.journal)?$/, `-${this.end()?.seq ?? 0}.journal`);
    this.#of = null;
    this.#last = null;
    let isKept = false;
    this.#attempt(() => {
      this.#close();
      moved(this.#formerPath, `${kept}.before`);
      moved(this.path, kept);
      isKept = true;
    });
    return isKept ? kept : null;
  }

  close(): void {
    this.#attempt(() => this.#close());
  }

  get #formerPath(): string {
    return `${this.path}.before`;
  }

  *#lines(): Generator<{ readonly entry: JournalLine; readonly isPart: boolean; readonly isNext: boolean }> {
    const of = firstOf(this.path);
    if (of === null) return;
    let last: ChainHead | null = null;
    for (const path of [this.#formerPath, this.path]) {
      if (firstOf(path)?.chain !== of.chain) continue;
      for (const { raw, parsed } of checkedLines(path)) {
        if (parsed === null || parsed.personal === 'broken') {
          if (raw.offset > 0) last = null;
          continue;
        }
        const { seq, hash } = parsed.entry;
        yield {
          entry: parsed.entry,
          isPart: parsed.isPart,
          isNext: last !== null && seq === last.seq + 1 && parsed.prev === last.hash,
        };
        last = { seq, hash };
      }
    }
  }

  #flush(): void {
    if (this.#fd === null) this.#reopen();
    if (this.#bytes > this.#mostBytes) this.#openNew();
    this.#write(this.#held.join(''));
    this.#held = [];
    this.#heldLength = 0;
  }

  #reopen(): void {
    if (this.#of === null) return;
    const end = firstOf(this.path)?.chain === this.#of.chain ? endOf(this.path) : null;
    if (end === null) return this.#openNew();
    this.#fd = fs.openSync(this.path, 'r+');
    // What a crash or a full disk cut short.
    fs.ftruncateSync(this.#fd, end.offset);
    this.#bytes = end.offset;
  }

  #openNew(): void {
    this.#close();
    moved(this.path, this.#formerPath);
    this.#fd = fs.openSync(this.path, 'w', 0o600);
    this.#bytes = 0;
    this.#write(`${JSON.stringify(this.#of)}\n`);
  }

  #write(text: string): void {
    if (this.#fd === null || text === '') return;
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length;)
      done += fs.writeSync(this.#fd, bytes, done, bytes.length - done, this.#bytes + done);
    this.#bytes += bytes.length;
  }

  #close(): void {
    if (this.#fd !== null) fs.closeSync(this.#fd);
    this.#fd = null;
  }

  /** A full disk must not prevent writes to the ledger. */
  #attempt(work: () => void): void {
    try {
      work();
      this.#hasFailed = false;
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!this.#hasFailed) this.#log.warn('chainNotRemembered', { path: this.path, ...describeError(error) });
    this.#hasFailed = true;
  }
}

function moved(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** Calls back with an open file; null if there is none. */
function read<T>(path: string, work: (fd: number) => T): T | null {
  let fd: number;
  try {
    fd = fs.openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
  try {
    return work(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function firstOf(path: string): ChainOf | null {
  return read(path, (fd) => asChainOf(lineAfter(fd, 0)?.bytes?.toString() ?? ''));
}

function asChainOf(text: string): ChainOf | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { agent, number, chain, where } = value as Partial<Record<keyof ChainOf, unknown>>;
  if (typeof agent !== 'string' || typeof number !== 'number') return null;
  return typeof chain === 'string' && typeof where === 'string' ? { agent, number, chain, where } : null;
}

/** The last line of the last complete commit, null if there is none yet, and where it ends. */
function endOf(path: string): { readonly head: ChainHead | null; readonly offset: number } | null {
  return read(path, (fd) => {
    const last = lastCommit(fd);
    if (last === undefined) return null;
    if (last.offset === 0) return { head: null, offset: last.end };
    if (isBad(last.line)) return null;
    const { seq, hash } = last.line.entry;
    return { head: { seq, hash }, offset: last.end };
  });
}
