/**
 * Judges cases in a separate process, whose memory is limited and which can be ended in the middle of a case. Writes each case's number to
 * a file beforehand, for the watching process.
 */
import { openSync, writeSync } from 'node:fs';
import { createCases, type Cases, type Phase } from './cases.ts';
import { judge, judgeOnce, type Judged } from './check.ts';
import type { Whole } from './corpus.ts';
import { smallest } from './shrink.ts';
import { createSurroundings, type Surroundings } from './surroundings.ts';

/** The first message. */
export interface Start {
  readonly wholes: readonly Whole[];
  readonly bombSize: number;
  readonly every: number;
  /** File for the number of the case: four bytes, little-endian. */
  readonly progress: string;
}

export interface Batch {
  readonly phase: Phase;
  readonly from: number;
  readonly count: number;
}

export interface Breach {
  readonly phase: Phase;
  readonly number: number;
  readonly name: string;
  readonly sentence: string;
  readonly bytes: Uint8Array;
  readonly shrunk: Uint8Array;
}

export interface Result {
  readonly breaches: readonly Breach[];
  readonly tally: ReadonlyMap<string, number>;
  readonly slowest: { readonly name: string; readonly bytes: number; readonly cpuMs: number };
  readonly heapBytes: number;
}

process.once('message', ({ wholes, bombSize, every, progress }: Start) => {
  const buffers = wholes.map((whole) => ({ ...whole, bytes: Buffer.from(whole.bytes) }));
  const cases = createCases(buffers, bombSize, every);
  const surroundings = createSurroundings(buffers.map(({ bytes }) => bytes));
  const file = openSync(progress, 'w');
  const number = Buffer.alloc(4);
  const begin = (next: number) => {
    number.writeInt32LE(next);
    writeSync(file, number, 0, 4, 0);
  };
  process.on('message', (batch: Batch) => {
    void work(batch, cases, surroundings, begin).then((result) => process.send?.(result));
  });
  process.send?.('ready');
});

async function work(
  { phase, from, count }: Batch,
  cases: Cases,
  surroundings: Surroundings,
  begin: (number: number) => void,
): Promise<Result> {
  const breaches: Breach[] = [];
  const tally = new Map<string, number>();
  let slowest = { name: '', bytes: 0, cpuMs: 0 };
  for (let number = from; number < from + count; number += 1) {
    begin(number);
    const { name, bytes, kinds, expected } = cases.make(phase, number);
    const check = async (file: Buffer): Promise<Judged> => {
      const judged = await (phase === 'bombs' ? judgeOnce(file) : judge(file, surroundings));
      if (judged.breach !== null || expected === null || expected.includes(judged.verdict)) return judged;
      return {
        ...judged,
        breach: `The verdict is ${judged.verdict}; only ${expected.join(' or ')} is right.`,
      };
    };
    const { breach, verdict, cpuMs } = await check(bytes);
    for (const kind of [...kinds, `verdict ${verdict}`]) tally.set(kind, (tally.get(kind) ?? 0) + 1);
    if (cpuMs > slowest.cpuMs) slowest = { name, bytes: bytes.length, cpuMs };
    if (breach === null) continue;
    const shrunk = expected === null && phase !== 'bombs' ? await smallest(bytes, breach, check) : bytes;
    breaches.push({ phase, number, name, sentence: breach, bytes, shrunk });
  }
  return { breaches, tally, slowest, heapBytes: process.memoryUsage().heapUsed };
}
