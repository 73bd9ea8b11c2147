/** Runs cases by seed, several at once, and shrinks each one that breaches. */
import * as fc from 'fast-check';

/** `late`: a busy machine may be the cause; counts only if the case breaches again when it runs alone with longer timeouts. */
export interface Breach {
  readonly sentence: string;
  readonly late: boolean;
}

export interface Trial<T> {
  readonly cases: fc.Arbitrary<T>;
  readonly run: (one: T, isPatient: boolean) => Promise<Breach | null>;
}

export interface Found {
  readonly seed: number;
  readonly sentence: string;
  /** The smallest breaching case. */
  readonly smallest: string;
}

export interface Seeds {
  readonly from: number;
  readonly count: number;
  readonly atOnce: number;
  /** Stops after this many breaches. */
  readonly most?: number;
  readonly onCase?: (seed: number, isOver: boolean) => void;
}

const SHRINK_MS = 20_000;

/** Seeds `from` to `from + count - 1`, one case each. */
export async function runSeeds<T>(trial: Trial<T>, seeds: Seeds): Promise<readonly Found[]> {
  const { from, count, atOnce, most = 1, onCase } = seeds;
  const found: Found[] = [];
  const late: number[] = [];
  const look = async (seed: number, isPatient: boolean): Promise<void> => {
    onCase?.(seed, false);
    const end = await runSeed(trial, seed, isPatient);
    onCase?.(seed, true);
    if (end === 'late') late.push(seed);
    else if (end !== 'clean') found.push(end);
  };
  const lookAtAll = async (list: Iterator<number>, workers: number, isPatient: boolean): Promise<void> => {
    const worker = async (): Promise<void> => {
      while (found.length < most) {
        const { value, done } = list.next();
        if (done) return;
        await look(value, isPatient);
      }
    };
    await Promise.all(Array.from({ length: workers }, worker));
  };
  await lookAtAll(numbers(from, count), atOnce, false);
  await lookAtAll(late.values(), Math.ceil(atOnce / 8), true);
  return found.toSorted((a, b) => a.seed - b.seed);
}

function* numbers(from: number, count: number): Generator<number, void> {
  for (let number = from; number < from + count; number += 1) yield number;
}

async function runSeed<T>(
  { cases, run }: Trial<T>,
  seed: number,
  isPatient: boolean,
): Promise<Found | 'clean' | 'late'> {
  let sentence = '';
  let isLate = false;
  const property = fc.asyncProperty(cases, async (one) => {
    const breach = await run(one, isPatient);
    if (breach === null) return;
    if (breach.late && !isPatient) {
      isLate = true;
      return;
    }
    ({ sentence } = breach);
    throw new Error(sentence);
  });
  const details = await fc.check(property, { seed, numRuns: 1, interruptAfterTimeLimit: SHRINK_MS });
  if (details.failed && details.counterexample !== null)
    return { seed, sentence, smallest: fc.stringify(details.counterexample[0]) };
  return isLate ? 'late' : 'clean';
}
