import type { Config } from '../../config/config.ts';
import { says, type Said } from '../../core/domain/setupWords.ts';
import type { Host } from '../../features/os-service/host.ts';
import type { Io } from '../io.ts';
import { hostOf, managerOf } from '../serviceHost.ts';
import {
  definedService,
  demandRights,
  installService,
  type InstalledService,
  type InstallOptions,
} from '../serviceInstall.ts';
import { ANSWERS, type ServiceScope } from './answers.ts';

export type SetupService = Omit<InstalledService, 'text' | 'refusal'> & {
  readonly result: 'installed' | 'unchanged';
};

/** Refuses early what the installation would refuse at the end. @throws ReceiptdError ROOT_NEEDED, MANAGER_ABSENT, USAGE */
export async function demandManager(io: Io, config: Config, scope: ServiceScope): Promise<void> {
  const host = hostOf(io);
  demandRights(host, scope, ANSWERS.service.flag);
  await managerOf(host, scope, host.userName, config.stateDir).present();
  // Windows only: checks that the machine's account can read what it needs. Elsewhere setup grants those rights.
  if (host.platform === 'win32') await definedService(io, config, { scope }, host);
}

/** Installs and starts the service, unless it already runs with the same definition. */
export async function installOnce(
  io: Io,
  config: Config,
  { scope, user, exec }: Pick<InstallOptions, 'scope' | 'exec'> & { readonly user?: string | undefined },
  tell: (said: Said) => void,
  host: Host = hostOf(io),
): Promise<SetupService> {
  const how = {
    scope,
    start: true,
    ...(user !== undefined && { user }),
    ...(exec !== undefined && { exec }),
  };
  const { text, manager, user: as } = await definedService(io, config, how, host);
  if ((await manager.installed().catch(() => null)) === text) {
    const { isRunning, isEnabled } = await manager.status();
    if (isRunning && isEnabled) {
      tell(says('done.runsAlready', { manager: manager.name, user: as }));
      return {
        file: manager.file,
        manager: manager.name,
        user: as,
        started: true,
        notes: [],
        result: 'unchanged',
      };
    }
  }
  const { text: _, refusal: __, ...made } = await installService(io, config, { ...how, dryRun: false }, host);
  const { manager: name, user: its } = made;
  tell(says(made.started ? 'done.installedStarted' : 'done.installed', { manager: name, user: its }));
  for (const note of made.notes) tell(says('done.note', { why: note }));
  return { ...made, result: 'installed' };
}
