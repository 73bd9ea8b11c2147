import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentInstance } from '../../src/state-dir/agentInstance.ts';
import { foreignNames, isOwnName } from '../../src/state-dir/stateFiles.ts';

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
