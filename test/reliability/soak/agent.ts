import { spawn, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { INSIDE, PROBE_FD, probeArgument, type Inside } from './probe.ts';
import { CLIENT, type Place } from './place.ts';

const LINE = z.looseObject({ timestamp: z.string(), level: z.string(), message: z.string() });
export type LogLine = z.infer<typeof LINE>;

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const children = new Set<ChildProcess>();

/** Kills all started processes when this one exits, however it ends. */
export function killChildren(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** Runs commands of the real binary with the soak's config. */
export class Binary {
  readonly #file: string;
  readonly #place: Place;

  /** `file`: the compiled `receiptd.cjs`. */
  constructor(file: string, place: Place) {
    this.#file = file;
    this.#place = place;
  }

  async command(...args: string[]): Promise<Ended> {
    const child = this.#spawn([], args, ['ignore', 'pipe', 'pipe']);
    const output = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    return { ...(await ended(child)), ...output };
  }

  /** Starts `receiptd run`; resolves once it reports that it has started. */
  async start(onLine: (line: LogLine) => void, onOther: (text: string) => void): Promise<Life> {
    const child = this.#spawn(
      ['--trace-warnings', probeArgument()],
      ['run'],
      ['ignore', 'ignore', 'pipe', 'pipe'],
    );
    const life = new Life(child, onLine, onOther);
    await life.started;
    return life;
  }

  #spawn(nodeArgs: string[], args: string[], stdio: ('ignore' | 'pipe')[]): ChildProcess {
    const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env;
    const child = spawn(
      process.execPath,
      [...nodeArgs, this.#file, ...args, '--config', this.#place.config],
      {
        cwd: this.#place.dir,
        env: {
          PATH,
          HOME,
          TMPDIR,
          // The binary sets this before its first module loads; the probe is loaded even earlier.
          UV_THREADPOOL_SIZE: '16',
          RECEIPTD_CLIENT_ID: CLIENT.clientId,
          RECEIPTD_CLIENT_SECRET: CLIENT.clientSecret,
        },
        stdio,
      },
    );
    children.add(child);
    child.once('close', () => children.delete(child));
    return child;
  }
}

/** One life of the agent, from start to exit. */
export class Life {
  readonly pid: number;
  readonly started: Promise<void>;
  readonly ended: Promise<Pick<Ended, 'status' | 'signal'>>;
  readonly startedAt = Date.now();
  /** The latest report of the probe; null before the first. */
  inside: Inside | null = null;
  readonly #child: ChildProcess;

  constructor(child: ChildProcess, onLine: (line: LogLine) => void, onOther: (text: string) => void) {
    if (child.pid === undefined || child.stderr === null) throw new Error('the agent did not start');
    this.pid = child.pid;
    this.#child = child;
    this.ended = ended(child);
    this.started = new Promise((resolve, reject) => {
      const said: string[] = [];
      void this.ended.then(() => reject(new Error(`the agent did not start: ${said.join('\n')}`)));
      eachLine(child.stderr!, (text) => {
        const line = LINE.safeParse(parse(text));
        if (!line.success) {
          said.push(text);
          return onOther(text);
        }
        onLine(line.data);
        if (line.data.message === 'receiptd has started') resolve();
      });
    });
    eachLine(child.stdio[PROBE_FD] as Readable, (text) => {
      const inside = INSIDE.safeParse(parse(text));
      if (inside.success) this.inside = inside.data;
    });
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it with SIGTERM or SIGKILL. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Pick<Ended, 'status' | 'signal'>> {
    this.#child.kill(signal);
    return this.ended;
  }
}

function ended(child: ChildProcess): Promise<Pick<Ended, 'status' | 'signal'>> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => resolve({ status, signal }));
  });
}

function eachLine(stream: Readable, tell: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', tell);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
