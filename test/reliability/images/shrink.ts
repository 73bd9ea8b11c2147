import type { Judged } from './check.ts';

const MOST_TRIES = 3000;

/** Shrinks a file to the smallest part found that breaches in the same way, by leaving out pieces. */
export async function smallest(
  file: Buffer,
  breach: string,
  check: (file: Buffer) => Promise<Judged>,
): Promise<Buffer> {
  let least = file;
  let tries = 0;
  for (let size = file.length >> 1; size >= 1 && tries < MOST_TRIES; size >>= 1) {
    for (let at = 0; at < least.length && tries < MOST_TRIES;) {
      const without = Buffer.concat([least.subarray(0, at), least.subarray(at + size)]);
      tries += 1;
      const found = (await check(without)).breach;
      if (found !== null && kind(found) === kind(breach)) least = without;
      else at += size;
    }
  }
  return least;
}

/** Removes what differs from case to case. */
function kind(sentence: string): string {
  return sentence.split('\n', 1)[0]!.replaceAll(/\d[\d,.]*/g, '0');
}
