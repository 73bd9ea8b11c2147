import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

/** Names as in docs/reliability.md. */
export const PROMISES = ['P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7'] as const;
const SEEDS = 2_000;
const MOST_OUTPUT = 256 * 1024 * 1024;
const FOLDER = 'test/reliability/breaks';
/** What a run needs, besides `node_modules`. */
const TREE = ['src', 'test', 'bench', 'config', 'docs', 'packaging', 'scripts'];

/** A patch that breaks the product on purpose, and the test that must notice it. README.md describes the format. */
export interface Break {
  /** Absolute. */
  readonly file: string;
  readonly name: string;
  readonly what: string;
  /** Promises that it breaks, the main one first. */
  readonly promises: readonly string[];
  /** `simulation` with its words, or a test file with a part of the test's name. */
  readonly killedBy: string;
}

export async function readBreaks(root: string): Promise<Break[]> {
  const folder = join(root, FOLDER);
  const found = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.patch'));
  return Promise.all(found.toSorted().map((path) => readBreak(join(folder, path), root)));
}

export async function readBreak(file: string, root: string): Promise<Break> {
  const [head = ''] = (await readFile(file, 'utf8')).split(/^diff --git /m, 1);
  const line = (key: string): string => new RegExp(`^${key}: (.+)$`, 'm').exec(head)?.[1] ?? '';
  const name = relative(join(root, FOLDER), file)
    .replaceAll('\\', '/')
    .replace(/\.patch$/, '');
  const promises = line('Breaks').split(', ');
  return { file, name, what: line('What') || name, promises, killedBy: line('Killed-by') };
}

/** Applies a patch, or with `--check` or `-R` checks it or takes it back. Rejects with what git says. */
export async function apply(file: string, place: string, ...options: readonly string[]): Promise<void> {
  // Within a repository, git would take the paths as relative to its root.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(place) };
  await promisify(execFile)('git', ['apply', ...options, file], { cwd: place, env });
}

/** A copy of the tree in which breaks are tried, one after the other. */
export async function inCopy<T>(root: string, work: (place: string) => Promise<T>): Promise<T> {
  const place = await mkdtemp(join(tmpdir(), 'receiptd-breaks-'));
  try {
    const files = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isFile());
    for (const name of [...TREE, ...files.map((entry) => entry.name)])
      await cp(join(root, name), join(place, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(place, 'node_modules'), 'junction');
    return await work(place);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

export interface Verdict {
  readonly isKilled: boolean;
  /** The first breach, or the first failed test. */
  readonly by: string;
}

/** Breaks the copy, runs the test that must notice it, and mends the copy. */
export async function tryBreak(each: Break, place: string, workers: number): Promise<Verdict> {
  await apply(each.file, place);
  try {
    const [kind] = each.killedBy.split(' ', 1);
    return await (kind === 'simulation' ? bySimulation(each, place, workers) : byTest(each.killedBy, place));
  } finally {
    await apply(each.file, place, '-R');
  }
}

async function bySimulation({ killedBy, promises }: Break, place: string, workers: number): Promise<Verdict> {
  const tsc = join(place, 'node_modules', 'typescript', 'bin', 'tsc');
  await node([tsc, '-p', 'tsconfig.trials.json', '--noCheck', '--incremental'], place);
  await cp(join(place, 'package.json'), join(place, 'build', 'package.json'));
  const main = join('build', 'test', 'reliability', 'simulation', 'main.js');
  const seed = / seed (\d+)/.exec(killedBy)?.[1];
  const within = / within (\d+)/.exec(killedBy)?.[1] ?? String(SEEDS);
  const breach = async (...args: readonly string[]): Promise<string | undefined> => {
    const lines = (await node([main, ...args, '--failures', '1'], place)).split('\n');
    const isMeant = (line: string) => promises.some((promise) => line.includes(`: ${promise}: `));
    return lines.find((line) => /^seed \d+: /.test(line) && isMeant(line));
  };
  const by =
    (seed === undefined ? undefined : await breach('--seeds', '1', '--from', seed)) ??
    (await breach('--seeds', within, '--workers', String(workers)));
  return { isKilled: by !== undefined, by: by ?? `no breach of ${promises.join(', ')} in ${within} seeds` };
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

async function byTest(killedBy: string, place: string): Promise<Verdict> {
  const [test = '', ...names] = killedBy.split(' > ');
  if (/^test\/(?:e2e|docs|packaging|pages|reliability)\//.test(test))
    await node(['scripts/build.mjs'], place);
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  const some = names.length === 0 ? [] : ['-t', names.join(' ')];
  const text = await node([vitest, 'run', '--reporter', 'json', test, ...some], place);
  const { testResults } = JSON.parse(text.slice(text.indexOf('{'))) as Report;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === 'failed');
  // A file that does not load proves nothing.
  return {
    isKilled: failed !== undefined,
    by: failed?.fullName ?? `${tests.length} tests of ${test} passed`,
  };
}

/** What a program prints, whatever its status. */
function node(args: readonly string[], cwd: string): Promise<string> {
  // Sources that were compiled for this run lack the break.
  const env = { ...process.env, RECEIPTD_TEST_COMPILED: undefined };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, env, maxBuffer: MOST_OUTPUT }, (_error, stdout) =>
      resolve(stdout),
    );
  });
}
