import type { Config } from '../config/config.ts';
import type { Credentials } from '../core/ports/credentials.ts';
import { composeService, type ComposedService } from '../wiring/service.ts';
import type { Io } from './io.ts';
import { openLog } from './session.ts';

/** Runs `work` with a client of the service. `given`: credentials to use instead of the stored ones. */
export async function withService<T>(
  io: Io,
  config: Config,
  { given, level }: { readonly given?: Credentials | undefined; readonly level: 'warn' | 'error' },
  work: (composed: ComposedService) => Promise<T>,
): Promise<T> {
  const { log, secrets } = await openLog(io, config, { toFile: false, level });
  if (given !== undefined) secrets.addSecret(given.clientSecret);
  const composed = await composeService(config, { env: io.env, log, secrets }, new Map(), given);
  try {
    return await work(composed);
  } finally {
    await composed.service.close();
    await log.close();
  }
}
