import { rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { watchFile, type FileJudgement } from '../../src/system/fileWatch.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { tempDir } from '../support/tempDir.ts';

async function watching() {
  const dir = tempDir('watch');
  const file = join(dir, 'receiptd.yaml');
  await writeFile(file, 'one');
  const clock = new FakeClock();
  const stop = new AbortController();
  const asked: boolean[] = [];
  const answers: FileJudgement[] = [];
  const ended = watchFile(
    file,
    clock,
    async (isLast) => {
      asked.push(isLast);
      return answers.shift() ?? 'right';
    },
    stop.signal,
  );
  onTestFinished(async () => {
    stop.abort(new Error('the test is over'));
    await ended;
  });
  // Just after a look: the first takes 300 ms longer than the others.
  await clock.advance(10_300);
  expect(asked.splice(0)).toEqual([false]);
  return { dir, file, clock, asked, answers };
}

it('reports every change once, and nothing else; asks at the start in any case', async () => {
  const { dir, file, clock, asked } = await watching();
  expect(asked).toEqual([]);
  await writeFile(file, 'two');
  await clock.advance(3_000);
  expect(asked).toEqual([false]);
  await clock.advance(60_000);
  expect(asked).toEqual([false]);
  // As long as the other, and as old.
  await writeFile(join(dir, 'new'), 'six');
  await utimes(join(dir, 'new'), 1, 1);
  await utimes(file, 1, 1);
  await clock.advance(3_000);
  await rename(join(dir, 'new'), file);
  await clock.advance(3_000);
  expect(asked).toEqual([false, false, false]);
});

it('leaves a file alone while it is being written', async () => {
  const { file, clock, asked } = await watching();
  await writeFile(file, 'a');
  await clock.advance(2_000);
  for (let n = 0; n < 5; n += 1) {
    await writeFile(file, 'a'.repeat(n + 2));
    await clock.advance(290);
  }
  expect(asked).toEqual([]);
  await clock.advance(600);
  expect(asked).toEqual([false]);
});

it('reads an invalid file once more, then not until it changes', async () => {
  const { file, clock, asked, answers } = await watching();
  answers.push('wrong', 'wrong');
  await rm(file);
  await clock.advance(3_000);
  expect(asked).toEqual([false]);
  await clock.advance(60_000);
  expect(asked).toEqual([false, true]);
  await writeFile(file, 'one');
  await clock.advance(3_000);
  expect(asked).toEqual([false, true, false]);
});

it('asks about a file that must wait until it is right', async () => {
  const { file, clock, asked, answers } = await watching();
  answers.push('later', 'later', 'later');
  await writeFile(file, 'two');
  await clock.advance(60_000);
  expect(asked).toEqual([false, false, false, false]);
});
