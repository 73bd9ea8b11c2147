import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Mutation } from './mutations.ts';
import { MUTATION_VARIABLE, mutateFiles } from './chosen.ts';

const SEEDS = 2_000;
const MOST_OUTPUT = 256 * 1024 * 1024;

export interface Verdict {
  readonly isKilled: boolean;
  /** The first breach, or the first failed test. */
  readonly by: string;
}

export interface MutationOptions {
  /** Directory of the compiled sources, which stay unchanged. */
  readonly build: string;
  readonly root: string;
  readonly workers: number;
}

/** Breaks one promise in a copy, and runs the test that must notice it. */
export async function tryMutation(mutation: Mutation, options: MutationOptions): Promise<Verdict> {
  return mutation.killedBy === 'simulation'
    ? bySimulation(mutation, options)
    : byTest(mutation, mutation.killedBy, options);
}

async function bySimulation(mutation: Mutation, options: MutationOptions): Promise<Verdict> {
  const place = await mkdtemp(join(tmpdir(), 'receiptd-mutation-'));
  try {
    await cp(options.build, join(place, 'build'), { recursive: true });
    await cp(join(options.root, 'package.json'), join(place, 'build', 'package.json'));
    await symlink(join(options.root, 'node_modules'), join(place, 'node_modules'), 'junction');
    await mutateFiles(join(place, 'build'), mutation);
    const main = join(place, 'build', 'test', 'reliability', 'simulation', 'main.js');
    const { seed, seeds = SEEDS, promises } = mutation;
    const breachIn = async (...args: readonly string[]): Promise<string | undefined> => {
      const { stdout } = await run([main, ...args, '--failures', '1'], place);
      return stdout
        .split('\n')
        .find(
          (line) => /^seed \d+: /.test(line) && promises.some((promise) => line.includes(`: ${promise}: `)),
        );
    };
    const breach =
      (seed === undefined ? undefined : await breachIn('--seeds', '1', '--from', String(seed))) ??
      (await breachIn('--seeds', String(seeds), '--workers', String(options.workers)));
    return {
      isKilled: breach !== undefined,
      by: breach ?? `no breach of ${promises.join(', ')} in ${seeds} seeds`,
    };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

async function byTest(mutation: Mutation, test: string, { root }: MutationOptions): Promise<Verdict> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const { stdout } = await run([vitest, 'run', '--reporter', 'json', test], root, {
    [MUTATION_VARIABLE]: mutation.what,
    // Sources compiled earlier in this run lack the mutation.
    RECEIPTD_TEST_COMPILED: undefined,
  });
  const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Report;
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === 'failed');
  // A file that does not load proves nothing.
  return {
    isKilled: failed !== undefined,
    by: failed?.fullName ?? `${tests.length} tests of ${test} passed`,
  };
}

function run(
  args: readonly string[],
  cwd: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<{ stdout: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...variables };
    execFile(process.execPath, args, { cwd, env, maxBuffer: MOST_OUTPUT }, (_error, stdout) =>
      resolve({ stdout }),
    );
  });
}
