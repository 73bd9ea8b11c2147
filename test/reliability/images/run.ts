import { PHASES, createCases, type Phase } from './cases.ts';
import type { Whole } from './corpus.ts';
import { watchedProcess, type WatchedProcess } from './watchedProcess.ts';
import type { Batch, Breach, Result } from './worker.ts';

export interface Summary {
  readonly breaches: readonly Breach[];
  readonly tally: ReadonlyMap<string, number>;
  readonly slowest: Readonly<Record<Phase, Result['slowest']>>;
  /** Peak so far, if bombs are small and one process does everything. */
  readonly peakRssMb: Readonly<Record<Phase, number>>;
  /** Heap of the process that tries mutations, after its first and its last batch. */
  readonly heapMb: readonly [number, number];
  readonly cases: number;
  readonly ms: number;
}

export interface Plan {
  readonly wholes: readonly Whole[];
  readonly bombSize: number;
  /** Number of the first mutation. */
  readonly from: number;
  readonly count: number;
  /** Tries only every n-th part. */
  readonly every: number;
  readonly onProgress?: (line: string) => void;
}

const BATCH = 2000;
/** Size in bytes of a bomb that leaves little garbage behind. */
const SMALL_BOMB = 5_000_000;
/** Further breaches would repeat the same defect. */
const ENOUGH = 40;

/** Runs all phases, case by case, in a watched process that is restarted after a case that ends it. */
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
  // Each large bomb gets its own process, so that its garbage does not count towards the next one or another phase.
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
