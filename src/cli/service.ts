import type { Config } from '../config/config.ts';
import { ReceiptdError } from '../domain/errors.ts';
import type { Io } from './io.ts';

/** What `installService` made, or would make. */
export interface InstalledService {
  /** The unit, plist or task; null where the manager keeps none in a file. */
  readonly file: string | null;
  readonly manager: 'systemd' | 'launchd' | 'windows';
  /** Who it runs as. */
  readonly user: string;
  readonly started: boolean;
  /** Sentences for the person who installs it. */
  readonly notes: readonly string[];
}

/**
 * Makes the agent a service of this machine (`system`) or of the user who asks (`user`), and starts it. The folders are tried
 * as the user that it will run as before anything is written. With `dryRun` nothing is written or started.
 * @throws ReceiptdError where it can't be, or must not be
 */
export async function installService(
  _io: Io,
  _config: Config,
  _options: {
    readonly scope: 'system' | 'user';
    readonly user?: string;
    readonly start: boolean;
    readonly dryRun: boolean;
  },
): Promise<InstalledService> {
  throw new ReceiptdError('NOT_RUNNING', 'receiptd can not be made a service of this machine yet.', {
    hint: 'Start it with `receiptd run`.',
  });
}
