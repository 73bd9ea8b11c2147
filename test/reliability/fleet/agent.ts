import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import YAML from 'yaml';
import { startProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import { binary } from '../kill/repository.ts';

export interface AgentOptions {
  readonly name: string;
  readonly dir: string;
  /** Configuration of the agent, without `ledger` and `stateDir`. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly leaseMs: number;
  readonly database: {
    readonly name: string;
    /** Port of PostgreSQL, which the agent reaches through its own proxy. */
    readonly port: number;
    /** Port of a second server, tried if the first one refuses writes. */
    readonly standby: number | null;
  };
}

const running = new Set<ChildProcess>();
const STOP_MS = 60_000;

/** Kills all started agents; for interrupts. */
export function killAgents(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** The built program as one agent of a fleet, with its own proxy to the database. */
export class FleetAgent {
  readonly name: string;
  readonly stateDir: string;
  readonly config: string;
  readonly proxy: TcpProxy;
  /** Descriptions of unexpected exits. */
  readonly surprises: string[] = [];
  readonly #options: AgentOptions;
  readonly #log: FileHandle;
  #child: ChildProcess | null = null;
  #isExpected = false;

  private constructor(options: AgentOptions, proxy: TcpProxy, log: FileHandle) {
    this.name = options.name;
    this.stateDir = join(options.dir, `state-${options.name}`);
    this.config = join(options.dir, `${options.name}.yaml`);
    this.proxy = proxy;
    this.#options = options;
    this.#log = log;
  }

  static async prepare(options: AgentOptions): Promise<FleetAgent> {
    const { name, dir, config, database, leaseMs } = options;
    const proxy = await startProxy(database.port);
    const agent = new FleetAgent(options, proxy, await open(join(dir, `${name}.log`), 'a'));
    const ports = [proxy.port, ...(database.standby === null ? [] : [database.standby])];
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const url = `postgres://postgres@${hosts}/${database.name}`;
    const ledger = { kind: 'postgres', url, agent: name, lease: `${leaseMs / 1_000}s` };
    await writeFile(agent.config, YAML.stringify({ ...config, ledger, stateDir: agent.stateDir }));
    return agent;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`agent ${this.name} does not run`);
    return this.#child.pid;
  }

  start(): void {
    if (this.#child) return;
    const child = spawn(process.execPath, [binary(), 'run', '--config', this.config], {
      cwd: this.#options.dir,
      env: { ...this.#options.env },
      stdio: ['ignore', 'ignore', this.#log.fd],
    });
    this.#child = child;
    this.#isExpected = false;
    running.add(child);
    child.once('exit', (status, signal) => {
      running.delete(child);
      if (this.#child === child) this.#child = null;
      if (!this.#isExpected) this.surprises.push(`ended with ${status ?? signal}`);
    });
  }

  /** Ends it with SIGKILL. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Stops it like a service manager and resolves its exit status; null if it had to be killed. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  async log(): Promise<string> {
    return readFile(join(this.#options.dir, `${this.name}.log`), 'utf8');
  }

  async close(): Promise<void> {
    await this.kill();
    await this.proxy.close();
    await this.#log.close();
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (!child) return null;
    this.#isExpected = true;
    const ended = new Promise<number | null>((resolve) => child.once('exit', (status) => resolve(status)));
    child.kill(signal);
    // A frozen agent reacts only to SIGKILL.
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const status = await ended;
    clearTimeout(late);
    return status;
  }
}
