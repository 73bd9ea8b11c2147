import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AttentionFolders } from '../../../src/features/attention/attention.ts';
import { markOf } from '../../../src/intake/folder/attentionBook.ts';
import { createAttentionFolder } from '../../../src/intake/folder/attentionFolder.ts';
import { createFolderGuard } from '../../../src/intake/folder/guarded.ts';
import { swapBefore } from '../../intake/folder/fixture.ts';
import { never, office } from './office.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

/** Runs a command in the folder of scans with the rights of an ordinary user, who may do less than the agent. */
function asUser(...command: readonly [string, ...string[]]): void {
  const [program, ...args] = command;
  const { status, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    ...(isRoot && { uid: NOBODY, gid: NOBODY }),
  });
  if (status !== 0) throw new Error(stderr);
}

/** Set up as for people of several groups who scan. */
async function openOffice() {
  const here = await office();
  chmodSync(here.dir, 0o755);
  chmodSync(here.inbox, 0o777);
  const elsewhere = join(here.dir, 'elsewhere');
  mkdirSync(elsewhere, { mode: 0o755 });
  return { ...here, elsewhere };
}

it('the folder for people writes nothing through a link in place of the folder, and reports it', async () => {
  const { shown, elsewhere, incidents, reject, look, names } = await openOffice();
  asUser('ln', '-s', elsewhere, shown);
  await reject('job', '* * * * * root id');
  await look();
  expect(readdirSync(elsewhere)).toEqual([]);
  expect(incidents.list()).toMatchObject([
    {
      code: 'ATTENTION_UNWRITABLE',
      params: { place: shown, system: expect.stringMatching(/^(?:ENOTDIR|ELOOP)$/) as string },
    },
  ]);
  rmSync(shown);
  await look();
  expect(names()).toEqual(['job', 'job - why.txt']);
  expect(incidents.list()).toEqual([]);
});

it('the folder for people neither writes nor deletes through a link that replaced its folder', async () => {
  const { inbox, shown, elsewhere, incidents, ledger, reject, deps } = await openOffice();
  const agent = new AttentionFolders(deps);
  await reject('a', 'over');
  await agent.once(never);
  asUser('mv', shown, join(inbox, 'moved'));
  spawnSync('cp', ['-p', ...['a', 'a - why.txt'].map((name) => join(inbox, 'moved', name)), elsewhere]);
  asUser('ln', '-s', elsewhere, shown);
  await ledger.gone(inbox, ['a'], 9_000);
  await reject('job', '* * * * * root id');
  await agent.once(never);
  expect(readdirSync(elsewhere)).toEqual(['a', 'a - why.txt']);
  expect(incidents.list()).toMatchObject([{ code: 'ATTENTION_UNWRITABLE' }]);
});

it('the folder for people follows no link on the way from the watched folder', async () => {
  const { inbox, elsewhere, reject, look, incidents, deps } = await openOffice();
  const path = join(inbox, 'floor', 'look here');
  asUser('ln', '-s', elsewhere, join(inbox, 'floor'));
  const options = { like: inbox, watched: [inbox], mark: markOf(inbox), random: Math.random };
  const place = createAttentionFolder({ path, guard: createFolderGuard(inbox), ...options });
  await reject('job', '* * * * * root id');
  await look({ ...deps, place });
  mkdirSync(join(elsewhere, 'look here'));
  await look({ ...deps, place });
  expect(readdirSync(join(elsewhere, 'look here'))).toEqual([]);
  expect(incidents.list()).toMatchObject([{ code: 'ATTENTION_UNWRITABLE' }]);
});

it.skipIf(process.platform !== 'linux').each(['lstat', 'chown', 'link', 'unlink'] as const)(
  'the folder for people writes nothing elsewhere if a link replaces the folder just before %s',
  async (call) => {
    const { shown, elsewhere, reject, look, ledger, inbox } = await openOffice();
    if (call === 'unlink') {
      await reject('over', 'over');
      await look();
      await ledger.gone(inbox, ['over'], 9_000);
    }
    const before = statSync(elsewhere);
    await reject('job', 'no image');
    const isSwapped = swapBefore(call, shown, elsewhere);
    await look();
    expect(isSwapped()).toBe(true);
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(statSync(elsewhere)).toMatchObject({ mode: before.mode, uid: before.uid, gid: before.gid });
  },
);
