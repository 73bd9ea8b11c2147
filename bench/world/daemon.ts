import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callControl } from '../../src/control/client.ts';
import type { StatusResponse } from '../../src/control/protocol/protocol.ts';
import { startBackground } from './background.ts';
import { epochMs } from './epoch.ts';
import type { Command } from './measure.ts';
import { hasInotifyWatch } from './proc.ts';

/** An agent that runs until it is stopped. All times are seconds since its start. */
export interface Daemon {
  readonly pid: number;
  /** Resolves once it has an inotify watch on its folder. */
  watching(): Promise<number>;
  /**
   * Resolves once the first listing is processed: the time at which the ledger was open, and at which the listing had been
   * compared with it.
   */
  reconciled(): Promise<{ readonly opened: number; readonly reconciled: number }>;
  /** @throws Error with its output if it had already ended */
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 20;
/** Not shorter, because each query costs the agent time. */
const ASK_EVERY_MS = 100;

/** Starts `receiptd run` in an office. */
export async function startDaemon(dir: string, command: Command): Promise<Daemon> {
  const { ino } = await stat(join(dir, 'scans'), { bigint: true });
  const startedAt = epochMs();
  const background = await startBackground(command);
  const { pid } = background;
  const secondsTo = (at: number): number => (at - startedAt) / 1_000;
  const until = async <T>(everyMs: number, look: () => Promise<T | null>): Promise<T> => {
    for (;;) {
      const found = await look();
      if (found !== null) return found;
      if (!isThere(pid)) await background.stop();
      await sleep(everyMs);
    }
  };
  return {
    pid,
    stop: () => background.stop(),
    watching: () =>
      until(LOOK_EVERY_MS, async () => ((await hasInotifyWatch(pid, ino)) ? secondsTo(epochMs()) : null)),
    reconciled: () =>
      until(ASK_EVERY_MS, async () => {
        const status = await askStatus(dir);
        const [folder] = status?.folders ?? [];
        if (!status || folder?.state !== 'watching' || folder.settling > 0) return null;
        // The agent reports both, to the millisecond.
        return {
          opened: secondsTo(Date.parse(status.startedAt)),
          reconciled: secondsTo(Date.parse(folder.since)),
        };
      }),
  };
}

/** Null if the agent does not answer yet. */
function askStatus(dir: string): Promise<StatusResponse | null> {
  return callControl(join(dir, 'state'), 'status', {}).catch(() => null);
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
