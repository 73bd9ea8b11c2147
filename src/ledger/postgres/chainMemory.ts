import { closeSync, openSync, readSync, renameSync, statSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describeError, systemCode } from '../../core/domain/errors.ts';
import type { EndpointKey } from '../../core/domain/document.ts';
import type { JournalEvent, JournalHead } from '../../core/ports/journal.ts';
import type { Log } from '../../core/ports/log.ts';

/** An image that was named, or for which a request was begun. */
export interface Issued {
  readonly endpoint: EndpointKey;
  readonly sha256: string;
  readonly name: string;
  /** Number that `{seq}` took; null: none, or unknown here. */
  readonly seq: number | null;
  readonly isSent: boolean;
}

type Head = Pick<JournalHead, 'seq' | 'hash'>;

/** One commit: the head of this agent's chain after it, and what it issued. */
export interface RememberedCommit extends Head {
  readonly issued: readonly Issued[];
}

/** The chain that the commits belong to. */
export interface MemoryOf {
  readonly agent: string;
  readonly chain: string;
  /** Name of the database, as shown to people. */
  readonly where: string;
}

export interface Remembered {
  readonly of: MemoryOf;
  /** In chain order. */
  readonly commits: readonly RememberedCommit[];
}

/**
 * At this size a new file is started, and the previous one is kept: at least some 15,000 images, named and sent, are
 * remembered.
 */
const MOST_BYTES = 8 * 1024 * 1024;

/**
 * Remembers locally what this agent committed to the shared ledger: a database that was restored, or replaced by a
 * lagging standby, does not know what it lost. Written after each commit and never synced: it need not survive a
 * power failure of this machine, which loses no commits unless the database loses them too.
 */
export class ChainMemory {
  readonly #path: string;
  readonly #log: Log;
  readonly #mostBytes: number;
  #of: MemoryOf | null = null;
  #last: Head | null = null;
  #bytes = 0;
  #fd: number | null = null;
  #hasFailed = false;

  constructor(path: string, log: Log, mostBytes = MOST_BYTES) {
    this.#path = path;
    this.#log = log;
    this.#mostBytes = mostBytes;
  }

  /** The last commit of this process; null: none so far. */
  get last(): (MemoryOf & Head) | null {
    return this.#of && this.#last && { ...this.#of, ...this.#last };
  }

  /** Null if nothing is remembered. Skips damaged lines. */
  async read(): Promise<Remembered | null> {
    const [before, now] = await Promise.all([linesOf(this.#formerPath), linesOf(this.#path)]);
    const of = asMemoryOf(now[0] ?? before[0]);
    if (of === null) return null;
    // The previous file may belong to another chain.
    const former = asMemoryOf(before[0])?.chain === of.chain ? before : [];
    return { of, commits: [...former, ...now].flatMap((line) => asCommit(line) ?? []) };
  }

  /** Commits belong to `of` from now on. `isAfresh`: earlier commits no longer count, as when the chain changes. */
  begin(of: MemoryOf, isAfresh = false): void {
    if (!isAfresh && this.#of?.chain === of.chain && this.#fd !== null) return;
    if (!isAfresh && this.#of?.chain !== of.chain) this.#last = null;
    this.#of = of;
    this.#attempt(() => {
      this.#close();
      if (isAfresh || firstOf(this.#path)?.chain !== of.chain) this.#setAside();
      this.#open();
      if (this.#last) this.#write({ ...this.#last, issued: [] });
    });
  }

  note({ seq, hash }: Head, issued: readonly Issued[]): void {
    this.#last = { seq, hash };
    this.#attempt(() => {
      if (this.#fd === null) this.#open();
      if (this.#bytes > this.#mostBytes) {
        this.#close();
        this.#setAside();
        this.#open();
      }
      this.#write({ seq, hash, issued: issued.map(asRow) });
    });
  }

  close(): void {
    this.#attempt(() => this.#close());
  }

  get #formerPath(): string {
    return `${this.#path}.before`;
  }

  #open(): void {
    if (this.#of === null) return;
    this.#fd = openSync(this.#path, 'a', 0o600);
    this.#bytes = statSync(this.#path).size;
    // Terminates a line that a crash cut short.
    if (this.#bytes > 0) this.#bytes += writeSync(this.#fd, '\n');
    this.#write({ ...this.#of });
  }

  #close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }

  #setAside(): void {
    try {
      renameSync(this.#path, this.#formerPath);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
    }
  }

  #write(line: object): void {
    if (this.#fd === null) return;
    this.#bytes += writeSync(this.#fd, `${JSON.stringify(line)}\n`);
  }

  /** A full disk must not prevent writes to the ledger. */
  #attempt(work: () => void): void {
    try {
      work();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed)
        this.#log.warn('chainNotRemembered', {
          path: this.#path,
          ...describeError(error),
        });
      this.#hasFailed = true;
    }
  }
}

/** The names that the events of one commit issued. */
export function namedIn(events: readonly JournalEvent[]): Issued[] {
  return events.flatMap(({ kind, facts }) =>
    kind === 'named'
      ? (asIssued([facts['endpoint'], facts['sha256'], facts['name'], facts['seq'], 0]) ?? [])
      : [],
  );
}

function firstOf(path: string): MemoryOf | null {
  const buffer = Buffer.alloc(4_096);
  try {
    const fd = openSync(path, 'r');
    try {
      const length = readSync(fd, buffer);
      return asMemoryOf(parsed(buffer.toString('utf8', 0, length).split('\n')[0] ?? ''));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function asRow({ endpoint, sha256, name, seq, isSent }: Issued): unknown[] {
  return [endpoint, sha256, name, seq, Number(isSent)];
}

function asIssued(row: unknown): Issued | null {
  if (!Array.isArray(row)) return null;
  const [endpoint, sha256, name, seq, isSent] = row as unknown[];
  if (!isRecord(endpoint) || typeof sha256 !== 'string' || typeof name !== 'string') return null;
  const { baseUrl, uid } = endpoint;
  if (typeof baseUrl !== 'string' || typeof uid !== 'string') return null;
  const number = typeof seq === 'number' ? seq : null;
  return { endpoint: { baseUrl, uid }, sha256, name, seq: number, isSent: isSent === 1 };
}

function asCommit(line: unknown): RememberedCommit | null {
  if (!isRecord(line)) return null;
  const { seq, hash, issued } = line;
  if (typeof seq !== 'number' || typeof hash !== 'string' || !Array.isArray(issued)) return null;
  return { seq, hash, issued: issued.flatMap((row) => asIssued(row) ?? []) };
}

function asMemoryOf(line: unknown): MemoryOf | null {
  if (!isRecord(line)) return null;
  const { agent, chain, where } = line;
  if (typeof agent !== 'string' || typeof chain !== 'string' || typeof where !== 'string') return null;
  return { agent, chain, where };
}

async function linesOf(path: string): Promise<unknown[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return '';
    throw error;
  });
  return text.split('\n').flatMap((line) => parsed(line) ?? []);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
