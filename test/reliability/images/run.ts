import { PHASES, createCases, type Phase } from './cases.ts';
import type { Whole } from './corpus.ts';
import { watchedProcess, type WatchedProcess } from './watchedProcess.ts';
import type { Batch, Breach, Result } from './worker.ts';

export interface Summary {
  readonly breaches: readonly Breach[];
  readonly tally: ReadonlyMap<string, number>;
  readonly slowest: Readonly<Record<Phase, Result['slowest']>>;
  /** So far, where the large files are small ones, and one process does everything. */
  readonly peakRssMb: Readonly<Record<Phase, number>>;
  /** Of the process that tries mutations, after its first and its last batch. */
  readonly heapMb: readonly [number, number];
  readonly cases: number;
  readonly ms: number;
}

export interface Plan {
  readonly wholes: readonly Whole[];
  readonly bombSize: number;
  /** Mutations. */
  readonly from: number;
  readonly count: number;
  /** Of the parts, every so many. */
  readonly every: number;
  readonly onProgress?: (line: string) => void;
}

const BATCH = 2000;
/** Bytes of a bomb that leaves little behind. */
const SMALL_BOMB = 5_000_000;
/** More are the same defect again. */
const ENOUGH = 40;

/** All phases, one case after another, in a process that is watched, and restarted after a case that ends it. */
export async function run({ wholes, bombSize, from, count, every, onProgress }: Plan): Promise<Summary> {
  const cases = createCases(wholes, bombSize, every);
  const breaches: Breach[] = [];
  const tally = new Map<string, number>();
  const none = { name: '', bytes: 0, cpuMs: 0 };
  const slowest = { bombs: none, handmade: none, parts: none, mutations: none };
  const peakRssMb = { bombs: 0, handmade: 0, parts: 0, mutations: 0 };
  const heap: number[] = [];
  const started = performance.now();
  let judged = 0;
  // Large ones: what one leaves behind is not to be taken for what the next one needs, nor for what the other phases need.
  const isLarge = bombSize > SMALL_BOMB;
  let child: WatchedProcess | null = null;
  for (const phase of PHASES) {
    const first = phase === 'mutations' ? from : 0;
    const end = phase === 'mutations' ? from + count : cases.count(phase);
    const alone = phase === 'bombs' && isLarge;
    for (let at = first; at < end && breaches.length < ENOUGH;) {
      const batch: Batch = { phase, from: at, count: Math.min(alone ? 1 : BATCH, end - at) };
      child ??= await watchedProcess({ wholes: alone ? [] : wholes, bombSize, every });
      const ended = await child.work(batch);
      peakRssMb[phase] = Math.max(peakRssMb[phase], ended.rssMb);
      if (ended.broken !== null) {
        const { name, bytes } = cases.make(phase, ended.number);
        breaches.push({ phase, number: ended.number, name, sentence: ended.broken, bytes, shrunk: bytes });
        judged += ended.number + 1 - at;
        at = ended.number + 1;
        child = null;
        continue;
      }
      const { result } = ended;
      at += batch.count;
      judged += batch.count;
      breaches.push(...result.breaches);
      for (const [kind, more] of result.tally) tally.set(kind, (tally.get(kind) ?? 0) + more);
      if (result.slowest.cpuMs > slowest[phase].cpuMs) slowest[phase] = result.slowest;
      if (phase === 'mutations') heap.push(result.heapBytes / 1e6);
      if (phase === 'mutations' && (at - from) % (50 * BATCH) === 0) onProgress?.(`${at - from} of ${count}`);
      if (alone) {
        await child.end();
        child = null;
      }
    }
    if (!isLarge) continue;
    await child?.end();
    child = null;
  }
  await child?.end();
  const ms = performance.now() - started;
  return { breaches, tally, slowest, peakRssMb, heapMb: [heap[0] ?? 0, heap.at(-1) ?? 0], cases: judged, ms };
}
