import { readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ReceiptdError } from '../../../core/domain/errors.ts';
import { SERVICE_NAME, type HostedAgent, type Scope } from '../agent.ts';
import { readDefinition, removeDefinition, writeDefinition } from '../definition.ts';
import { run } from '../../../system/programs.ts';
import { demand, type Host } from '../host.ts';
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
  'ConditionResult',
  'InvocationID',
];
/** A unit that is a link to this is masked: it can't be started, and nobody wrote anything into it. */
const MASK = '/dev/null';
/** Lines of a log among which the reason is looked for. */
const LOOKED_THROUGH = 200;

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
    const which =
      this.#scope === 'user' ? "Your user's systemd does not answer" : 'This machine does not run systemd';
    throw new ReceiptdError('MANAGER_ABSENT', `${which}${asked === null ? '' : `: ${wordsOf(asked)}`}.`, {
      hint:
        this.#scope === 'user' && asked !== null
          ? 'Log in directly instead of using su or sudo, or install a system service with `sudo receiptd service install`.'
          : 'In a container, or with another service manager, run `receiptd run` in the foreground.',
    });
  }

  define(agent: HostedAgent): string {
    return this.#scope === 'system' ? systemUnit(agent, this.#user) : userUnit(agent);
  }

  async installed(): Promise<string | null> {
    return (await this.#isMasked()) ? null : readDefinition(this.file);
  }

  async install(text: string): Promise<readonly string[]> {
    const wasMasked = await this.#isMasked();
    const isNew = (await this.installed()) === null;
    await writeDefinition(this.file, text);
    try {
      await this.#demand(['daemon-reload']);
      await this.#demand(['enable', UNIT]);
    } catch (error) {
      // Nothing is left behind that systemd does not take.
      if (isNew) await removeDefinition(this.file);
      throw error;
    }
    return wasMasked ? [`${UNIT} was masked, probably by a removed package, and has been unmasked.`] : [];
  }

  async uninstall(): Promise<readonly string[]> {
    await this.#demand(['disable', '--now', UNIT], START_MS);
    await removeDefinition(this.file);
    await this.#demand(['daemon-reload']);
    // It may have failed once; without its unit nobody needs to know.
    await run(this.#command(['reset-failed', UNIT]), { env: this.#env() });
    const { isInstalled } = await this.status();
    return isInstalled ? [`The ${UNIT} of a package is now disabled.`] : [];
  }

  start(): Promise<void> {
    return this.#demandRunning('start');
  }

  stop(): Promise<void> {
    return this.#demand(['stop', UNIT], START_MS);
  }

  restart(): Promise<void> {
    return this.#demandRunning('restart');
  }

  async status(): Promise<ManagerStatus> {
    const of = await this.#properties();
    const pid = Number(of('MainPID')) || null;
    const failed = ['', 'success'].includes(of('Result')) ? '' : `, ${of('Result')}`;
    return {
      isInstalled: !['not-found', 'masked'].includes(of('LoadState')),
      isRunning: ['active', 'reloading'].includes(of('ActiveState')),
      isEnabled: of('UnitFileState') === 'enabled',
      state: `${of('ActiveState')} (${of('SubState')}${failed})`,
      // The words of a process that has ended are kept until the next one speaks.
      says: pid === null ? null : of('StatusText') || null,
      pid,
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

  async #isMasked(): Promise<boolean> {
    return (await readlink(this.file).catch(() => null)) === MASK;
  }

  async #properties(): Promise<(name: string) => string> {
    const asked = ['show', UNIT, ...PROPERTIES.map((name) => `--property=${name}`)];
    const text = await demand(this.#command(asked), { env: this.#env() });
    const values = new Map(
      text.split('\n').map((line) => [line.replace(/=.*$/, ''), line.replace(/^[^=]*=/, '')] as const),
    );
    return (name) => values.get(name) ?? '';
  }

  /** systemd calls it done where a condition keeps a unit from starting, and sends people to the log where it fails. */
  async #demandRunning(verb: 'start' | 'restart'): Promise<void> {
    const trouble = await this.#demand([verb, UNIT], START_MS).then(
      () => null,
      (error: unknown) => error,
    );
    if (trouble !== null && !(trouble instanceof ReceiptdError && trouble.code === 'MANAGER_FAILED'))
      throw trouble;
    const of = await this.#properties();
    const state = of('ActiveState');
    if (trouble === null && ['active', 'reloading'].includes(state)) return;
    // One that waits may still be called failed, of the run before.
    const isHeld = trouble === null && of('ConditionResult') === 'no';
    // One that was not even tried has the log of the run before.
    const isTried = state !== 'inactive';
    const why = isHeld
      ? await this.#unmetCondition()
      : isTried
        ? await this.#lastError(of('InvocationID'))
        : null;
    if (why === null && trouble !== null) throw trouble;
    throw new ReceiptdError('MANAGER_FAILED', `${UNIT} did not start: ${why ?? `it is ${state}.`}`, {
      hint: 'For details, run `receiptd service logs` and `receiptd check`. Then run `receiptd service start`.',
      ...(trouble !== null && { cause: trouble }),
    });
  }

  async #unmetCondition(): Promise<string> {
    const { stdout } = await run(this.#command(['status', '--no-pager', '--lines=0', UNIT]), {
      env: this.#env(),
    });
    const [, condition = 'a condition of it'] = /(Condition\w+=.*) was not met/.exec(stdout) ?? [];
    return `the condition ${condition} in its unit is not met.`;
  }

  /** The sentence that the agent ended with; null where there is none, or it may not be read. */
  async #lastError(invocation: string): Promise<string | null> {
    if (!/^[\da-f]{32}$/.test(invocation)) return null;
    const of = this.#scope === 'user' ? '_SYSTEMD_USER_UNIT' : '_SYSTEMD_UNIT';
    const words = [`_SYSTEMD_INVOCATION_ID=${invocation}`, `${of}=${UNIT}`];
    const { stdout } = await run(
      ['journalctl', ...words, `--lines=${LOOKED_THROUGH}`, '--no-pager', '--output=cat', '--quiet'],
      { env: this.#env() },
    );
    return lastErrorIn(stdout.split('\n'));
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
      throw new ReceiptdError('ROOT_NEEDED', 'Only root can do this to a system service.', {
        hint: 'Use sudo.',
        cause: error,
      });
    }
  }
}

/** It ends with its code, and has a line for each thing that is wrong. */
function lastErrorIn(lines: readonly string[]): string | null {
  const from = lines.findLastIndex((line) => line.startsWith('error: '));
  if (from === -1) return null;
  const rest = lines.slice(from);
  const end = rest.findIndex((line) => /\[[A-Z_]+\]$/.test(line));
  return rest
    .slice(0, end + 1 || 1)
    .join('; ')
    .slice('error: '.length);
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
