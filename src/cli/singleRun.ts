import type { Config } from '../config/config.ts';
import { composeGeneration } from '../wiring/generation.ts';
import { composeProcessScope } from '../wiring/processScope.ts';
import { whileWritable } from '../daemon/whileWritable.ts';

type RunSurroundings = Parameters<typeof composeProcessScope>[1];
type Scope = Awaited<ReturnType<typeof composeProcessScope>>;

interface SingleRun {
  readonly ledger: Scope['ledger'];
  readonly generation: Awaited<ReturnType<typeof composeGeneration>>;
  /** Runs `work` until `stop`, or until the ledger can't be written any more. @throws the ledger's error then */
  readonly whileWritable: <T>(stop: AbortSignal, work: (stop: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Runs `work` with everything that sends in this process, and closes it afterwards. The caller holds the instance lock. */
export async function withSingleRun<T>(
  config: Config,
  surroundings: RunSurroundings,
  work: (run: SingleRun) => Promise<T>,
): Promise<T> {
  const scope = await composeProcessScope(config, surroundings);
  const { ledger, deferred } = scope;
  try {
    const generation = await composeGeneration(config, scope, { once: true });
    try {
      return await work({
        ledger,
        generation,
        whileWritable: (stop, sending) => whileWritable(ledger.storage, stop, sending),
      });
    } finally {
      await generation.close();
    }
  } finally {
    await deferred?.close();
    await ledger.close();
  }
}
