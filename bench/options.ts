import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly quick: boolean;
  /** Names of scenarios; default: all. */
  readonly only: readonly string[];
  /** Parent of the scratch directory; null: the system's temporary directory. */
  readonly dir: string | null;
  /** If set, a revision to compare with; nothing is measured. */
  readonly compare: string | null;
}

/** The parsed options, or a text to print and the exit status. */
export type Asked =
  | { readonly kind: 'options'; readonly options: BenchOptions }
  | { readonly kind: 'said'; readonly text: string; readonly status: 0 | 2 };

const COMMAND = 'npm run bench';
const OPTIONS = {
  quick: { type: 'boolean' },
  only: { type: 'string' },
  dir: { type: 'string' },
  compare: { type: 'string' },
  help: { type: 'boolean' },
} as const;

export function benchOptions(names: readonly string[], args: readonly string[]): Asked {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return refuse((error as Error).message.split('. ')[0] + '.');
  }
  if (values.help) return { kind: 'said', text: help(names), status: 0 };
  const { quick = false, only, dir = null, compare = null } = values;
  const asked = only?.split(',') ?? names;
  const unknown = asked.find((name) => !names.includes(name));
  if (unknown !== undefined)
    return refuse(`--only ${unknown} is not a scenario. The scenarios are ${names.join(', ')}.`);
  if (dir !== null && !statSync(dir, { throwIfNoEntry: false })?.isDirectory())
    return refuse(`--dir ${dir} is not a directory.`);
  if (compare === '') return refuse('--compare needs a revision.');
  if (compare !== null && (quick || dir !== null))
    return refuse('--compare measures nothing, so it cannot be used with --quick or --dir.');
  return { kind: 'options', options: { quick, only: asked, dir, compare } };
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, strict: true }).values;
}

function refuse(sentence: string): Asked {
  return { kind: 'said', text: `${COMMAND}: ${sentence} See ${COMMAND} -- --help.\n`, status: 2 };
}

function help(names: readonly string[]): string {
  return `${COMMAND} -- [options]
  --quick             fewer files and fewer runs; does not change docs/performance.md
  --only NAME[,NAME]  run only these scenarios: ${names.join(', ')}
  --dir DIR           directory for the files, on a local disk with some GB free
  --compare REV       compare the figures of that revision with those of HEAD; measures nothing
`;
}
