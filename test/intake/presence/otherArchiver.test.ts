/** Two machines on one share, with separate ledgers and agents that do not know each other. */
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { FolderSettings } from '../../../src/core/domain/settings.ts';
import { watchingPlace } from '../watching.ts';

const ARCHIVE = { afterUpload: 'archive', watch: 'poll' } as const;
const CODE = 'FOLDER_TAKEN_ELSEWHERE';

/** A folder whose files this agent has sent; `move` is somebody else moving one before the agent does. */
async function sentByBoth(count: number, settings: Partial<FolderSettings> = ARCHIVE) {
  const place = await watchingPlace();
  const agent = place.start({ settings });
  await agent.watching();
  const names = Array.from({ length: count }, (_, n) => `${n}.jpg`);
  for (const name of names) await place.drop(name);
  await place.clock.advanceUntil(() => agent.admitted.length === count);
  const move = async (name: string, to = 'archive'): Promise<void> => {
    await mkdir(join(place.dir, to), { recursive: true });
    await rename(join(place.scans, name), join(place.dir, to, name));
    await place.clock.advance(20_000);
  };
  const warnings = () => place.incidents.list().filter(({ code }) => code === CODE);
  return { place, agent, names, move, warnings };
}

it('reports once that somebody else archived three receipts, and no fewer', async () => {
  const { names, move, warnings } = await sentByBoth(4);
  const counts: number[] = [];
  for (const name of names) {
    await move(name);
    counts.push(warnings().length);
  }
  expect(counts).toEqual([0, 0, 1, 1]);
  expect(warnings()).toMatchObject([{ params: { count: 3 } }]);
});

it.each<{ name: string; to: string; settings: Partial<FolderSettings> }>([
  { name: 'that somebody put elsewhere', to: 'elsewhere', settings: ARCHIVE },
  { name: 'of a folder that archives nothing', to: 'archive', settings: { ...ARCHIVE, afterUpload: 'keep' } },
  { name: 'of a folder that a fleet shares', to: 'archive', settings: { ...ARCHIVE, share: 'scans' } },
])('does not report files $name', async ({ to, settings }) => {
  const { names, move, warnings } = await sentByBoth(4, settings);
  for (const name of names) await move(name, to);
  expect(warnings()).toEqual([]);
});

it('does not report files that it archived itself', async () => {
  const { place, agent, names, warnings } = await sentByBoth(4);
  await place.acceptAll();
  agent.intake.disposeSoon();
  await place.clock.advance(60_000);
  expect((await readdir(join(place.dir, 'archive'))).toSorted()).toEqual(names);
  expect(warnings()).toEqual([]);
});
