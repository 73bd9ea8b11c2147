import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { WatchedFolder } from '../../src/core/ports/folder.ts';
import { hintsByHand, watchingPlace } from './watching.ts';

/** Creates a chain of nested directories, each reported by an event; counts how many are listed and how many are checked. */
async function costOf(depth: number): Promise<{ listed: number; looks: number }> {
  const place = await watchingPlace();
  const cost = { listed: 0, looks: 0 };
  const folder = (real: WatchedFolder): Partial<WatchedFolder> => ({
    async *list(...all) {
      for await (const each of real.list(...all)) {
        cost.listed += 1;
        yield each;
      }
    },
    async statEach(dir, names) {
      cost.looks += names.length;
      return real.statEach(dir, names);
    },
  });
  const { hints, hint } = hintsByHand();
  const recursive = { recursive: true };
  const { admitted } = await place.watch({
    folder,
    settings: recursive,
    opened: recursive,
    deps: { hints },
  });
  const paths = Array.from({ length: depth }, (_, at) =>
    Array(at + 1)
      .fill('d')
      .join('/'),
  );
  await mkdir(join(place.scans, paths.at(-1) ?? ''), { recursive: true });
  cost.listed = 0;
  for (const path of paths) hint(join(place.scans, path), true);
  await place.drop(`${paths.at(-1)}/deep.jpg`);
  await place.clock.advanceUntil(() => admitted.length === 1);
  return cost;
}

it('each directory of a new nested tree is listed once, however deep the tree is', async () => {
  for (const depth of [20, 80]) {
    const { listed, looks } = await costOf(depth);
    expect(listed).toBeGreaterThanOrEqual(depth);
    expect(listed).toBeLessThanOrEqual(depth + 1);
    expect(looks).toBeLessThanOrEqual(3);
  }
});
