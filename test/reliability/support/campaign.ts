import { parseArgs } from 'node:util';

export interface NumberOption {
  readonly default: number;
  readonly least: number;
  readonly help: string;
}

type Parsed<N extends string, F extends string> = Record<N, number> & Record<F, boolean>;

/**
 * Parses the options of a campaign: integers and switches. Invalid ones end the process with status 2 and one sentence; `--help` lists all.
 */
export function trialOptions<N extends string, F extends string = never>(
  name: string,
  numbers: Readonly<Record<N, NumberOption>>,
  flags = {} as Readonly<Record<F, string>>,
): Parsed<N, F> {
  const command = `npm run campaign -- ${name}`;
  const names = Object.keys(numbers) as N[];
  const switches = Object.keys(flags) as F[];
  const refuse = (sentence: string): never => {
    process.stderr.write(`${command}: ${sentence} See ${command} --help.\n`);
    process.exit(2);
  };
  let values: Record<string, string | boolean | undefined>;
  try {
    const options = Object.fromEntries<{ type: 'string' | 'boolean' }>([
      ...names.map((each) => [each, { type: 'string' }] as const),
      ...[...switches, 'help'].map((each) => [each, { type: 'boolean' }] as const),
    ]);
    ({ values } = parseArgs({ options, strict: true }));
  } catch (error) {
    return refuse((error as Error).message.split('. ')[0] + '.');
  }
  if (values['help'] === true) {
    const lines = [
      ...names.map((each) => `  --${each} N (${numbers[each].default})  ${numbers[each].help}`),
      ...switches.map((each) => `  --${each}  ${flags[each]}`),
    ];
    process.stdout.write(`${command} [options]\n${lines.join('\n')}\n`);
    process.exit(0);
  }
  const parsed: Record<string, number | boolean> = {};
  for (const each of names) {
    const text = values[each] ?? String(numbers[each].default);
    const number = Number(text);
    if (text === '' || !Number.isSafeInteger(number) || number < numbers[each].least)
      refuse(`--${each} ${String(text)} is not a whole number of at least ${numbers[each].least}.`);
    parsed[each] = number;
  }
  for (const each of switches) parsed[each] = values[each] === true;
  return parsed as Parsed<N, F>;
}

/** The options of `playRounds`. */
export const roundsOf = (seeds: number, from = 1) => ({
  seeds: { default: seeds, least: 1, help: 'number of rounds, each with the next seed' },
  from: { default: from, least: 0, help: 'seed of the first round; the same seed gives the same round' },
});

/** What came of one round. */
export interface Outcome {
  /** Sentences. */
  readonly breaches: readonly string[];
  /** What happened, in order. */
  readonly story?: readonly string[];
  /** Added up over all rounds; of those whose name begins with `most`, the largest counts. */
  readonly figures?: Readonly<Record<string, number>>;
  /** Where everything is kept; null if it was removed. */
  readonly keptAt?: string | null;
}

/**
 * Plays rounds `from` to `from + seeds - 1`, several at once. Prints the breaches, the story of the first breach or of the only round, how to repeat it,
 * and the figures. The process ends with status 1 if there was a breach.
 */
export async function playRounds(
  name: string,
  { seeds, from }: { readonly seeds: number; readonly from: number },
  play: (seed: number) => Promise<Outcome>,
  { atOnce = 1, most = Infinity }: { readonly atOnce?: number; readonly most?: number } = {},
): Promise<void> {
  const startedAt = performance.now();
  const others = process.argv
    .slice(2)
    .join(' ')
    .replaceAll(/ ?--(?:seeds|from)[= ]\S+/g, '');
  const totals = new Map<string, number>();
  const breached: number[] = [];
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < from + seeds && breached.length < most) {
      const seed = next;
      next += 1;
      const { breaches, story = [], figures = {}, keptAt = null } = await play(seed);
      for (const [what, count] of Object.entries(figures)) {
        const before = totals.get(what) ?? 0;
        totals.set(what, what.startsWith('most') ? Math.max(before, count) : before + count);
      }
      if (breaches.length > 0) breached.push(seed);
      if (seeds === 1 || (breaches.length > 0 && breached.length === 1)) say(...story);
      say(...breaches.map((each) => `seed ${seed}: ${each}`));
      if (keptAt !== null) say(`  everything is kept in ${keptAt}`);
      if (breaches.length > 0)
        say(`  to repeat: npm run campaign -- ${name} --seeds 1 --from ${seed} ${others}`.trimEnd());
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, seeds) }, lane));
  say(
    [...totals]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([what, count]) => `${Math.round(count)} ${what}`)
      .join(', '),
  );
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  const verdict = breached.length === 0 ? 'no breach' : `a breach in seeds ${breached.join(', ')}`;
  say(`${name}: seeds ${from} to ${next - 1} in ${seconds} s; ${verdict}.`);
  if (breached.length > 0) process.exitCode = 1;
}

function say(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line}\n`);
}
