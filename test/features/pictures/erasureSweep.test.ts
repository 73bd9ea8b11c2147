import { expect, it } from 'vitest';
import type { Document } from '../../../src/core/domain/document.ts';
import { runErasureSweep } from '../../../src/features/pictures/erasureSweep.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';

const [OFFICE, SHOP] = ['office', 'shop'].map((uid) => ({ baseUrl: 'https://service.test', uid }));

it('the sweep removes pictures of images that another agent erased, and no others', async () => {
  const clock = new FakeClock();
  const paths: Record<string, string> = {
    'office a': '',
    'office b': '',
    'shop b': 'b.jpg',
    'office c': 'c.jpg',
  };
  const kept = new Set(['a', 'b', 'c', 'd']);
  let isAway = true;
  const bySha256 = async ({ uid }: { uid: string }, sha256: string): Promise<Document | null> => {
    if (isAway) throw new Error('the ledger is away');
    const path = paths[`${uid} ${sha256}`];
    // The sweep uses only the path of a document.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return path === undefined ? null : ({ path } as Document);
  };
  const stop = new AbortController();
  const swept = runErasureSweep(
    {
      pictures: { hashes: async () => [...kept], forget: async (sha256) => void kept.delete(sha256) },
      ledger: { bySha256 },
      endpoints: () => [OFFICE!, SHOP!],
      clock,
      log: new RecordedLog(),
    },
    stop.signal,
  );
  await clock.advance(1);
  expect(kept.size).toBe(4);
  isAway = false;
  await clock.advance(6 * 60 * 60_000);
  expect([...kept]).toEqual(['b', 'c', 'd']);
  stop.abort();
  await swept;
});
