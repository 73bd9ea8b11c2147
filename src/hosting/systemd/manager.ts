import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ReceiptdError } from '../../domain/errors.ts';
import { SERVICE_NAME, type HostedAgent, type Scope } from '../agent.ts';
import { readDefinition, removeDefinition, writeDefinition } from '../definition.ts';
import { demand, run, type Host } from '../host.ts';
import type { Manager, ManagerStatus } from '../manager.ts';
import { systemUnit, userUnit } from './unit.ts';

const UNIT = `${SERVICE_NAME}.service`;
/** Where systemd is the service manager, it has made this (sd_booted(3)). */
const BOOTED = '/run/systemd/system';
/** Being ready can take as long as mending a ledger takes; who waits is told after this that it goes on. */
const START_MS = 10 * 60_000;
const PROPERTIES = [
  'LoadState',
  'ActiveState',
  'SubState',
  'UnitFileState',
  'StatusText',
  'MainPID',
  'Result',
];

export class Systemd implements Manager {
  readonly name = 'systemd';
  readonly file: string;
  readonly #host: Host;
  readonly #scope: Scope;
  readonly #user: string;

  constructor(host: Host, scope: Scope, user: string) {
    this.#host = host;
    this.#scope = scope;
    this.#user = user;
    const config = host.env['XDG_CONFIG_HOME'] || join(host.home, '.config');
    const own = scope === 'system' ? '/etc/systemd/system' : join(config, 'systemd/user');
    this.file = join(host.definitionsDir ?? own, UNIT);
  }

  async present(): Promise<void> {
    const isBooted = this.#host.definitionsDir !== undefined || (await isThere(BOOTED));
    const asked = isBooted
      ? await run(this.#command(['show', '--property=Version']), { env: this.#env() })
      : null;
    if (asked?.status === 0) return;
    const which = this.#scope === 'user' ? 'No systemd of yours answers' : 'No systemd runs this machine';
    throw new ReceiptdError('MANAGER_ABSENT', `${which}${asked === null ? '' : `: ${wordsOf(asked)}`}.`, {
      hint:
        this.#scope === 'user' && asked !== null
          ? 'Sign in as yourself rather than with su or sudo, or install it for the machine with `sudo receiptd service install`.'
          : 'In a container, or under another supervisor, have it run `receiptd run` in the foreground.',
    });
  }

  define(agent: HostedAgent): string {
    return this.#scope === 'system' ? systemUnit(agent, this.#user) : userUnit(agent);
  }

  installed(): Promise<string | null> {
    return readDefinition(this.file);
  }

  async install(text: string): Promise<void> {
    await writeDefinition(this.file, text);
    await this.#demand(['daemon-reload']);
    await this.#demand(['enable', UNIT]);
  }

  async uninstall(): Promise<readonly string[]> {
    await this.#demand(['disable', '--now', UNIT], START_MS);
    await removeDefinition(this.file);
    await this.#demand(['daemon-reload']);
    // It may have failed once; without its unit nobody needs to know.
    await run(this.#command(['reset-failed', UNIT]), { env: this.#env() });
    const { isInstalled } = await this.status();
    return isInstalled ? [`A package has a ${UNIT} of its own, which is not enabled now.`] : [];
  }

  start(): Promise<void> {
    return this.#demand(['start', UNIT], START_MS);
  }

  stop(): Promise<void> {
    return this.#demand(['stop', UNIT], START_MS);
  }

  restart(): Promise<void> {
    return this.#demand(['restart', UNIT], START_MS);
  }

  async status(): Promise<ManagerStatus> {
    const asked = ['show', UNIT, ...PROPERTIES.map((name) => `--property=${name}`)];
    const text = await demand(this.#command(asked), { env: this.#env() });
    const values = new Map(
      text.split('\n').map((line) => [line.replace(/=.*$/, ''), line.replace(/^[^=]*=/, '')] as const),
    );
    const of = (name: string): string => values.get(name) ?? '';
    const failed = ['', 'success'].includes(of('Result')) ? '' : `, ${of('Result')}`;
    return {
      isInstalled: of('LoadState') !== 'not-found',
      isRunning: ['active', 'reloading'].includes(of('ActiveState')),
      isEnabled: of('UnitFileState') === 'enabled',
      state: `${of('ActiveState')} (${of('SubState')}${failed})`,
      says: of('StatusText') || null,
      pid: Number(of('MainPID')) || null,
    };
  }

  logs({ lines, follow }: { lines: number; follow: boolean }): readonly string[] {
    const unit = this.#scope === 'user' ? `--user-unit=${UNIT}` : `--unit=${UNIT}`;
    return [
      'journalctl',
      unit,
      `--lines=${lines}`,
      '--no-pager',
      '--output=cat',
      ...(follow ? ['--follow'] : []),
    ];
  }

  #command(words: readonly string[]): string[] {
    return ['systemctl', ...(this.#scope === 'user' ? ['--user'] : []), ...words];
  }

  #env(): NodeJS.ProcessEnv {
    return { ...this.#host.env, SYSTEMD_PAGER: '', LC_ALL: 'C.UTF-8' };
  }

  async #demand(words: readonly string[], limitMs?: number): Promise<void> {
    try {
      await demand(this.#command(words), { env: this.#env(), ...(limitMs !== undefined && { limitMs }) });
    } catch (error) {
      // Some machines let others do it as well, so it is tried first.
      if (this.#scope === 'user' || this.#host.uid === 0 || !/authentication|denied/i.test(String(error)))
        throw error;
      throw new ReceiptdError('ROOT_NEEDED', 'Only root may do that with a service of the machine.', {
        hint: 'Run it with sudo.',
        cause: error,
      });
    }
  }
}

function wordsOf({ stderr, why }: { stderr: string; why: string | null }): string {
  return stderr.trim().split('\n')[0]?.replace(/\.$/, '') || (why ?? 'systemctl failed');
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
