import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeptProcess } from '../../src/pages/keptProcess.ts';
import type { RendererProcess } from '../../src/pages/rendererProcess.ts';

const ASKED = { kind: 'look', type: 'jpeg' } as const;
const BYTES = Buffer.from('an image');

/** Processes that only count what they are asked. */
function processes() {
  const started: { asked: number; isOver: boolean }[] = [];
  const start = async (): Promise<RendererProcess> => {
    const process = { asked: 0, isOver: false };
    started.push(process);
    const ask = async () => {
      process.asked += 1;
      return { head: { kind: 'thumbnail' }, body: BYTES };
    };
    return Object.assign(process, { ask, end: async () => void (process.isOver = true) }) as never;
  };
  return { started, start };
}

describe('a process that is kept', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is asked until it is old, over, or idle', async () => {
    const { started, start } = processes();
    const kept = new KeptProcess(start, { questions: 2, idleMs: 1_000 });
    await Promise.all([kept.ask(ASKED, BYTES), kept.ask(ASKED, BYTES), kept.ask(ASKED, BYTES)]);
    expect(started).toMatchObject([
      { asked: 2, isOver: true },
      { asked: 1, isOver: false },
    ]);
    started[1]!.isOver = true;
    await kept.ask(ASKED, BYTES);
    expect(started).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(999);
    expect(started[2]).toMatchObject({ asked: 1, isOver: false });
    await vi.advanceTimersByTimeAsync(1);
    expect(started[2]).toMatchObject({ isOver: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('says why where none starts, and asks for another one the next time', async () => {
    const { started, start } = processes();
    const why = { kind: 'refused', reason: 'TROUBLE', detail: 'no' } as const;
    let isWell = false;
    let thrown: Error | null = new Error('no memory');
    const kept = new KeptProcess(async () => {
      if (thrown) throw thrown;
      return isWell ? start() : why;
    });
    expect(await kept.ask(ASKED, BYTES)).toMatchObject({
      reason: 'TROUBLE',
      detail: expect.stringContaining('no memory'),
    });
    thrown = null;
    expect(await kept.ask(ASKED, BYTES)).toEqual(why);
    isWell = true;
    expect(await kept.ask(ASKED, BYTES)).toMatchObject({ body: BYTES });
    expect(started).toHaveLength(1);
    await kept.end();
    expect(started[0]).toMatchObject({ isOver: true });
  });
});
