import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { AgentProcess, type Exit } from '../support/agentProcess.ts';
import { INSIDE, PROBE_FD, probeArgument, type Inside } from './probe.ts';
import type { Place } from './place.ts';

const LINE = z.looseObject({ timestamp: z.string(), level: z.string(), message: z.string() });
export type LogLine = z.infer<typeof LINE>;

export interface Ended extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command with the soak's config. */
export async function command({ dir, config }: Place, ...args: readonly string[]): Promise<Ended> {
  const child = new AgentProcess([...args, '--config', config], {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child
    .output(1)
    .setEncoding('utf8')
    .on('data', (text: string) => (output.stdout += text));
  child
    .output(2)
    .setEncoding('utf8')
    .on('data', (text: string) => (output.stderr += text));
  return { ...(await child.ended), ...output };
}

/** One life of `receiptd run`, from start to exit. */
export class Life {
  readonly pid: number;
  readonly ended: Promise<Exit>;
  readonly startedAt = Date.now();
  /** The latest report of the probe; null before the first. */
  inside: Inside | null = null;
  readonly #process: AgentProcess;
  readonly #started: Promise<void>;

  private constructor(place: Place, onLine: (line: LogLine) => void, onOther: (text: string) => void) {
    const child = new AgentProcess(['run', '--config', place.config], {
      cwd: place.dir,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      node: ['--trace-warnings', probeArgument()],
      // The binary sets this before its first module loads; the probe is loaded even earlier.
      env: { UV_THREADPOOL_SIZE: '16' },
    });
    this.pid = child.pid;
    this.#process = child;
    this.ended = child.ended;
    this.#started = new Promise((resolve, reject) => {
      const said: string[] = [];
      void child.ended.then(() => reject(new Error(`The agent did not start: ${said.join('\n')}`)));
      eachLine(child.output(2), (text) => {
        const line = LINE.safeParse(parse(text));
        if (!line.success) {
          said.push(text);
          return onOther(text);
        }
        onLine(line.data);
        if (line.data.message === 'receiptd has started') resolve();
      });
    });
    eachLine(child.output(PROBE_FD), (text) => {
      const inside = INSIDE.safeParse(parse(text));
      if (inside.success) this.inside = inside.data;
    });
  }

  /** Resolves once the agent reports that it has started. */
  static async start(
    place: Place,
    onLine: (line: LogLine) => void,
    onOther: (text: string) => void,
  ): Promise<Life> {
    const life = new Life(place, onLine, onOther);
    await life.#started;
    return life;
  }

  get isAlive(): boolean {
    return !this.#process.exited.aborted;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.signal(signal);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Exit> {
    this.#process.signal(signal);
    return this.ended;
  }
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
