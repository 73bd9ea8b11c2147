import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { commitRestore, finishRestore, movedAway } from '../../src/state-dir/stateMarks.ts';
import { agentInstance } from '../../src/state-dir/agentInstance.ts';
import { foreignNames, isOwnName } from '../../src/state-dir/stateFiles.ts';

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

describe('the agent’s instance', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'receiptd-instance-'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('stays the same for a state directory, and differs between two', async () => {
    const all = await Promise.all([agentInstance(dir), agentInstance(dir), agentInstance(dir)]);
    expect(new Set(all).size).toBe(1);
    expect(await agentInstance(dir)).toBe(all[0]);
    const file = join(dir, 'agent-instance');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(isOwnName('agent-instance')).toBe(true);
    expect(foreignNames(['agent-instance'])).toEqual([]);
    await rm(file);
    expect(await agentInstance(dir)).not.toBe(all[0]);
  });

  it('is not recreated if it is damaged', async () => {
    const file = join(dir, 'agent-instance');
    await writeFile(file, 'something\n');
    await expect(agentInstance(dir)).rejects.toMatchObject({ code: 'STATE_UNWRITABLE' });
    expect(await readFile(file, 'utf8')).toBe('something\n');
    await expect(agentInstance(join(dir, 'gone'))).rejects.toMatchObject({
      code: 'STATE_UNWRITABLE',
      message: expect.stringContaining('ENOENT'),
    });
  });
});
