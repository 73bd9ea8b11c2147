import { spawn, type ChildProcess } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { binary } from './checkout.ts';
import { CLIENT } from './office.ts';

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface AgentOptions {
  readonly cwd: string;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
  /** The command that runs Node, for example strace; it and Node get their signals together. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Takes each line of standard error, which is then not kept. */
  readonly onLine?: (line: string) => void;
  /** Takes each line of descriptor 3. */
  readonly onReport?: (line: string) => void;
}

const running = new Set<AgentProcess>();

/** Kills all agents that a campaign started. */
export function killAgents(): void {
  for (const agent of running) agent.signal('SIGKILL', true);
}

/** Kills them when the campaign's process ends, however it ends. `also` is called then, too. */
export function endWithAgents(also: () => void = () => {}): void {
  process.on('exit', () => {
    killAgents();
    also();
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(130));
}

/** A command of the built agent, with the office's credentials and nothing else from this process's environment. */
export class AgentProcess {
  /** Aborted when the process exits. */
  readonly exited: AbortSignal;
  /** Resolves once its output is complete, too. */
  readonly ended: Promise<Ended>;
  /** Resolves at its first output, or at its end. */
  readonly said: Promise<void>;
  readonly #child: ChildProcess;

  constructor(args: readonly string[], { cwd, node = [], under = [], env = {}, ...takers }: AgentOptions) {
    const [command = process.execPath, ...rest] = [...under, process.execPath, ...node, binary(), ...args];
    const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env;
    const { clientId, clientSecret } = CLIENT;
    const credentials = { RECEIPTD_CLIENT_ID: clientId, RECEIPTD_CLIENT_SECRET: clientSecret };
    this.#child = spawn(command, rest, {
      cwd,
      env: { PATH, HOME, TMPDIR, ...credentials, ...env },
      stdio: ['ignore', 'pipe', 'pipe', takers.onReport ? 'pipe' : 'ignore'],
      // A process group of its own, for what runs it.
      detached: true,
    });
    running.add(this);
    const exit = new AbortController();
    this.exited = exit.signal;
    this.#child.once('exit', () => exit.abort());
    const output = { stdout: '', stderr: '' };
    this.said = new Promise((resolve) => {
      this.#child.once('close', () => resolve());
      for (const name of ['stdout', 'stderr'] as const) {
        const stream = this.#child[name] as Readable;
        stream.setEncoding('utf8').once('data', () => resolve());
        if (name === 'stderr' && takers.onLine) eachLine(stream, takers.onLine);
        else stream.on('data', (text: string) => (output[name] += text));
      }
    });
    if (takers.onReport) eachLine(this.#child.stdio[3] as Readable, takers.onReport);
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (status, signal) => {
        running.delete(this);
        resolve({ status, signal, ...output });
      });
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('The agent did not start.');
    return this.#child.pid;
  }

  /** Resolves early if the process ends. */
  async sleep(ms: number): Promise<void> {
    await pause(ms, this.exited);
  }

  /**
   * To the agent alone, as systemd (`KillMode=mixed`) and the system's memory killer do, or to it and all that it started.
   * Does nothing once the process is gone.
   */
  signal(name: NodeJS.Signals, isForGroup = false): void {
    if (this.#child.pid === undefined || this.exited.aborted) return;
    try {
      process.kill(isForGroup ? -this.#child.pid : this.#child.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Runs a command to its end. */
export function runAgent(
  { dir, config }: { readonly dir: string; readonly config: string },
  ...args: readonly string[]
): Promise<Ended> {
  return new AgentProcess([...args, '--config', config], { cwd: dir }).ended;
}

/** Resolves after `ms` or when aborted; at once if negative, which Node 24 warns about. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, signal && { signal }).catch(() => {});
}

function eachLine(stream: Readable, take: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', take);
}
