import { existsSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ReceiptdError } from '../../../core/domain/errors.ts';
import { SERVICE_NAME, type HostedAgent, type InstallScope } from '../agent.ts';
import { readDefinition, removeDefinition, writeDefinition } from '../definition.ts';
import { run } from '../../../system/programs.ts';
import { demand, type Host } from '../host.ts';
import type { Manager, ManagerStatus, ServiceNote } from '../manager.ts';
import { effectiveUnit, type EffectiveUnit } from './access.ts';
import { systemUnit, userUnit } from './unit.ts';

const UNIT = `${SERVICE_NAME}.service`;
/** Exists only if systemd is the init system (sd_booted(3)). */
const BOOTED = '/run/systemd/system';
/** How long to wait for readiness: repairing a ledger may take longer, so the start then continues in the background. */
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
/** A unit linked to this is masked: it can't be started, and has no content. */
const MASK = '/dev/null';
/** Number of log lines searched for the reason of a failure. */
const LOOKED_THROUGH = 200;

export class Systemd implements Manager {
  readonly name = 'systemd';
  readonly file: string;
  readonly #host: Host;
  readonly #scope: InstallScope;
  readonly #user: string;

  constructor(host: Host, scope: InstallScope, user: string) {
    this.#host = host;
    this.#scope = scope;
    this.#user = user;
    const config = host.env['XDG_CONFIG_HOME'] || join(host.home, '.config');
    const own = scope === 'system' ? '/etc/systemd/system' : join(config, 'systemd/user');
    this.file = join(host.definitionsDir ?? own, UNIT);
  }

  async present(): Promise<void> {
    const asked = this.#isBooted()
      ? await run(this.#command(['show', '--property=Version']), { env: this.#env() })
      : null;
    if (asked?.status === 0) return;
    throw new ReceiptdError('MANAGER_ABSENT.systemd', {
      isUser: this.#scope === 'user',
      isAsked: asked !== null,
      detail: asked?.stderr.trim().split('\n')[0]?.replace(/\.$/, '') || (asked?.why ?? null),
    });
  }

  define(agent: HostedAgent): string {
    return this.#scope === 'system' ? systemUnit(agent, this.#user) : userUnit(agent);
  }

  async installed(): Promise<string | null> {
    return (await this.#isMasked()) ? null : readDefinition(this.file);
  }

  /** The unit in effect, the package's and drop-ins included; null if there is none, or nobody can say. */
  async effective(): Promise<EffectiveUnit | null> {
    if (!this.#isBooted() || (await this.#isMasked())) return null;
    const { status, stdout } = await run(this.#command(['cat', UNIT]), { env: this.#env() });
    return status === 0 ? effectiveUnit(stdout) : null;
  }

  async install(text: string): Promise<readonly ServiceNote[]> {
    const wasMasked = await this.#isMasked();
    const isNew = (await this.installed()) === null;
    await writeDefinition(this.file, text);
    try {
      await this.#demand(['daemon-reload']);
      await this.#demand(['enable', UNIT]);
    } catch (error) {
      // Leave no unit behind that systemd rejects.
      if (isNew) await removeDefinition(this.file);
      throw error;
    }
    return wasMasked ? ['unmasked'] : [];
  }

  async uninstall(): Promise<readonly ServiceNote[]> {
    await this.#demand(['disable', '--now', UNIT], START_MS);
    await removeDefinition(this.file);
    await this.#demand(['daemon-reload']);
    // Clears an earlier failure, which means nothing once the unit is gone.
    await run(this.#command(['reset-failed', UNIT]), { env: this.#env() });
    const { isInstalled } = await this.status();
    return isInstalled ? ['packageDisabled'] : [];
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
      // systemd keeps the status text of an ended process until the next one sets its own.
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

  #isBooted(): boolean {
    return this.#host.definitionsDir !== undefined || existsSync(BOOTED);
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

  /** systemctl succeeds even if a condition keeps the unit from starting, and only points to the log if it fails. */
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
    // A unit held by a condition may still show the failed state of the run before.
    const isHeld = trouble === null && of('ConditionResult') === 'no';
    // If the unit was not even tried, the log is that of the run before.
    const isTried = state !== 'inactive';
    const detail = isHeld
      ? await this.#unmetCondition()
      : isTried
        ? await this.#lastError(of('InvocationID'))
        : null;
    if (detail === null && trouble !== null) throw trouble;
    throw new ReceiptdError(
      'MANAGER_FAILED.notStarted',
      { unit: UNIT, isHeld, detail, state },
      { ...(trouble !== null && { cause: trouble }) },
    );
  }

  async #unmetCondition(): Promise<string | null> {
    const { stdout } = await run(this.#command(['status', '--no-pager', '--lines=0', UNIT]), {
      env: this.#env(),
    });
    return /(Condition\w+=.*) was not met/.exec(stdout)?.[1] ?? null;
  }

  /** The agent's last error message; null if there is none, or the log may not be read. */
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
      // Only after a try: polkit allows other users on some machines.
      if (this.#scope === 'user' || this.#host.uid === 0 || !/authentication|denied/i.test(String(error)))
        throw error;
      throw new ReceiptdError('ROOT_NEEDED.controlService', { cause: error });
    }
  }
}

/** The message may have several lines, one per problem; the last one ends with the error code. */
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
