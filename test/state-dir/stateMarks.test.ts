import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { commitRestore, finishRestore, movedAway } from '../../src/state-dir/stateMarks.ts';

it('removes what a restore left that was killed before it took effect, even half a mark', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-marks-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await mkdir(join(dir, 'restoring'));
  await writeFile(join(dir, 'restoring', 'ledger.db'), 'half');
  await writeFile(join(dir, 'restore.json.tmp'), '{"aside":');
  await writeFile(join(dir, 'moved-away.json.tmp'), '{');
  await writeFile(join(dir, 'ledger.db'), 'what is there');
  await finishRestore(dir);
  expect(await readdir(dir)).toEqual(['ledger.db']);
});

it('a restored copy for viewing is closed before its restore counts as finished', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'receiptd-marks-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const closed = { at: '2026-03-09T08:00:00Z', file: '/stick/office.receiptd', isCopy: true };
  await commitRestore(dir, { aside: 'before-restore', keepsBackups: false, closed });
  // Nothing can be written there, as on a full disk.
  await mkdir(join(dir, 'moved-away.json.tmp'));
  await expect(finishRestore(dir)).rejects.toThrow('EISDIR');
  await rm(join(dir, 'moved-away.json.tmp'), { recursive: true, force: true });
  await finishRestore(dir);
  expect(await movedAway(dir)).toEqual(closed);
});
