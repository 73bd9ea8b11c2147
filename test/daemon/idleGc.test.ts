import { describe, expect, it, onTestFinished } from 'vitest';
import { collectWhenIdle, processMemory, type Memory } from '../../src/daemon/idleGc.ts';
import { FakeClock } from '../support/fakeClock.ts';

const MB = 1024 * 1024;

function start() {
  const clock = new FakeClock();
  const state = { resident: 100 * MB, busy: 0, collected: 0 };
  const memory: Memory = {
    resident: () => state.resident,
    busy: () => state.busy,
    collect: () => {
      state.collected += 1;
      state.resident = 90 * MB;
    },
  };
  const stop = new AbortController();
  const running = collectWhenIdle(memory, clock, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return { clock, state };
}

describe('garbage collection while idle', () => {
  it('happens twice after the start, and again only after memory has grown', async () => {
    const { clock, state } = start();
    await clock.advance(5_000);
    expect(state.collected).toBe(1);
    // Objects released by finalizers are collected one check later.
    await clock.advance(5_000);
    expect(state.collected).toBe(2);
    await clock.advance(600_000);
    expect(state.collected).toBe(2);
    state.resident = 120 * MB;
    await clock.advance(5_000);
    expect([state.collected, state.resident]).toEqual([3, 90 * MB]);
    await clock.advance(600_000);
    expect(state.collected).toBe(4);
  });

  it('does not happen while the process is busy', async () => {
    const { clock, state } = start();
    state.busy = 0.5;
    await clock.advance(600_000);
    expect(state.collected).toBe(0);
    state.busy = 0.01;
    await clock.advance(5_000);
    expect(state.collected).toBe(1);
  });

  it('is done by the engine itself', async () => {
    const memory = processMemory();
    const wanted = { text: 'wanted' };
    const [kept, dropped] = [new WeakRef(wanted), new WeakRef({ text: 'dropped' })];
    // The target of a new WeakRef is kept until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    memory.collect();
    expect(dropped.deref()).toBeUndefined();
    expect(kept.deref()).toBe(wanted);
    expect(memory.resident()).toBeGreaterThan(MB);
    expect(memory.busy()).toBeGreaterThan(0);
    expect(memory.busy()).toBeLessThanOrEqual(1);
  });
});
