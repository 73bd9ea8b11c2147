import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import { ReceiptdError } from '../../../core/domain/errors.ts';
import { SERVICE_NAME, type HostedAgent, type InstallScope } from '../agent.ts';
import { run } from '../../../system/programs.ts';
import { demand, runVisibly, type Host } from '../host.ts';
import type { Manager, ManagerStatus, ServiceNote } from '../manager.ts';
import { windowsTask } from './task.ts';

const NAME = `\\${SERVICE_NAME}`;

/** The Task Scheduler: Node can't talk to the Service Control Manager, and a task needs no wrapper program. */
export class WindowsTasks implements Manager {
  readonly name = 'windows';
  readonly file = null;
  readonly #host: Host;
  readonly #scope: InstallScope;
  readonly #user: string;
  readonly #log: string;

  constructor(host: Host, scope: InstallScope, user: string, stateDir: string) {
    this.#host = host;
    this.#scope = scope;
    this.#user = user;
    this.#log = win32.join(stateDir, 'logs', 'receiptd.log');
  }

  async present(): Promise<void> {
    const { status, why } = await this.#run(['/Query', '/FO', 'LIST', '/TN', '\\']);
    // An empty task folder is an error to schtasks; it is enough that the program ran.
    if (status !== null) return;
    throw new ReceiptdError('MANAGER_ABSENT.taskScheduler', { detail: why });
  }

  define(agent: HostedAgent): string {
    return windowsTask(agent, this.#scope, this.#user);
  }

  async installed(): Promise<string | null> {
    const { status, stdout } = await this.#run(['/Query', '/XML', '/TN', NAME]);
    return status === 0 ? stdout : null;
  }

  async install(text: string): Promise<readonly ServiceNote[]> {
    const dir = await mkdtemp(join(tmpdir(), 'receiptd-task-'));
    try {
      const file = join(dir, 'task.xml');
      await writeFile(file, `\ufeff${text}`, 'utf16le');
      const words = ['/Create', '/F', '/TN', NAME, '/XML', file];
      if (!text.includes('<LogonType>Password</LogonType>')) {
        await this.#demand(words);
        return [];
      }
      // schtasks itself prompts for the account's password, which this process never sees.
      const command = ['schtasks', ...words, '/RU', this.#user, '/RP', '*'];
      const status = await runVisibly(command, {
        env: { ...this.#host.env },
        signal: new AbortController().signal,
      });
      if (status !== 0) throw new ReceiptdError('MANAGER_FAILED.taskNotCreated');
      return [];
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }

  async uninstall(): Promise<readonly ServiceNote[]> {
    await this.stop();
    await this.#demand(['/Delete', '/F', '/TN', NAME]);
    return [];
  }

  async start(): Promise<void> {
    await this.#demand(['/Change', '/TN', NAME, '/ENABLE']);
    await this.#demand(['/Run', '/TN', NAME]);
  }

  /**
   * Kills the process: Windows has no graceful stop for a task. Uploads in flight are sent again under the same name.
   * The task is disabled first, or its trigger would start it within a minute.
   */
  async stop(): Promise<void> {
    await this.#demand(['/Change', '/TN', NAME, '/DISABLE']);
    if ((await this.status()).isRunning) await this.#demand(['/End', '/TN', NAME]);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async status(): Promise<ManagerStatus> {
    // The output of schtasks is localized; the numeric task state is not (4: running).
    const script = `$t = Get-ScheduledTask -TaskPath '\\' -TaskName '${SERVICE_NAME}' -ErrorAction Stop; [int]$t.State`;
    const { status, stdout } = await run(
      ['powershell', '-NoProfile', '-NonInteractive', '-Command', script],
      { env: { ...this.#host.env } },
    );
    const state = ['unknown', 'disabled', 'queued', 'ready', 'running'][Number(stdout.trim())] ?? 'unknown';
    const isInstalled = status === 0;
    return {
      isInstalled,
      isRunning: isInstalled && state === 'running',
      isEnabled: isInstalled && state !== 'disabled',
      state: isInstalled ? state : 'no task',
      says: null,
      pid: null,
    };
  }

  logs({ lines, follow }: { lines: number; follow: boolean }): readonly string[] {
    const path = this.#log.replaceAll("'", "''");
    const script = `Get-Content -LiteralPath '${path}' -Encoding utf8 -Tail ${lines}${follow ? ' -Wait' : ''}`;
    return ['powershell', '-NoProfile', '-NonInteractive', '-Command', script];
  }

  #run(words: readonly string[]) {
    return run(['schtasks', ...words], { env: { ...this.#host.env } });
  }

  async #demand(words: readonly string[]): Promise<void> {
    await demand(['schtasks', ...words], { env: { ...this.#host.env } });
  }
}
