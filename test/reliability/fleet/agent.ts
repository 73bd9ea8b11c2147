import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import YAML from 'yaml';
import { startProxy, type TcpProxy } from '../../support/tcpProxy.ts';
import { AgentProcess, pause } from '../support/agentProcess.ts';

export interface FleetAgentOptions {
  readonly name: string;
  readonly dir: string;
  /** Configuration of the agent, without `ledger` and `stateDir`. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly leaseMs: number;
  /** Port of PostgreSQL, which the agent reaches through its own proxy. */
  readonly port: number;
  /** Port of a second server, tried if the first one refuses writes. */
  readonly standby: number | null;
}

const STOP_MS = 60_000;
const LOOK_EVERY_MS = 50;

/** The built program as one agent of a fleet, with its own proxy to the database. */
export class FleetAgent {
  readonly name: string;
  readonly dir: string;
  readonly stateDir: string;
  readonly config: string;
  readonly proxy: TcpProxy;
  /** Descriptions of unexpected exits. */
  readonly surprises: string[] = [];
  /** All that it wrote to standard error. */
  log = '';
  #process: AgentProcess | null = null;
  #isExpected = false;

  private constructor({ name, dir }: FleetAgentOptions, proxy: TcpProxy) {
    this.name = name;
    this.dir = dir;
    this.stateDir = join(dir, `state-${name}`);
    this.config = join(dir, `${name}.yaml`);
    this.proxy = proxy;
  }

  static async prepare(options: FleetAgentOptions): Promise<FleetAgent> {
    const { name, config, port, standby, leaseMs } = options;
    const agent = new FleetAgent(options, await startProxy(port));
    const hosts = [agent.proxy.port, standby].flatMap((each) => (each === null ? [] : `127.0.0.1:${each}`));
    const url = `postgres://postgres@${hosts.join(',')}/postgres`;
    const ledger = { kind: 'postgres', url, agent: name, lease: `${leaseMs / 1_000}s` };
    await writeFile(agent.config, YAML.stringify({ ...config, ledger, stateDir: agent.stateDir }));
    return agent;
  }

  get isRunning(): boolean {
    return this.#process !== null;
  }

  start(): void {
    if (this.#process) return;
    const started = new AgentProcess(['run', '--config', this.config], {
      cwd: this.dir,
      onLine: (line) => (this.log += `${line}\n`),
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
    const started = this.#process;
    const isStarting = () =>
      started !== null && this.#process === started && !this.log.includes(`"pid":${started.pid},`);
    while (isStarting()) await pause(LOOK_EVERY_MS);
  }

  freeze(): void {
    this.#process?.signal('SIGSTOP');
  }

  /** Ends whatever was done to it. */
  mend(): void {
    this.proxy.heal();
    this.#process?.signal('SIGCONT');
    this.start();
  }

  /** Stops it, by default like a service manager. Resolves its exit status; null if it was killed. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
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

  async close({ kept }: { readonly kept: boolean }): Promise<void> {
    await this.stop('SIGKILL');
    await this.proxy.close();
    if (kept) await writeFile(join(this.dir, `${this.name}.log`), this.log);
  }
}
