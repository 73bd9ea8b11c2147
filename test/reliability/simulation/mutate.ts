import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { MUTATIONS, type Mutation } from './mutations.ts';

const run = promisify(execFile);
const COPIED = ['src', 'test', 'package.json', 'tsconfig.json', 'tsconfig.trials.json'];
const MOST_OUTPUT = 256 * 1024 * 1024;

interface Verdict {
  readonly mutation: Mutation;
  readonly isCaught: boolean;
  readonly words: string;
}

/**
 * Breaks the promises one by one in a copy of the sources, and lets the oracle find out. Resolves true if it found
 * every one, and nothing in the copy as it was. Run in the project's directory.
 */
export async function tryMutations({ seeds, workers }: { seeds: number; workers: number }): Promise<boolean> {
  const place = await mkdtemp(join(tmpdir(), 'receiptd-mutations-'));
  try {
    for (const each of COPIED) await cp(each, join(place, each), { recursive: true });
    await symlink(join(process.cwd(), 'node_modules'), join(place, 'node_modules'));
    const control = await simulateIn(place, seeds, workers);
    console.log(`as it is: ${control.isClean ? 'no breach' : 'A BREACH'} in ${seeds} seeds`);
    let caught = 0;
    for (const mutation of MUTATIONS) {
      const { isCaught, words } = await tryOne(mutation, place, seeds, workers);
      if (isCaught) caught += 1;
      console.log(`${isCaught ? 'caught' : 'MISSED'}  ${mutation.what}\n        ${words}`);
    }
    console.log(`${caught} of ${MUTATIONS.length} broken promises were found.`);
    return control.isClean && caught === MUTATIONS.length;
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function tryOne(mutation: Mutation, place: string, seeds: number, workers: number): Promise<Verdict> {
  const before = new Map<string, string>();
  try {
    for (const { file, from, to } of mutation.edits) {
      const path = join(place, file);
      const text = await readFile(path, 'utf8');
      if (!before.has(path)) before.set(path, text);
      if (text.split(from).length !== 2) {
        return { mutation, isCaught: false, words: `${file} does not have, or not once: ${from}` };
      }
      await writeFile(
        path,
        text.replace(from, () => to),
      );
    }
    const { isClean, breaches } = await simulateIn(place, seeds, workers);
    const [first = 'no breach'] = breaches.filter((breach) =>
      mutation.promises.some((promise) => breach.includes(`: ${promise}: `)),
    );
    return { mutation, isCaught: !isClean && first !== 'no breach', words: first };
  } finally {
    for (const [path, text] of before) await writeFile(path, text);
  }
}

async function simulateIn(
  place: string,
  seeds: number,
  workers: number,
): Promise<{ isClean: boolean; breaches: string[] }> {
  const tsc = join(place, 'node_modules', 'typescript', 'bin', 'tsc');
  // A mutation may leave something unused: that is no error of it.
  const compile = [
    '-p',
    'tsconfig.trials.json',
    '--noUnusedLocals',
    'false',
    '--noUnusedParameters',
    'false',
  ];
  await run(process.execPath, [tsc, ...compile], { cwd: place });
  const main = join(place, 'build', 'test', 'reliability', 'simulation', 'main.js');
  const seedsOf = ['--seeds', String(seeds), '--workers', String(workers), '--failures', '3'];
  try {
    await run(process.execPath, [main, ...seedsOf], { cwd: place, maxBuffer: MOST_OUTPUT });
    return { isClean: true, breaches: [] };
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string };
    return { isClean: false, breaches: stdout.split('\n').filter((line) => /^seed \d+: /.test(line)) };
  }
}
