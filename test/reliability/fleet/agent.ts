import { open, readFile, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import YAML from 'yaml';
import { startProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import { AgentProcess } from '../support/agentProcess.ts';

export interface AgentOptions {
  readonly name: string;
  readonly dir: string;
  /** Configuration of the agent, without `ledger` and `stateDir`. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly leaseMs: number;
  readonly database: {
    readonly name: string;
    /** Port of PostgreSQL, which the agent reaches through its own proxy. */
    readonly port: number;
    /** Port of a second server, tried if the first one refuses writes. */
    readonly standby: number | null;
  };
}

const STOP_MS = 60_000;
const LOOK_EVERY_MS = 50;

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
  #process: AgentProcess | null = null;
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
    return this.#process !== null;
  }

  get pid(): number {
    if (this.#process === null) throw new Error(`agent ${this.name} is not running`);
    return this.#process.pid;
  }

  start(): void {
    if (this.#process) return;
    const started = new AgentProcess(['run', '--config', this.config], {
      cwd: this.#options.dir,
      stdio: ['ignore', 'ignore', this.#log.fd],
    });
    this.#process = started;
    this.#isExpected = false;
    void started.ended.then(({ status, signal }) => {
      this.#process = null;
      if (!this.#isExpected) this.surprises.push(`ended with ${status ?? signal}`);
    });
  }

  /** Resolves once it has started, or has ended: before that, SIGTERM ends it as it would any program. */
  async started(): Promise<void> {
    if (!this.isRunning) return;
    const { pid } = this;
    while (this.isRunning && !(await this.log()).includes(`"pid":${pid},`)) await sleep(LOOK_EVERY_MS);
  }

  /** Ends it with SIGKILL. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  freeze(): void {
    this.#process?.signal('SIGSTOP');
  }

  thaw(): void {
    this.#process?.signal('SIGCONT');
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
    const ending = this.#process;
    if (!ending) return null;
    this.#isExpected = true;
    ending.signal(signal);
    // A frozen agent reacts only to SIGKILL.
    const late = setTimeout(() => ending.signal('SIGKILL'), STOP_MS);
    const { status } = await ending.ended;
    clearTimeout(late);
    return status;
  }
}
