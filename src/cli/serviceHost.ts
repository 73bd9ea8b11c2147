import { userInfo } from 'node:os';
import type { InstallScope } from '../features/os-service/agent.ts';
import type { Host } from '../features/os-service/host.ts';
import { Launchd } from '../features/os-service/launchd/manager.ts';
import type { Manager } from '../features/os-service/manager.ts';
import { Systemd } from '../features/os-service/systemd/manager.ts';
import { WindowsTasks } from '../features/os-service/windows/manager.ts';
import { loadContext, type Io } from './io.ts';

export function hostOf(io: Io): Host {
  const { platform, home } = loadContext(io);
  return { platform, home, uid: process.getuid?.() ?? null, userName: ownName(), env: io.env };
}

/** In a container, the user id may have no name. */
function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

export function managerOf(host: Host, scope: InstallScope, user: string, stateDir: string): Manager {
  if (host.platform === 'darwin') return new Launchd(host, scope, user, stateDir);
  if (host.platform === 'win32') return new WindowsTasks(host, scope, user, stateDir);
  return new Systemd(host, scope, user);
}
