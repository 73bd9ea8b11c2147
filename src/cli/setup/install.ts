import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadContext } from '../../config/config.ts';
import { joined, says, type Said } from '../../core/domain/setupWords.ts';
import { isInProfile } from '../../features/os-service/windows/task.ts';
import type { ServiceScope } from './answers.ts';
import type { Talk } from './talk.ts';

/** Whether this machine has a service manager, and what to do if it has none. */
export interface ManagerHere {
  readonly name: string;
  readonly runs: boolean;
  /** Scope of the service: root installs a system service, others a user service. */
  readonly scope: ServiceScope;
  /** Alternative without a service manager; null if one is running. */
  readonly instead: Said | null;
}

/** `file`: the configuration. `isThere`: whether a path exists; a parameter, so that tests can simulate any machine. */
export function managerHere(
  { platform, isRoot, env }: Pick<LoadContext, 'platform' | 'isRoot' | 'env'>,
  file: string,
  isThere: (path: string) => boolean = existsSync,
): ManagerHere {
  const scope = isRoot ? 'system' : 'user';
  const manager = (name: string, runs: boolean, instead: Said | null = null) =>
    ({ name, runs, scope, instead }) as const;
  if (platform === 'darwin') return manager('launchd', true);
  // Needs an administrator, which only shows during the installation.
  if (platform === 'win32') {
    const [runs, instead] = isInProfile(file) ? [false, says('install.inProfile')] : [true, null];
    return { ...manager('Windows', runs, instead), scope: 'system' };
  }
  if (!isThere('/run/systemd/system')) {
    const isWsl = (env['WSL_DISTRO_NAME'] ?? '') !== '';
    const isContainer = isThere('/.dockerenv') || isThere('/run/.containerenv');
    const why = isContainer ? 'install.container' : isWsl ? 'install.wsl' : 'install.noSystemd';
    return manager('systemd', false, says(why));
  }
  const runtime = env['XDG_RUNTIME_DIR'];
  if (isRoot || (runtime !== undefined && isThere(join(runtime, 'systemd')))) return manager('systemd', true);
  return manager('systemd', false, says('install.noneForUser'));
}

/** Null: install no service. */
export async function installStep({ given, found, ask, say }: Talk): Promise<ServiceScope | null> {
  if (given.service !== undefined) return given.service === 'no' ? null : given.service;
  if (ask === null) return null;
  const manager = managerHere(found.context, found.place.file);
  if (!manager.runs) {
    say(joined(says('install.impossible'), ...(manager.instead === null ? [] : [manager.instead])));
    return null;
  }
  const question = says(manager.scope === 'system' ? 'install.machine' : 'install.person');
  return (await ask.confirm(question, true)) ? manager.scope : null;
}
