import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { saidBy } from '../core/domain/errors.ts';
import type { Unreadable } from '../core/ports/pages.ts';
import type { Confinement } from './confinement.ts';
import { frame, FrameReader, type Frame, type Reply, type PageRequest } from './protocol.ts';

export interface RendererLimits {
  /** Time limit for each answer. */
  readonly withinMs: number;
  readonly startWithinMs: number;
  /** Limit of resident memory. */
  readonly memoryBytes: number;
  /** Size limit of an image in an answer. */
  readonly imageBytes: number;
}

const LOOK_EVERY_MS = 200;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/**
 * A process that renders files and images; it answers one request at a time:
 *
 *   starting ──ready──▶ idle ──ask──▶ busy ──answer──▶ idle
 *      └─────────────────┴─────────────┴──too slow, too large, exit──▶ ended, with the reason
 */
export class RendererProcess {
  readonly #child: Child;
  readonly #limits: RendererLimits;
  readonly #frames: FrameReader<Reply>;
  readonly #ended: Promise<void>;
  #waiting: ((frame: Frame<Reply> | Unreadable) => void) | null = null;
  #end: Unreadable | null = null;
  #isReady = false;

  private constructor(child: Child, limits: RendererLimits) {
    this.#child = child;
    this.#limits = limits;
    this.#frames = new FrameReader(limits.imageBytes);
    this.#ended = new Promise((done) => {
      child.once('close', () => {
        this.#over(CRASHED);
        done();
      });
      child.once('error', (error) => {
        this.#over({
          kind: 'refused',
          reason: 'TROUBLE',
          detail: { is: 'notRun', ...saidBy(error) },
        });
        done();
      });
    });
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    // The process ended during a write; its `close` event handles that.
    child.stdin.on('error', () => {});
  }

  /** @returns the reason if it does not start */
  static async start(how: Confinement, limits: RendererLimits): Promise<RendererProcess | Unreadable> {
    const child = spawn(how.command, [...how.args], {
      env: how.env,
      cwd: how.cwd,
      stdio: ['pipe', 'pipe', 'ignore'],
      windowsHide: true,
    });
    const started = new RendererProcess(child, limits);
    const ready = await started.#answer(limits.startWithinMs);
    if ('head' in ready && ready.head.kind === 'ready') {
      started.#isReady = true;
      return started;
    }
    await started.end();
    const flaw = 'head' in ready ? ({ is: 'otherAnswer' } as const) : ready.detail;
    // It can't contain itself.
    const detail = flaw.is === 'notStarted' ? flaw : ({ is: 'notStarted', flaw } as const);
    return { kind: 'refused', reason: 'TROUBLE', detail };
  }

  get isOver(): boolean {
    return this.#end !== null;
  }

  /** Sends one request; wait for the answer before the next. Never rejects. */
  async ask(request: PageRequest, body?: Buffer): Promise<Frame<Reply> | Unreadable> {
    if (this.#end) return this.#end;
    for (const piece of frame(request, body)) this.#child.stdin.write(piece);
    return this.#answer(this.#limits.withinMs);
  }

  /** Kills the process; it has ended when this resolves. Idempotent. */
  async end(): Promise<void> {
    this.#over(CRASHED);
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async #answer(withinMs: number): Promise<Frame<Reply> | Unreadable> {
    if (this.#end) return this.#end;
    const late = setTimeout(() => this.#kill(tooSlow(withinMs)), withinMs);
    const looking = setInterval(() => void this.#look(), LOOK_EVERY_MS);
    try {
      return await new Promise((done) => {
        this.#waiting = done;
      });
    } finally {
      clearTimeout(late);
      clearInterval(looking);
    }
  }

  async #look(): Promise<void> {
    const { pid } = this.#child;
    const bytes = pid === undefined ? null : await residentMemory(pid);
    if (bytes !== null && bytes > this.#limits.memoryBytes) this.#kill(TOO_LARGE);
  }

  #read(chunk: Buffer): void {
    if (this.#end) return;
    try {
      for (const frame of this.#frames.read(chunk)) {
        const waiting = this.#waiting;
        this.#waiting = null;
        // An answer without a request: the process may have been compromised.
        if (waiting === null) return this.#kill(CRASHED);
        waiting(frame);
      }
    } catch {
      this.#kill(CRASHED);
    }
  }

  #kill(why: Unreadable): void {
    this.#over(why);
    this.#child.kill('SIGKILL');
  }

  #over(why: Unreadable): void {
    this.#end ??= this.#isReady ? why : { ...why, reason: 'TROUBLE' };
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(this.#end);
  }
}

const CRASHED: Unreadable = {
  kind: 'refused',
  reason: 'DAMAGED',
  detail: { is: 'crashed' },
};
const TOO_LARGE: Unreadable = { kind: 'refused', reason: 'TOO_DEAR', detail: { is: 'memory' } };

function tooSlow(ms: number): Unreadable {
  return { kind: 'refused', reason: 'TOO_DEAR', detail: { is: 'slow', seconds: Math.round(ms / 1_000) } };
}

/** Resident memory of a process in bytes; null if unknown or the process has ended. */
async function residentMemory(pid: number): Promise<number | null> {
  switch (process.platform) {
    case 'linux': {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return kilobytes(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
    }
    case 'win32':
      return null;
    default:
      return kilobytes(await ps(pid));
  }
}

function ps(pid: number): Promise<string | undefined> {
  return new Promise((done) => {
    execFile('/bin/ps', ['-o', 'rss=', '-p', String(pid)], (error, stdout) =>
      done(error ? undefined : stdout.trim()),
    );
  });
}

function kilobytes(text: string | undefined): number | null {
  const number = Number(text);
  return text === undefined || Number.isNaN(number) ? null : number * 1024;
}
