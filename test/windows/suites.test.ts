/** Suites of the core on the Windows build of Node.js: what an office PC comes by once (officePc.test.ts) is tried at each edge here. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requirement } from '../support/requires.ts';
import { LEFT_OUT, SUITES } from './support/suites.ts';
import { isWineHere, onDriveZ, Pc } from './support/pc.ts';
import type { SuiteEnd, SuiteRun } from './support/suiteRunner.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const isHere = requirement('Wine', isWineHere, 'sh scripts/install-wine.sh');

describe.skipIf(!isHere)('on the Windows build of Node.js', () => {
  let pc: Pc;
  let place: string;
  let built: string;
  const ends = new Map<string, SuiteEnd>();

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'receiptd-suites-'));
    built = join(place, 'built');
    [pc] = await Promise.all([Pc.create({ nodeAlone: true }), compileInto(built), packagesFor(place)]);
  });
  afterAll(async () => {
    await pc?.remove();
    await rm(place, { recursive: true, force: true });
  });

  it('the suites of the core run to their end', async () => {
    const files = (await Promise.all(SUITES.map((dir) => testsBelow(join(ROOT, 'test', dir))))).flat();
    // Two at once, in turn: those of one directory take about as long.
    const halves = [0, 1].map((half) => files.filter((_, index) => index % 2 === half));
    await Promise.all(
      halves.map(async (half, index) => {
        const list = join(place, `${index}.json`);
        const run: SuiteRun = {
          files: half.map((file) => ({
            file: onDriveZ(join(built, 'test', file.replace(/\.ts$/, '.js'))),
            without: LEFT_OUT.find((each) => each.file === file)?.tests ?? [],
          })),
        };
        await writeFile(list, JSON.stringify(run));
        const runner = join(built, 'test/windows/support/suiteRunner.js');
        const env = { NODE_PATH: onDriveZ(join(place, 'packages')) };
        const { status, stdout, stderr } = await pc.node(runner, [onDriveZ(list)], env).ended;
        for (const line of stdout.split('\n').filter(Boolean)) {
          const end = JSON.parse(line) as SuiteEnd;
          ends.set(end.file.replaceAll('\\', '/').replace(/.*\/built\/test\/(.*)\.js$/, '$1.ts'), end);
        }
        expect(status, stderr.slice(-2_000)).toBe(0);
      }),
    );
    const trouble = [...ends].flatMap(([file, { failed, unknown }]) => [
      ...failed.map((each) => `${file}: ${each}`),
      ...unknown.map((each) => `${file} has no test "${each}", which is left out`),
    ]);
    const ran = [...ends.values()].reduce((sum, { passed }) => sum + passed, 0);
    console.log(`${ran} tests of ${ends.size} files passed on Windows' Node.js`);
    for (const [file, { repeated }] of ends)
      for (const each of repeated) console.warn(`Warning: passed at the second try: ${file}: ${each}`);
    expect(trouble).toEqual([]);
    expect([...ends.keys()].toSorted()).toEqual(files.toSorted());
    expect(ran).toBeGreaterThan(1_000);
    // Almost five minutes were seen on two overloaded processors.
  }, 600_000);
});

/** Relative to `test`; without those that are left out whole. */
async function testsBelow(dir: string): Promise<string[]> {
  const all = await readdir(dir, { recursive: true });
  const whole = new Set(LEFT_OUT.filter(({ tests }) => tests === undefined).map(({ file }) => file));
  return all
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(dir, name).slice(join(ROOT, 'test/').length))
    .filter((file) => !whole.has(file));
}

async function compileInto(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  // Beside the compiled sources, what tests look at; packages as Node.js finds them.
  const around = [
    'node_modules',
    'dist',
    'config',
    'docs',
    'scripts',
    'package.json',
    'README.md',
    'CHANGELOG.md',
  ];
  await Promise.all(around.map((name) => symlink(join(ROOT, name), join(dir, name))));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const how = ['-p', ROOT, '--noCheck', '--noEmit', 'false', '--outDir', dir];
  await promisify(execFile)(process.execPath, [tsc, ...how]);
}

/** What of sharp is compiled for Windows; an install for this machine has its own alone. */
async function packagesFor(dir: string): Promise<void> {
  const name = '@img/sharp-win32-x64';
  const to = join(dir, 'packages', name);
  await mkdir(dirname(to), { recursive: true });
  const { fetchedPackage } = (await import(join(ROOT, 'scripts/packagedNode.mjs'))) as {
    fetchedPackage: (name: string) => Promise<string>;
  };
  await symlink(await fetchedPackage(name), to);
}
