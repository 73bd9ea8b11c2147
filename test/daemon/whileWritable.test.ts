import { expect, it } from 'vitest';
import { whileWritable } from '../../src/daemon/whileWritable.ts';
import type { StorageTrouble } from '../../src/core/ports/ledger.ts';

function storage(trouble: StorageTrouble | null = null) {
  const listeners = new Set<() => void>();
  return {
    listeners,
    is: (now: StorageTrouble | null): void => {
      trouble = now;
      for (const listener of listeners) listener();
    },
    trouble: () => trouble,
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
const FULL: StorageTrouble = { code: 'DISK_FULL', message: 'The disk is full.', hint: 'Free some space.' };
const ENDED: StorageTrouble = {
  code: 'LEDGER_WRITE_FAILED',
  message: 'Its thread has ended.',
  hint: 'It is started again.',
  isForGood: true,
};
const REFUSAL = { code: ENDED.code, message: ENDED.message, hint: ENDED.hint };

const untilStopped = (stop: AbortSignal) =>
  new Promise<string>((resolve) => {
    if (stop.aborted) resolve('stopped');
    else stop.addEventListener('abort', () => resolve('stopped'), { once: true });
  });

it('the wait outlasts temporary trouble, and ends when it is stopped', async () => {
  const watched = storage();
  const stop = new AbortController();
  const done = whileWritable(watched, stop.signal, untilStopped);
  watched.is(FULL);
  watched.is(null);
  stop.abort();
  await expect(done).resolves.toBe('stopped');
  expect(watched.listeners.size).toBe(0);
});

it('permanent trouble stops the work and gives the reason, even if it began earlier', async () => {
  const watched = storage();
  const later = whileWritable(watched, new AbortController().signal, untilStopped);
  watched.is(ENDED);
  await expect(later).rejects.toMatchObject(REFUSAL);
  expect(watched.listeners.size).toBe(0);
  const before = whileWritable(storage(ENDED), new AbortController().signal, untilStopped);
  await expect(before).rejects.toMatchObject(REFUSAL);
});
