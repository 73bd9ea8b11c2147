import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createStream } from 'rotating-file-stream';
import type { RotatingFileStream } from 'rotating-file-stream';
import { LOG_FILE_NAME } from './lines.ts';

export interface LogFileOptions {
  readonly dir: string;
  /** Bytes after which the file is rotated. */
  readonly maxSize: number;
  /** Rotated files (`receiptd.log.1`, `.2`, ...) kept beside the current one. */
  readonly maxFiles: number;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  /** Milliseconds to wait after a failure before reopening the file. */
  readonly retryMs: number;
  /** Called once per outage. */
  readonly onTrouble: (error: unknown) => void;
  readonly onRecovered: () => void;
  /** Something removed or renamed the file, or its folder, and a new one was begun. */
  readonly onReplaced: () => void;
}

/** Rotation happens only between writes, so limit a batch to a small share of a file. */
const PIECES_IN_A_FILE = 64;

/** Milliseconds to gather lines after a write: in a burst, a write on every event-loop turn would cost more than the lines. */
const GATHER_MS = 10;

/** How often the file is looked for: it may have been removed or renamed by something else. */
const LOOK_EVERY_MS = 1_000;

// Bounds memory if the disk hangs.
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/**
 * The rotating log file. Never fails and never blocks: drops lines that can't be written.
 *
 *   closed ──write──▶ open ──error──▶ broken until T ──write after T──▶ open
 *
 * A file that something removed or renamed (a cleaner, logrotate) is begun anew. Calls `onTrouble` when it breaks, and not again until a write has succeeded.
 */
export class LogFile extends Writable {
  readonly #options: LogFileOptions;
  #file: RotatingFileStream | null = null;
  /** Identifies the open file; null while it is opened or rotated. */
  #identity: string | null = null;
  #lookedAt = -Infinity;
  #brokenUntil: number | null = null;
  #gathering: { readonly timer: NodeJS.Timeout; readonly done: () => void } | null = null;

  constructor(options: LogFileOptions) {
    super({ decodeStrings: false });
    this.#options = options;
  }

  /** False while the backlog is full and further lines must be dropped. */
  accepts(): boolean {
    if (this.writableLength < MAX_WAITING_BYTES) return true;
    this.#breakOff(new Error('the disk is too slow'));
    return false;
  }

  /** Writes all lines that arrived during the previous write, as one batch. */
  override _writev(lines: readonly { readonly chunk: string }[], done: () => void): void {
    const pieces = joined(
      lines.map(({ chunk }) => chunk),
      this.#options.maxSize / PIECES_IN_A_FILE,
    );
    const next = (): void => {
      const piece = pieces.shift();
      if (piece === undefined) this.#gather(done);
      else this.#put(piece, next);
    };
    next();
  }

  override _write(line: string, _encoding: BufferEncoding, done: () => void): void {
    this.#put(line, () => this.#gather(done));
  }

  /** Accepts no more lines and writes the gathered ones now. */
  close(): void {
    this.end();
    if (this.#gathering === null) return;
    const { timer, done } = this.#gathering;
    clearTimeout(timer);
    this.#gathering = null;
    done();
  }

  #gather(done: () => void): void {
    if (this.writableEnded) {
      done();
      return;
    }
    const timer = setTimeout(() => {
      this.#gathering = null;
      done();
    }, GATHER_MS);
    this.#gathering = { timer, done };
  }

  #put(text: string, done: () => void): void {
    const wasBroken = this.#brokenUntil !== null;
    if (this.#brokenUntil !== null && this.#options.monotonic() < this.#brokenUntil) {
      done();
      return;
    }
    let file: RotatingFileStream;
    const wasReplaced = this.#file !== null && this.#isReplaced();
    if (wasReplaced) {
      this.#file?.destroy();
      this.#file = null;
    }
    try {
      file = this.#file ??= this.#open();
    } catch (error) {
      this.#breakOff(error);
      done();
      return;
    }
    // The failed write may have left a partial line.
    file.write(wasBroken ? `\n${text}` : text, (error) => {
      if (error) {
        this.#breakOff(error);
      } else if (wasBroken && this.#file === file) {
        this.#brokenUntil = null;
        this.#options.onRecovered();
      } else if (wasReplaced && this.#file === file) {
        this.#options.onReplaced();
      }
      done();
    });
  }

  override _final(done: () => void): void {
    if (this.#file === null) {
      done();
      return;
    }
    const file = this.#file;
    file.once('close', done);
    file.end();
  }

  #open(): RotatingFileStream {
    const { dir, maxSize, maxFiles } = this.#options;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const file = createStream(LOG_FILE_NAME, {
      path: dir,
      size: `${maxSize}B`,
      rotate: maxFiles,
      mode: 0o600,
    });
    this.#identity = null;
    file.on('rotation', () => {
      if (this.#file === file) this.#identity = null;
    });
    file.on('open', () => {
      if (this.#file === file) this.#identity = this.#identityNow();
    });
    file.on('error', (error) => {
      if (this.#file === file) this.#breakOff(error);
    });
    return file;
  }

  #isReplaced(): boolean {
    const now = this.#options.monotonic();
    if (this.#identity === null || now < this.#lookedAt + LOOK_EVERY_MS) return false;
    this.#lookedAt = now;
    return this.#identityNow() !== this.#identity;
  }

  #identityNow(): string | null {
    try {
      const { dev, ino } = statSync(join(this.#options.dir, LOG_FILE_NAME), { bigint: true });
      return `${dev} ${ino}`;
    } catch {
      return null;
    }
  }

  #breakOff(error: unknown): void {
    const first = this.#brokenUntil === null;
    this.#brokenUntil = this.#options.monotonic() + this.#options.retryMs;
    this.#file?.destroy();
    this.#file = null;
    if (first) this.#options.onTrouble(error);
  }
}

function joined(lines: readonly string[], atMost: number): string[] {
  const pieces: string[] = [];
  for (const line of lines) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + line.length <= atMost) pieces[pieces.length - 1] = last + line;
    else pieces.push(line);
  }
  return pieces;
}
