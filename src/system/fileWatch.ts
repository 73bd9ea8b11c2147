import { stat } from 'node:fs/promises';
import { systemCode } from '../core/domain/errors.ts';
import type { Clock } from '../core/ports/clock.ts';

const LOOK_EVERY_MS = 2_000;
/** Time without changes after which an editor is assumed to be done writing. */
const QUIET_MS = 300;

/** `wrong`: the file may be half written, so the next look checks it once more. `later`: every look checks it again. */
export type FileJudgement = 'right' | 'wrong' | 'later';

/**
 * Calls back when a file may have been changed or replaced, and once at the start, until aborted. `isLast`: this version of
 * the file was found wrong before, and is not checked again.
 */
export async function watchFile(
  file: string,
  clock: Clock,
  changed: (isLast: boolean) => Promise<FileJudgement>,
  signal: AbortSignal,
): Promise<void> {
  // Unknown, so that a change since the caller read the file is not missed.
  let known: string | null = null;
  let found: FileJudgement = 'right';
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

/** A stamp that differs after every change, even one that keeps size and mtime. */
async function stampOf(file: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return systemCode(error) ?? String(error);
  }
}
