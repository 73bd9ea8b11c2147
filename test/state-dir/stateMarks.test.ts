import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { finishRestore } from '../../src/state-dir/stateMarks.ts';

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
