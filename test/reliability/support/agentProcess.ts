import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { binary } from './checkout.ts';
import { CLIENT } from './office.ts';

export interface Exit {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface AgentProcessOptions {
  readonly cwd: string;
  readonly stdio: StdioOptions;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
  /** The command that runs Node, for example strace; it and Node get their signals together. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const running = new Set<AgentProcess>();

/** Kills all agents that a campaign started; for its end, however it ends. */
export function killAgents(): void {
  for (const agent of running) agent.signal('SIGKILL', true);
}

/** A command of the built agent, with the office's credentials and nothing else from this process's environment. */
export class AgentProcess {
  /** Aborted when the process exits. */
  readonly exited: AbortSignal;
  /** Resolves once its output is complete, too. */
  readonly ended: Promise<Exit>;
  readonly #child: ChildProcess;

  constructor(args: readonly string[], options: AgentProcessOptions) {
    const { cwd, stdio, node = [], under = [], env = {} } = options;
    const [command = process.execPath, ...rest] = [...under, process.execPath, ...node, binary(), ...args];
    const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env;
    const { clientId, clientSecret } = CLIENT;
    const credentials = { RECEIPTD_CLIENT_ID: clientId, RECEIPTD_CLIENT_SECRET: clientSecret };
    this.#child = spawn(command, rest, {
      cwd,
      env: { PATH, HOME, TMPDIR, ...credentials, ...env },
      stdio,
      // A process group of its own, for what runs it.
      detached: true,
    });
    running.add(this);
    const exit = new AbortController();
    this.exited = exit.signal;
    this.#child.once('exit', () => exit.abort());
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (status, signal) => {
        running.delete(this);
        resolve({ status, signal });
      });
    });
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('The agent did not start.');
    return this.#child.pid;
  }

  /** A piped output, by its descriptor. */
  output(fd: 1 | 2 | 3): Readable {
    return this.#child.stdio[fd] as Readable;
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
