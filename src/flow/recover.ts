import { whyText } from '../core/domain/why.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { Holds } from './holds.ts';

/** Closes what a crash left open; call before anything runs. */
export async function recover(deps: { ledger: Ledger; holds: Holds; clock: Clock; log: Log }): Promise<void> {
  const interrupted = await deps.ledger.recover(deps.clock.now());
  if (interrupted > 0) {
    deps.log.warn('uploadsInterrupted', { interrupted });
  }
  for (const { scope, key, reason, message, until } of await deps.holds.restore()) {
    const retryInMs = Math.max(0, (until ?? 0) - deps.clock.now());
    deps.log.warn('stillOnHoldAsAsked', { scope, key, reason, retryInMs, detail: whyText(message) });
  }
}
