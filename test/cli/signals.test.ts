import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { takeSignals } from '../../src/cli/signals.ts';

function taken(platform: NodeJS.Platform, { hadTerminal = false, hasTerminal = false } = {}) {
  const source = new EventEmitter();
  let exits = 0;
  let reloads = 0;
  const signals = takeSignals(source, platform, {
    hadTerminal,
    hasTerminal: () => hasTerminal,
    endNow: () => (exits += 1),
  });
  const end = signals.onReload(() => (reloads += 1));
  return { source, end, stop: signals.stop, exits: () => exits, reloads: () => reloads };
}

describe.each([
  ['linux', ['SIGINT', 'SIGTERM']],
  ['darwin', ['SIGINT', 'SIGTERM']],
  // Ctrl-C, Ctrl-Break, and a window that is closed.
  ['win32', ['SIGINT', 'SIGBREAK', 'SIGHUP']],
] as const)('on %s', (platform, ending) => {
  it.each(ending)('stops cleanly on the first %s and exits at once on the second', (signal) => {
    const { source, stop, exits } = taken(platform);
    source.emit(signal);
    expect([stop.aborted, exits()]).toEqual([true, 0]);
    expect(String(stop.reason)).toContain(signal);
    source.emit(signal);
    expect(exits()).toBe(1);
  });
});

describe('SIGHUP', () => {
  it('reloads the configuration until the handlers are removed', () => {
    const { source, stop, reloads, end } = taken('linux');
    source.emit('SIGHUP');
    expect([reloads(), stop.aborted]).toEqual([1, false]);
    end();
    expect(source.listenerCount('SIGHUP')).toBe(0);
  });

  it('stops the process if its terminal is gone, and reloads otherwise', () => {
    const gone = taken('linux', { hadTerminal: true });
    gone.source.emit('SIGHUP');
    expect([gone.reloads(), gone.stop.aborted]).toEqual([0, true]);
    const there = taken('linux', { hadTerminal: true, hasTerminal: true });
    there.source.emit('SIGHUP');
    expect([there.reloads(), there.stop.aborted]).toEqual([1, false]);
  });

  it('never reloads on Windows', () => {
    const { source, reloads } = taken('win32');
    source.emit('SIGHUP');
    expect(reloads()).toBe(0);
  });
});
