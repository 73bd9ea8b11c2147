import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadContext } from '../../config/config.ts';
import { isInProfile } from '../../features/os-service/windows/task.ts';
import type { ServiceScope } from './answers.ts';
import type { Talk } from './talk.ts';

/** Whether something here starts programs with the machine, and what to do where nothing does. */
export interface ManagerHere {
  readonly name: string;
  readonly runs: boolean;
  /** For whom a service would be installed: the machine by root, oneself by anybody else. */
  readonly scope: ServiceScope;
  /** A sentence, where none runs. */
  readonly instead: string;
}

const IN_PROFILE = String.raw`A service of the machine can read nothing in your profile: run \`receiptd setup --config C:\ProgramData\receiptd\receiptd.yaml\` in a terminal that was opened with "Run as administrator".`;

/** `file`: the configuration. `isThere`: whether there is such a file; an argument, so that a test can be any machine. */
export function managerHere(
  { platform, isRoot, env }: Pick<LoadContext, 'platform' | 'isRoot' | 'env'>,
  file: string,
  isThere: (path: string) => boolean = existsSync,
): ManagerHere {
  const scope = isRoot ? 'system' : 'user';
  const manager = (name: string, runs: boolean, instead = '') => ({ name, runs, scope, instead }) as const;
  if (platform === 'darwin') return manager('launchd', true);
  // Only an administrator may; who that is shows when it is tried.
  if (platform === 'win32') {
    const [runs, instead] = isInProfile(file) ? [false, IN_PROFILE] : [true, ''];
    return { ...manager('Windows', runs, instead), scope: 'system' };
  }
  if (!isThere('/run/systemd/system')) {
    const isWsl = (env['WSL_DISTRO_NAME'] ?? '') !== '';
    const isContainer = isThere('/.dockerenv') || isThere('/run/.containerenv');
    const why = isContainer
      ? 'A container has no service manager: make `receiptd run` its command, and let the engine restart it.'
      : isWsl
        ? 'systemd does not run in this WSL: switch it on in /etc/wsl.conf ([boot] systemd=true), or keep a window open with `receiptd run`.'
        : 'systemd does not run here: start `receiptd run` with the tool that starts programs on this machine.';
    return manager('systemd', false, why);
  }
  const runtime = env['XDG_RUNTIME_DIR'];
  if (isRoot || (runtime !== undefined && isThere(join(runtime, 'systemd')))) return manager('systemd', true);
  return manager(
    'systemd',
    false,
    'No systemd runs for this user: run `receiptd setup` as root for a service of the machine, or keep a terminal open with `receiptd run`.',
  );
}

/** Null: none is installed. */
export async function installStep({ given, found, ask, say }: Talk): Promise<ServiceScope | null> {
  if (given.service !== undefined) return given.service === 'no' ? null : given.service;
  if (ask === null) return null;
  const manager = managerHere(found.context, found.place.file);
  if (!manager.runs) {
    say(`No service can be installed here. ${manager.instead}`);
    return null;
  }
  const whose = manager.scope === 'system' ? 'starts with the machine' : 'starts when you sign in';
  return (await ask.confirm(`Install receiptd as a service, which ${whose}?`, true)) ? manager.scope : null;
}
