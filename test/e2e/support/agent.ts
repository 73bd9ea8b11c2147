/**
 * The built binary as users run it, with a sandbox service and a private directory. All of it is killed and removed after
 * each test, passed or failed.
 *
 *   const site = await prepare();                    // folder `inbox`, endpoints `office` and `depot`
 *   await writeFile(site.file('inbox', 'a.jpg'), …);
 *   const agent = await site.start();                // receiptd run
 *   await until(() => site.sandbox.received().length === 1);
 *   await agent.stop();
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import YAML from 'yaml';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/server.ts';
import { Resident, runInProcess } from './inProcess.ts';
import { cleanUp, killAfterTest } from '../../support/cleanUp.ts';
import { launch } from '../../support/launch.ts';
import { ROWS, type Row } from '../../support/listRows.ts';
export type { Row };

export const MAIN = fileURLToPath(new URL('../../../dist/receiptd.cjs', import.meta.url));
export const OFFICE = '11111111-2222-4333-8444-555555555555';
export const DEPOT = '66666666-7777-4888-9999-aaaaaaaaaaaa';
const CLIENT = { clientId: 'e2e', clientSecret: 'e2e-secret' };

export async function temporaryDirectory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-e2e-'));
  cleanUp(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

/** A sandbox in this process, with the endpoints OFFICE and DEPOT. */
export async function practiceService(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({
    dir: options.dir ?? join(await temporaryDirectory(), 'sandbox'),
    credentials: CLIENT,
    endpoints: [
      { uid: OFFICE, name: 'Office' },
      { uid: DEPOT, name: 'Depot' },
    ],
    ...options,
  });
  cleanUp(() => sandbox.close());
  return sandbox;
}

/** Keys of the config file. They replace the defaults of `Site.configure`, without deep merging. */
export interface ConfigKeys {
  readonly language?: string;
  readonly service?: Record<string, unknown>;
  readonly endpoints?: Record<string, Record<string, unknown>>;
  readonly folders?: readonly Record<string, unknown>[];
  readonly delivery?: Record<string, unknown>;
  readonly intake?: Record<string, unknown>;
  readonly credentials?: Record<string, unknown>;
  readonly accounts?: Record<string, Record<string, unknown>>;
  readonly spool?: string;
  readonly storage?: Record<string, unknown>;
  readonly console?: Record<string, unknown>;
  readonly monitoring?: Record<string, unknown>;
  readonly control?: Record<string, unknown>;
  readonly results?: Record<string, unknown>;
  readonly log?: Record<string, unknown>;
  readonly alerts?: Record<string, unknown>;
  readonly ledger?: Record<string, unknown>;
  readonly stateDir?: string;
}

export interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One running command of the binary. */
export class Running {
  readonly child: ChildProcess;
  /** Resolves when the process is gone and its output is read. */
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    killAfterTest(child);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status, signal) => {
        resolve({ status, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
    cleanUp(async () => {
      const { stderr } = await this.ended;
      // Warnings of Node.js, such as leaks or deprecated calls, fail any test.
      const [warning] = /^\(node:\d+\) .*/m.exec(stderr) ?? [];
      if (warning !== undefined) throw new Error(`Node warned: ${warning}`);
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the process did not start');
    return this.child.pid;
  }

  get alive(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Waits for a message in the log on standard error. */
  async logged(text: string): Promise<void> {
    await until(() => {
      if (this.stderr.includes(text)) return true;
      if (!this.alive) throw new Error(`ended without saying "${text}": ${this.stderr.slice(-2000)}`);
      return false;
    }, `the log to say "${text}"`);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Stops it cleanly, with SIGTERM like a service manager. */
  async stop(): Promise<Ended> {
    this.child.kill('SIGTERM');
    return this.ended;
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Peak resident memory in MB (10^6 bytes). Linux only, and only while it runs. */
  async peakMemoryMb(): Promise<number> {
    const text = await readFile(`/proc/${this.pid}/status`, 'utf8');
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(text)?.[1];
    if (kib === undefined) throw new Error('no VmHWM');
    return (Number(kib) * 1024) / 1e6;
  }
}

/** A directory with a config, folders and a state directory, and a service to send to. */
export class Site {
  readonly dir: string;
  readonly sandbox: Sandbox;
  readonly config: string;
  readonly stateDir: string;
  env: Record<string, string>;

  constructor(dir: string, sandbox: Sandbox, config = 'receiptd.yaml') {
    this.dir = dir;
    this.sandbox = sandbox;
    this.config = join(dir, config);
    this.stateDir = join(dir, 'state');
    this.env = { RECEIPTD_CLIENT_ID: CLIENT.clientId, RECEIPTD_CLIENT_SECRET: CLIENT.clientSecret };
  }

  file(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  /** Writes the config and creates its folders. */
  async configure(keys: ConfigKeys = {}): Promise<void> {
    const folders = keys.folders ?? [this.folder()];
    for (const { path } of folders) if (typeof path === 'string') await mkdir(path, { recursive: true });
    await this.writeConfig({ ...keys, folders });
  }

  /** A folder for `office`, which waits less long than by default for files that are no images: five seconds. */
  folder(name = 'inbox', more: Record<string, unknown> = {}): Record<string, unknown> {
    return { path: this.file(name), endpoint: 'office', settle: { long: '250ms' }, ...more };
  }

  /** Writes the config only. */
  async writeConfig(keys: ConfigKeys): Promise<void> {
    await writeFile(
      this.config,
      YAML.stringify({
        service: { baseUrl: this.sandbox.url },
        endpoints: { office: { uid: OFFICE }, depot: { uid: DEPOT } },
        stateDir: this.stateDir,
        ...keys,
      }),
    );
  }

  /** Starts a command without waiting. */
  spawn(...args: string[]): Running {
    return new Running(
      launch(process.execPath, this.#command(args), { ...this.#surroundings(), stdin: 'ignore' }),
    );
  }

  /** Starts a command whose standard output is not read until the caller reads it. */
  spawnUnread(...args: string[]): Readable {
    const stdio = ['ignore', 'pipe', 'ignore'] as const;
    const child = spawn(process.execPath, this.#command(args), {
      ...this.#surroundings(),
      stdio: [...stdio],
    });
    killAfterTest(child);
    // Without a listener, Node.js drops unread output when the process ends.
    return child.stdout.on('readable', () => {});
  }

  #command(args: readonly string[]): string[] {
    if (!existsSync(MAIN)) throw new Error('dist/receiptd.cjs is missing: npm run build');
    return [MAIN, ...args];
  }

  /** Starts `receiptd run`; resolves when the control socket answers. */
  async start(...args: string[]): Promise<Running> {
    const agent = this.spawn('run', '--config', this.config, ...args);
    await agent.logged('receiptd has started');
    return agent;
  }

  /** Like `start`, but in this process: for an agent that the test only needs in the background. It can't be killed. */
  async quickStart(...args: string[]): Promise<Resident> {
    const agent = new Resident(['--config', this.config, ...args], this.#surroundings());
    cleanUp(() => agent.stop());
    await agent.logged('receiptd has started');
    return agent;
  }

  /** Runs a command with this config to its end. */
  run(...args: string[]): Promise<Ended> {
    return this.spawn(...args, '--config', this.config).ended;
  }

  /** Like `run`, for a command that must succeed. @returns its standard output. @throws Error if it fails */
  async must(...args: string[]): Promise<string> {
    const ended = await this.run(...args);
    if (ended.status !== 0) throw new Error(`receiptd ${args.join(' ')}: ${JSON.stringify(ended)}`);
    return ended.stdout;
  }

  async once(...args: string[]): Promise<Ended> {
    return this.run('run', '--once', ...args);
  }

  /** Like `run`, but in this process: for preparing, polling and comparing, not for the command under test. */
  look(...args: string[]): Promise<Ended> {
    return runInProcess([...args, '--config', this.config], this.#surroundings());
  }

  #surroundings() {
    const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env;
    return { cwd: this.dir, env: { PATH, HOME, TMPDIR, ...this.env } };
  }

  /** Like `must`, but in this process: see `look`. */
  async quickMust(...args: string[]): Promise<string> {
    const ended = await this.look(...args);
    if (ended.status !== 0) throw new Error(`receiptd ${args.join(' ')}: ${JSON.stringify(ended)}`);
    return ended.stdout;
  }

  /** Like `once`, but in this process: see `look`. */
  quickOnce(...args: string[]): Promise<Ended> {
    return this.look('run', '--once', ...args);
  }

  /** The rows of `list --json`. */
  async list(...filters: string[]): Promise<Row[]> {
    return ROWS.parse(JSON.parse(await this.quickMust('list', '--json', ...filters)));
  }
}

/** Creates a site and writes its config. */
export async function prepare(keys: ConfigKeys = {}, options: Partial<SandboxOptions> = {}): Promise<Site> {
  const dir = await temporaryDirectory();
  const site = new Site(dir, await practiceService({ dir: join(dir, 'sandbox'), ...options }));
  await site.configure(keys);
  return site;
}

/** Polls `condition`. The default deadline is generous: only a defect reaches it. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'the condition',
  deadlineMs = 60_000,
  everyMs = 20,
): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const asked = performance.now();
    if (await condition()) return;
    if (Date.now() > deadline) throw new Error(`waited ${deadlineMs} ms for ${what}`);
    // A condition that runs a command must not starve what it waits for of CPU.
    const tookMs = performance.now() - asked;
    await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(everyMs, 8 * tookMs), 1_000)));
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Checks the guarantees P1 and P2: each image is stored once, unchanged, under the same name in ledger and service. */
export async function storedOnce(site: Site): Promise<Map<string, string>> {
  const named = new Map<string, string>();
  for (const row of await site.list('--state', 'accepted')) {
    if (row.sha256 === null || row.name === null) throw new Error(`accepted without a name: ${row.path}`);
    const key = `${row.endpointUid} ${row.sha256}`;
    if ((named.get(key) ?? row.name) !== row.name)
      throw new Error(`two names: ${named.get(key)}, ${row.name}`);
    named.set(key, row.name);
  }
  const stored = new Map<string, string>();
  for (const { endpointUid, sha256: hash, name, file } of site.sandbox.received()) {
    const key = `${endpointUid} ${hash}`;
    if (stored.has(key)) throw new Error(`stored twice: ${name} and ${stored.get(key)}`);
    if (sha256(await readFile(file)) !== hash) throw new Error(`other bytes: ${file}`);
    if (named.get(key) !== name) throw new Error(`stored as ${name}, in the ledger ${named.get(key)}`);
    stored.set(key, name);
  }
  for (const [key, name] of named) if (!stored.has(key)) throw new Error(`accepted, but not stored: ${name}`);
  return stored;
}
