import type { Config } from '../config/config.ts';
import type { Request, Response } from '../control/protocol/protocol.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { iso } from '../core/domain/words.ts';
import { compareFolder, notListed, type Comparison } from '../features/audit/audit.ts';
import { composeFolders } from './folders.ts';
import type { ProcessScope } from './processScope.ts';
import { shown } from '../core/domain/why.ts';

/** Time for a file that was just scanned to settle and be recorded. */
const SETTLE_MS = 5_000;
/** The console server closes a connection that is idle for a minute. */
const LONGEST_MS = 45_000;
const SHOWN = 200;

type ComparedScope = Pick<ProcessScope, 'ledger' | 'clock' | 'guards'>;

/** Runs the comparison of `receiptd audit` for one folder. Concurrent requests for a folder share one run. */
export function compareNow(lasting: ComparedScope, config: () => Config) {
  const running = new Map<string, Promise<Comparison>>();
  return async ({ folder: path }: Request<'compareFolder'>): Promise<Response<'compareFolder'>> => {
    if (!config().folders.some((each) => each.path === path))
      throw new ReceiptdError('USAGE.notConfiguredFolder', { path });
    const compared =
      running.get(path) ?? compare(lasting, config(), path).finally(() => running.delete(path));
    running.set(path, compared);
    const { unaccounted, links: _, ...rest } = await compared;
    return {
      at: iso(lasting.clock.now()),
      ...rest,
      notLookedAt: rest.notLookedAt.slice(0, SHOWN),
      unaccounted: unaccounted.slice(0, SHOWN),
      unaccountedCount: unaccounted.length,
    };
  };
}

async function compare(
  { ledger, clock, guards }: ComparedScope,
  config: Config,
  path: string,
): Promise<Comparison> {
  const folder = composeFolders(config, undefined, guards)(path);
  const tooLong = AbortSignal.timeout(LONGEST_MS);
  try {
    return await compareFolder({ folder, reports: ledger, clock }, SETTLE_MS, tooLong);
  } catch (error) {
    if (tooLong.aborted) return notListed(shown({ is: 'tooManyToCompare', folder: path }));
    throw error;
  }
}
