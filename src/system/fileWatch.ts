import { stat } from 'node:fs/promises';
import { systemCode } from '../core/domain/errors.ts';
import type { Clock } from '../core/ports/clock.ts';

const LOOK_EVERY_MS = 2_000;
/** An editor that writes into the file is done by then; if not, it is checked again. */
const QUIET_MS = 300;

/** `wrong`: it may be half written, so it is asked about once more at the next look. `later`: at every look. */
export type Found = 'right' | 'wrong' | 'later';

/**
 * Calls back when a file may have been changed or replaced, and once at the beginning, until aborted. `isLast`: the same file
 * was found wrong before.
 */
export async function watchFile(
  file: string,
  clock: Clock,
  changed: (isLast: boolean) => Promise<Found>,
  signal: AbortSignal,
): Promise<void> {
  // Since it was read somebody may have changed it already.
  let known: string | null = null;
  let found: Found = 'right';
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
    if (signal.aborted) return;
    let now = await stampOf(file);
    if (now === known && found === 'right') continue;
    while (!signal.aborted) {
      await clock.sleep(QUIET_MS, signal).catch(() => {});
      const next = await stampOf(file);
      if (next === now) break;
      now = next;
    }
    if (signal.aborted) return;
    const isLast: boolean = found === 'wrong' && now === known;
    known = now;
    found = await changed(isLast);
    if (isLast && found === 'wrong') found = 'right';
  }
}

/** Differs after every change, also after one that keeps size and time. */
async function stampOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return systemCode(error) ?? String(error);
  }
}
