/** The short form of `npm run campaign -- images`, and hostile files given to the complete agent. */
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { IMAGE_TYPES } from '../../../src/core/domain/imageType.ts';
import { chosenOf } from '../../support/everyCase.ts';
import { drawReceipt } from '../../support/images.ts';
import { prepare, storedOnce, until } from '../../e2e/support/agent.ts';
import { expectNoTrace } from '../../e2e/support/commandLine.ts';
import { compileTrials } from '../support/compiled.ts';
import { BOMBS } from './bombs.ts';
import { createCases } from './cases.ts';
import { drawnFiles } from './corpus.ts';
import { hostileFiles } from './hostile.ts';

const MUTATED = 8;
/** An idle agent takes about 110 MB (flags of V8: cli/runAgent.ts). With these files it takes 200 MB, or more if a busy processor delays garbage collection. */
const MOST_MB = 320;
const BOMB_SIZE = 6_000_000;
/** Files that once stopped an agent, or would have: one of each type, and all in the campaign. */
const BOMBS_DROPPED = chosenOf(
  [
    'TIFF with many EXIF pointers',
    'PNG of texts',
    'JPEG of EXIF segments',
    'HEIC of boxes of many types',
    'TIFF with a date of all letters',
    'TIFF of sub-directories',
    'HEIC of items',
  ],
  (_, at) => at < 4,
);

describe('hostile images', () => {
  it('are judged within a memory limit, without an exception or a hang, and the same way each time', async () => {
    const trial = await compileTrials();
    const few = ['--cases', '80', '--every', '9600', '--photographs', '2', '--megabytes', '1'];
    const ended = await trial('images', ...few);
    expect(ended, ended.stdout).toMatchObject({ status: 0, stderr: '' });
    expect(ended.stdout).toMatch(/ cases in /);
  });

  it('do not block good images in the same folder', async () => {
    const site = await prepare();
    const inbox = site.file('inbox');
    const settle = { short: '100ms', long: '200ms', patience: '200ms' };
    const folder = { path: inbox, endpoint: 'office', accept: IMAGE_TYPES, settle };
    await site.configure({ folders: [{ ...folder, name: '{captured}-{stem}-{hash:12}' }] });

    const mutations = createCases(await drawnFiles(), 0);
    const hostile = [
      // The inspector judges all of them above.
      ...chosenOf(hostileFiles(), (_, at) => at % 3 === 0).map(({ bytes }) => bytes),
      ...Array.from({ length: MUTATED }, (_, number) => mutations.make('mutations', number).bytes),
      ...BOMBS_DROPPED.map((name) => BOMBS[name]!(BOMB_SIZE)),
    ];
    for (const [index, bytes] of hostile.entries())
      await writeFile(site.file('inbox', `hostile${index}`), bytes);
    const good = IMAGE_TYPES.map((type) => `good.${type}`);
    for (const type of IMAGE_TYPES) {
      await writeFile(site.file('inbox', `good.${type}`), await drawReceipt({ type, seed: `good ${type}` }));
    }

    const agent = await site.start();
    const done = new Set(['accepted', 'duplicate', 'rejected', 'incomplete', 'split']);
    const isPage = (path: string): boolean => /\/page \d+$/.test(path);
    const images = good.map((name) => site.file('inbox', name === 'good.pdf' ? `${name}/page 1` : name));
    const all = hostile.length + good.length;
    await until(async () => {
      if (!agent.alive) throw new Error(`the agent ended: ${agent.stderr.slice(-2000)}`);
      const rows = await site.list('--limit', '10000');
      const files = rows.filter(({ path }) => !isPage(path));
      // A file is split some time before its pages are there.
      const areThere = images.every((image) => rows.some(({ path }) => path === image));
      return files.length === all && areThere && rows.every(({ state }) => done.has(state));
    }, 'a verdict on each file');
    const peakMb = await agent.peakMemoryMb();
    const ended = await agent.stop();

    expect(ended.status).toBe(0);
    expectNoTrace(ended);
    const rows = await site.list('--limit', '10000');
    for (const image of images)
      expect(rows.find(({ path }) => path === image)).toMatchObject({ state: 'accepted' });
    const unsent = rows.filter(({ state }) => state === 'rejected' || state === 'incomplete');
    expect(unsent.filter(({ message }) => !/^\S[^\p{Cc}]*$/u.test(message ?? ''))).toEqual([]);
    expect(unsent.length).toBeGreaterThan(hostile.length / 4);
    await storedOnce(site);
    expect(peakMb).toBeLessThan(MOST_MB);
  });
});
