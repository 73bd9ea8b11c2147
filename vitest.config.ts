import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';

/** The slowest files run first, in this order, then the other end-to-end tests, then the quick ones. */
const LONG = [
  'ledger/postgres/contract',
  'reliability/durability',
  'reliability/breaks',
  'reliability/simulation',
  'reliability/kill/kill',
  'reliability/images',
  'reliability/answers',
  'reliability/files',
  'reliability/soak',
  'e2e/problems',
  'e2e/messyOffice',
  'e2e/setupEnded',
  'e2e/backup',
  'e2e/send',
  'e2e/restoreKill',
  'e2e/fleet',
  'e2e/badPlaces',
  'e2e/setupUnattended',
  'e2e/reload',
  'e2e/',
  'pages/',
  'wiring/',
  'flow/idleHours',
  'intake/watch/watchTrouble',
  'flow/',
  'keeper/',
  'intake/',
];

const FILES = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'));

/** Tests that mock modules: they need a fresh process, because other files have already loaded the originals. */
const ISOLATED = FILES.filter((path) =>
  /\bvi\.(?:mock|doMock)\(/.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
);

/** Without it, a machine without cached timings may start the longest file last, with all other workers idle. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turn = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((each) => moduleId.includes(`/test/${each}`));
      return at < 0 ? LONG.length : at;
    };
    // A worker process is reused within a project, so the files of each project stay together.
    const projects = ['e2e', 'unit', 'unit-isolated'];
    const group = ({ project }: TestSpecification) => projects.indexOf(project.name);
    return files.toSorted(
      (a, b) => group(a) - group(b) || turn(a) - turn(b) || a.moduleId.localeCompare(b.moduleId),
    );
  }
}

/** Names each test that passed at its second try, and why not at its first, which the default reporter does not. */
class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const { children, moduleId } of modules)
      for (const test of children.allTests())
        if (test.diagnostic()?.flaky) {
          const why = test.result().errors?.map(({ message, stack }) => `\n${stack ?? message}`) ?? [];
          process.stderr.write(
            `Warning: passed at the second try: ${moduleId} > ${test.fullName}${why.join('')}\n`,
          );
        }
  }
}

/** The command line's `--maxWorkers` does not reach the projects. */
const PROCESSORS = availableParallelism();

/** The setup of what `npm test` runs. */
const OURS = {
  // Torn down in reverse order: the first one ends last.
  globalSetup: [
    'test/support/leftBehind.ts',
    'test/support/memoryDirectory.ts',
    'test/support/compiled.ts',
    'test/support/postgresRun.ts',
  ],
  setupFiles: ['test/support/equalBytes.ts', 'test/support/propertySeed.ts', 'test/support/afterEachTest.ts'],
  // A process runs many files, which saves evaluating the sources again. Tests must restore any process state that they change.
  isolate: false,
};

// Which command runs which project, and the time it may take: CONTRIBUTING.md.
export default defineConfig({
  test: {
    pool: 'forks',
    // One second try in CI. A test that needs it is named at the end and is a defect.
    retry: process.env['RECEIPTD_NO_SKIP'] ? 1 : 0,
    reporters: ['default', new SecondTries()],
    // Lets Node load the built program, without transforms.
    server: { deps: { external: [/\/dist\/[^/]+\.js$/] } },
    setupFiles: ['test/support/afterEachTest.ts'],
    sequence: { sequencer: LongestFirst },
    // Generous for busy machines; a passing test does not wait longer.
    expect: { poll: { timeout: 30_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/console/app/**'],
      reporter: ['text-summary'],
    },
    testTimeout: 300_000,
    hookTimeout: 180_000,
    projects: [
      {
        extends: true,
        test: {
          ...OURS,
          name: 'unit',
          // Each worker evaluates the sources: with more, the same tests take half as much processor time again.
          maxWorkers: PROCESSORS + 1,
          sequence: { groupOrder: 1 },
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/packages/**', 'test/windows/**', ...ISOLATED],
        },
      },
      {
        extends: true,
        test: {
          ...OURS,
          name: 'unit-isolated',
          maxWorkers: PROCESSORS + 1,
          sequence: { groupOrder: 1 },
          include: ISOLATED,
          isolate: true,
        },
      },
      {
        extends: true,
        test: {
          ...OURS,
          name: 'e2e',
          // Many of them mostly wait for the program.
          maxWorkers: PROCESSORS + 2,
          sequence: { groupOrder: 0 },
          include: ['test/e2e/**/*.test.ts'],
        },
      },
      // Builds and installs the Debian and npm packages. Most of the time goes to dpkg and npm.
      {
        extends: true,
        test: {
          name: 'packages',
          sequence: { groupOrder: 2 },
          include: ['test/packages/**/*.test.ts'],
          globalSetup: ['test/support/leftBehind.ts'],
        },
      },
      // The Windows install under Wine, which `npm test` must not need.
      {
        extends: true,
        test: {
          name: 'windows',
          sequence: { groupOrder: 2 },
          include: ['test/windows/**/*.test.ts'],
          testTimeout: 120_000,
        },
      },
      // The installer under Wine 10. Downloads about 350 MB; not run in CI.
      {
        extends: true,
        test: {
          name: 'windows-campaign',
          sequence: { groupOrder: 2 },
          include: ['test/windows/**/*.campaign.ts'],
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
