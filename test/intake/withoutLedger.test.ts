/** When a folder is compared with the ledger, and when without it. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { OfflineFolder, OfflineMode } from '../../src/intake/offline.ts';
import { keeping } from '../keeper/keeping.ts';
import { hintsByHand, watchingPlace } from './watching.ts';

/** Stands in for a ledger that is offline while `isOn`; by their change times, no files are new. */
function offlineByHand() {
  const listeners = new Set<() => void>();
  const state = { isOn: false };
  const folder: Pick<
    OfflineFolder,
    'isOn' | 'onChange' | 'isNew' | 'hasDeferred' | 'cameBeforeFirstWatch' | 'compared' | 'listed' | 'decided'
  > &
    Pick<OfflineFolder, 'holdUp' | 'letGo' | 'defer'> = {
    get isOn() {
      return state.isOn;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isNew: () => false,
    hasDeferred: () => false,
    cameBeforeFirstWatch: () => false,
    compared: () => {},
    listed: () => {},
    decided: () => {},
    holdUp: () => {},
    letGo: () => {},
    defer: async () => {
      deferred.count += 1;
      return true;
    },
  };
  const deferred = { count: 0 };
  const turn = (isOn: boolean): void => {
    state.isOn = isOn;
    for (const listener of listeners) listener();
  };
  return {
    offline: { of: () => folder } as unknown as OfflineMode,
    turn,
    deferred,
    isOffline: () => state.isOn,
  };
}

it('a single run compares its folder with the ledger, even if not all that was deferred is in it', async () => {
  const place = await watchingPlace();
  const { offline, turn, deferred } = offlineByHand();
  turn(true);
  await place.drop('a.jpg');
  const { payloads } = await keeping({ ...place, dir: join(place.dir, 'copies') }, { mode: 'always' });
  await place.once({ deps: { offline, payloads } });
  expect(deferred.count).toBe(1);
});

it('a ledger that is offline for a moment, when a listing begins, leaves nothing uncompared', async () => {
  const place = await watchingPlace();
  await place.drop('a.jpg');
  await place.drop('b.jpg');
  const { offline, turn } = offlineByHand();
  const { hints } = hintsByHand();
  let isAboutToList = false;
  const { intake, admitted } = await place.watch({
    deps: { offline, hints, reconcileEveryMs: 3_600_000 },
    folder: (real) => ({
      availability: async () => {
        const found = await real.availability();
        if (isAboutToList) turn(true);
        return found;
      },
      list: async function* (...all) {
        yield* real.list(...all);
        isAboutToList = false;
        turn(false);
      },
    }),
  });
  await place.clock.advanceUntil(() => admitted.length === 2);
  await rm(join(place.scans, 'b.jpg'));
  isAboutToList = true;
  const before = place.clock.monotonic();
  intake.woke();
  const isGone = async () => (await place.ledger.known({ folder: place.scans, path: 'b.jpg' })) === null;
  let gone = false;
  await place.clock.advanceUntil(() => {
    void isGone().then((is) => (gone ||= is));
    return gone || place.clock.monotonic() > before + 120_000;
  }, 5_000);
  expect(gone).toBe(true);
});

it('a listing without the ledger ends when the ledger is back, however long it would take', async () => {
  const place = await watchingPlace();
  const { offline, turn, isOffline } = offlineByHand();
  turn(true);
  await place.drop('a.jpg');
  let slow = 0;
  const { admitted } = place.start({
    deps: { offline },
    folder: (real) => ({
      list: async function* (under, signal, ...more) {
        if (isOffline()) {
          slow += 1;
          await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
          signal?.throwIfAborted();
        }
        yield* real.list(under, signal, ...more);
      },
    }),
  });
  await place.clock.advanceUntil(() => slow === 1);
  turn(false);
  await place.clock.advanceUntil(() => admitted.length === 1);
  expect(await place.states()).toEqual({ 'a.jpg': 'queued' });
});
