import type { World } from '../world.ts';
import { judgeDocuments } from './documents.ts';
import { judgeLimits } from './limits.ts';
import { judgeOriginals } from './originals.ts';
import { judgeRecords } from './records.ts';
import { judgeRuns } from './runs.ts';

/** All breaches, one sentence each; empty if every promise was kept. */
export function judge(world: World): string[] {
  return [
    ...judgeDocuments(world),
    ...judgeLimits(world),
    ...judgeOriginals(world),
    ...judgeRecords(world),
    ...judgeRuns(world),
  ];
}
