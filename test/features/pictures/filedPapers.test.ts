import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PRINT_BYTES } from '../../../src/core/domain/paper.ts';
import { FiledPapers } from '../../../src/features/pictures/filedPapers.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { tempDir } from '../../support/tempDir.ts';

const DAY_MS = 86_400_000;
const RECORD_BYTES = 40 + PRINT_BYTES;

/** A page with print in some cells, which differ for each number. */
function printOf(number: number): string {
  const cells = Buffer.alloc(PRINT_BYTES);
  for (let at = 0; at < PRINT_BYTES; at += 1) cells[at] = Math.sin(at * (number + 1.7)) > 0.6 ? 0xff : 0;
  return cells.toString('base64');
}

const imageOf = (number: number, paper = number) => ({
  sha256: String(number).padStart(64, '0'),
  print: printOf(paper),
});

function office(most?: number) {
  const dir = join(tempDir('papers'), 'papers');
  const clock = new FakeClock();
  const log = new RecordedLog();
  const open = () => new FiledPapers({ dir, clock, log, ...(most !== undefined && { most }) });
  return { dir, clock, open, papers: open() };
}

const hashes = (scans: readonly { readonly sha256: string }[]) => scans.map(({ sha256 }) => Number(sha256));

it('the memory of papers finds scans of the same paper in the same folder, and no other, after a restart too', async () => {
  const { papers, open, clock, dir } = office();
  expect(await papers.alike('/scans', imageOf(1))).toEqual([]);
  await papers.remember('/scans', imageOf(1));
  await papers.remember('/scans', imageOf(2));
  await papers.remember('/others', imageOf(3, 1));
  const at = clock.now();
  expect(await open().alike('/scans', imageOf(4, 1))).toEqual([{ sha256: imageOf(1).sha256, at }]);
  // The image itself does not count as another scan.
  expect(await papers.alike('/scans', imageOf(1))).toEqual([]);
  expect(statSync(dir).mode & 0o077).toBe(0);
  for (const name of readdirSync(dir)) expect(statSync(join(dir, name)).mode & 0o077).toBe(0);
});

it('the memory of papers forgets papers after a month, and the oldest ones if there are too many', async () => {
  const { papers, clock, dir } = office(3);
  await papers.remember('/scans', imageOf(1));
  clock.jump(31 * DAY_MS);
  expect(await papers.alike('/scans', imageOf(9, 1))).toEqual([]);
  for (let number = 2; number <= 9; number += 1) await papers.remember('/scans', imageOf(number));
  expect(hashes(await papers.alike('/scans', imageOf(19, 9)))).toEqual([9]);
  expect(hashes(await papers.alike('/scans', imageOf(19, 5)))).toEqual([]);
  const [file = ''] = readdirSync(dir);
  expect(statSync(join(dir, file)).size).toBeLessThanOrEqual(6 * RECORD_BYTES);
});

it('the memory of papers continues after a kill in the middle of a record', async () => {
  const { papers, open, dir } = office();
  await papers.remember('/scans', imageOf(1));
  const [file = ''] = readdirSync(dir);
  appendFileSync(join(dir, file), Buffer.alloc(RECORD_BYTES - 7, 0xaa));
  await open().remember('/scans', imageOf(2));
  expect(hashes(await open().alike('/scans', imageOf(9, 2)))).toEqual([2]);
  expect(hashes(await open().alike('/scans', imageOf(9, 1)))).toEqual([1]);
});

it('the memory of papers keeps nothing of an erased image', async () => {
  const { papers, dir } = office();
  for (const folder of ['/scans', '/others']) await papers.remember(folder, imageOf(1));
  await papers.remember('/scans', imageOf(2));
  await papers.forget(imageOf(1).sha256);
  await papers.forget(imageOf(1).sha256);
  expect(await papers.alike('/scans', imageOf(9, 1))).toEqual([]);
  expect(hashes(await papers.alike('/scans', imageOf(9, 2)))).toEqual([2]);
  const print = Buffer.from(printOf(1), 'base64');
  for (const name of readdirSync(dir)) expect(readFileSync(join(dir, name)).includes(print)).toBe(false);
});

it('the memory of papers remembers and compares nothing if nothing can be stored, and does not fail', async () => {
  const { papers, dir } = office();
  appendFileSync(dir, 'in its place');
  await papers.remember('/scans', imageOf(1));
  expect(await papers.alike('/scans', imageOf(9, 1))).toEqual([]);
});

it('the memory of papers does not count unreadable papers as forgotten', async () => {
  const { papers, dir } = office();
  await papers.forget(imageOf(1).sha256);
  appendFileSync(dir, 'in its place');
  await expect(papers.forget(imageOf(1).sha256)).rejects.toThrow('ENOTDIR');
});
