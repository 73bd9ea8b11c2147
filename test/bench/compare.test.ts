import { expect, it } from 'vitest';
import { compare } from '../../bench/report/compare.ts';
import { appendHistory } from '../../bench/report/history.ts';
import { hasGit } from '../support/git.ts';
import { entry, figure, MACHINE, repository } from './records.ts';

async function twoCommits() {
  const { root, git } = await repository();
  const before = await git('rev-parse', 'HEAD');
  await git('commit', '--quiet', '--allow-empty', '--message', 'second');
  return { root, before, head: await git('rev-parse', 'HEAD') };
}

it.skipIf(!hasGit)('shows each change, and which figures became worse', async () => {
  const { root, before, head } = await twoCommits();
  const more = { better: 'more', unit: '/s' } as const;
  const then = [
    figure('time', 10),
    figure('time of one', 10),
    figure('rate', 100, more),
    figure('rate of one', 100, more),
    figure('errors', 0, { unit: 'count' }),
    figure('files', 10, { unit: 'count', better: null }),
    figure('gone', 1),
  ];
  const now = [
    figure('time', 11),
    figure('time of one', 11.2),
    figure('rate', 120, more),
    figure('rate of one', 80, more),
    figure('errors', 1, { unit: 'count' }),
    figure('files', 20, { unit: 'count', better: null }),
  ];
  // An older revision may well be measured after this one.
  await appendHistory(root, entry(now, { commit: head }));
  await appendHistory(root, entry(then, { commit: before }));
  const { text, status } = await compare(root, 'HEAD~1', ['backlog', 'idle']);
  expect(status).toBe(0);
  expect(text.replaceAll(/ +/g, ' ').split('\n')).toEqual([
    `backlog: 21 November 2026, commit ${before.slice(0, 7)} → 21 November 2026, commit ${head.slice(0, 7)}`,
    ' time 10 s → 11 s +10 %',
    ' time of one 10 s → 11.2 s +12 % WORSE',
    ' rate 100 /s → 120 /s +20 %',
    ' rate of one 100 /s → 80 /s -20 % WORSE',
    ' errors 0 → 1 +∞ % WORSE',
    ' files 10 → 20 +100 %',
    ' gone 1 s → not measured',
    '',
    '3 figures became worse by more than 10 %.',
    '',
  ]);
});

it.skipIf(!hasGit)('compares only runs on one machine, equally thorough, the full ones first', async () => {
  const { root, before, head } = await twoCommits();
  const other = { ...MACHINE, processors: 64 };
  const at = (commit: string, value: number, more = {}) =>
    appendHistory(root, entry([figure('time', value)], { commit, ...more }));
  await at(before, 10);
  await at(before, 1, { quick: true });
  await at(before, 99, { dirty: true });
  await at(head, 2, { machine: other });
  expect(await compare(root, before, ['backlog'])).toMatchObject({ status: 2 });
  await at(head, 1, { quick: true });
  expect((await compare(root, before, ['backlog'])).text).toMatch(
    /backlog \(quick\).*\n +time +1 s +→ 1 s +0 %/,
  );
  await at(head, 10.5);
  expect(await compare(root, before, ['backlog'])).toEqual({
    status: 0,
    text: expect.stringMatching(/^backlog: .*\n +time +10 s +→ 10\.5 s +\+5 %\n\nNothing became worse/),
  });
  expect((await compare(root, before, ['idle'])).status).toBe(2);
});

it.skipIf(!hasGit)('compares a revision with the last changes to it', async () => {
  const { root, head } = await twoCommits();
  await appendHistory(root, entry([figure('time', 10)], { commit: head }));
  expect((await compare(root, 'HEAD', ['backlog'])).status).toBe(2);
  await appendHistory(root, entry([figure('time', 9)], { commit: head, dirty: true }));
  expect((await compare(root, 'HEAD', ['backlog'])).text).toMatch(/with changes\n +time +10 s +→ 9 s +-10 %/);
});

it.skipIf(!hasGit)(
  'says how to measure a revision without measurements, and refuses an unknown one',
  async () => {
    const { root, before } = await twoCommits();
    await appendHistory(root, entry([figure('time', 9)], { commit: before, dirty: true }));
    const { text, status } = await compare(root, 'HEAD~1', ['backlog']);
    expect(status).toBe(2);
    expect(text).toMatch(/^npm run bench: nothing was measured at .*\.\n$/);
    expect(text).toContain(`git worktree add ../receiptd-${before.slice(0, 7)} ${before.slice(0, 7)}`);
    expect(text).toContain('npm ci && npm run bench');
    expect(await compare(root, 'nowhere', ['backlog'])).toEqual({
      status: 2,
      text: 'npm run bench: this repository has no revision nowhere.\n',
    });
  },
);
