import { expect, it } from 'vitest';
import { orphansAmong } from '../../../src/control/queries/orphans.ts';

const KEY = { baseUrl: 'https://service.example', uid: 'there' };
const OTHER = { ...KEY, uid: 'gone' };

it('the query finds documents that wait for a removed endpoint, except those of other agents', () => {
  const waits = (folder: string, endpoint = OTHER) => ({
    endpoint,
    folder,
    state: 'queued' as const,
    count: 2,
  });
  const counts = [waits('/scans', KEY), waits('front-office:/scans'), waits('share:scans')];
  expect([...orphansAmong(counts, [{ key: KEY }])]).toEqual([]);
  const found = orphansAmong([...counts, waits('/old'), waits('C:\\scans')], [{ key: KEY }]);
  expect([...found].map(([id, { waiting }]) => [id, waiting])).toEqual([['https://service.example#gone', 4]]);
});
