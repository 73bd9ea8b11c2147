import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReceiptdError } from '../../../core/domain/errors.ts';
import { SERVICE_NAME, type HostedAgent, type InstallScope } from '../agent.ts';
import { readDefinition, removeDefinition, writeDefinition } from '../definition.ts';
import { run } from '../../../system/programs.ts';
import { demand, type Host } from '../host.ts';
import type { Manager, ManagerStatus, ServiceNote } from '../manager.ts';
import { launchdPlist } from './plist.ts';

/** Longer than the default grace period of uploads in flight. */
const GONE_MS = 2 * 60_000;
const LOOK_MS = 100;
/** EINPROGRESS of macOS. */
const IN_PROGRESS = 36;

export class Launchd implements Manager {
  readonly name = 'launchd';
  readonly file: string;
  readonly #host: Host;
  readonly #user: string | null;
  readonly #domain: string;
  readonly #log: string;

  constructor(host: Host, scope: InstallScope, user: string, stateDir: string) {
    this.#host = host;
    this.#user = scope === 'system' ? user : null;
    this.#domain = scope === 'system' ? 'system' : `gui/${host.uid ?? ''}`;
    this.#log = join(stateDir, 'logs/receiptd.log');
    const own = scope === 'system' ? '/Library/LaunchDaemons' : join(host.home, 'Library/LaunchAgents');
    this.file = join(host.definitionsDir ?? own, `${SERVICE_NAME}.plist`);
  }

  async present(): Promise<void> {
    const { status, why } = await this.#run(['version']);
    if (status === 0) return;
    throw new ReceiptdError('MANAGER_ABSENT.launchd', { detail: why, status });
  }

  define(agent: HostedAgent): string {
    return launchdPlist(agent, this.#user);
  }

  installed(): Promise<string | null> {
    return readDefinition(this.file);
  }

  async install(text: string): Promise<readonly ServiceNote[]> {
    await writeDefinition(this.file, text);
    await this.#demand(['enable', this.#target()]);
    return [];
  }

  async uninstall(): Promise<readonly ServiceNote[]> {
    await this.stop();
    await removeDefinition(this.file);
    return [];
  }

  async start(): Promise<void> {
    if (await this.#isLoaded()) await this.#demand(['kickstart', this.#target()]);
    else await this.#demand(['bootstrap', this.#domain, this.file]);
  }

  /** Unloads the job: launchd would restart one that stays loaded. */
  async stop(): Promise<void> {
    if (!(await this.#isLoaded())) return;
    const { status, why, stderr } = await this.#run(['bootout', this.#target()], GONE_MS);
    // launchctl may return before the job is gone, which then can't be loaded again, or report EINPROGRESS.
    const until = Date.now() + GONE_MS;
    while (await this.#isLoaded()) {
      if (status === 0 || status === IN_PROGRESS) {
        if (Date.now() < until) {
          await sleep(LOOK_MS);
          continue;
        }
      }
      throw new ReceiptdError('MANAGER_FAILED.launchdStop', {
        detail: stderr.trim().replace(/\.$/, '') || why,
        status,
      });
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async status(): Promise<ManagerStatus> {
    const { status, stdout } = await this.#run(['print', this.#target()]);
    const [, state = 'not loaded'] = /^\s*state = (.+)$/m.exec(stdout) ?? [];
    const [, pid = ''] = /^\s*pid = (\d+)$/m.exec(stdout) ?? [];
    const isInstalled = (await this.installed()) !== null;
    const isLoaded = status === 0;
    return {
      isInstalled,
      isRunning: isLoaded && state === 'running',
      isEnabled: isInstalled,
      state: isLoaded ? state : 'not loaded',
      says: null,
      pid: Number(pid) || null,
    };
  }

  logs({ lines, follow }: { lines: number; follow: boolean }): readonly string[] {
    return ['tail', '-n', String(lines), ...(follow ? ['-F'] : []), this.#log];
  }

  #target(): string {
    return `${this.#domain}/${SERVICE_NAME}`;
  }

  async #isLoaded(): Promise<boolean> {
    return (await this.#run(['print', this.#target()])).status === 0;
  }

  #run(words: readonly string[], limitMs?: number) {
    return run(['launchctl', ...words], {
      env: { ...this.#host.env },
      ...(limitMs !== undefined && { limitMs }),
    });
  }

  async #demand(words: readonly string[]): Promise<void> {
    await demand(['launchctl', ...words], { env: { ...this.#host.env } });
  }
}
