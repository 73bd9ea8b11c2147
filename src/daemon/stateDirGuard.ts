import { stat } from 'node:fs/promises';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { InstanceLock } from '../state-dir/instanceLock.ts';

const LOOK_EVERY_MS = 2_000;

/**
 * Runs the agent until `stop`, or until its state directory disappears or can't be accessed. If it went on with a deleted ledger, a second
 * agent could start with an empty one and send everything again.
 * @throws ReceiptdError STATE_UNWRITABLE if the directory disappeared or was closed to this user, after the agent has stopped
 */
export async function guardStateDir(
  lock: Pick<InstanceLock, 'isInPlace'>,
  stateDir: string,
  clock: Clock,
  stop: AbortSignal,
  run: (stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const taken = new AbortController();
  const ended = new AbortController();
  const looking = (async () => {
    while (!ended.signal.aborted && !taken.signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, ended.signal).catch(() => {});
      if (!ended.signal.aborted && !(await lock.isInPlace()))
        taken.abort(new Error('the state directory is gone'));
    }
  })();
  try {
    await run(AbortSignal.any([stop, taken.signal]));
  } finally {
    ended.abort();
    await looking;
  }
  if (!taken.signal.aborted) return;
  const closed = await stat(`${stateDir}/.`).then(() => undefined, systemCode);
  if (closed !== undefined && closed !== 'ENOENT')
    throw new ReceiptdError('STATE_UNWRITABLE.closed', { stateDir, system: closed });
  throw new ReceiptdError('STATE_UNWRITABLE.replaced', { stateDir });
}
