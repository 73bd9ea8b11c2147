import { readdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { mutationPlugin } from './test/reliability/mutation/chosen.ts';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SecondTries } from './test/support/secondTries.ts';
import { turnsOf } from './test/support/turns.ts';

/** The slowest files run first, in this order, then the other end-to-end tests, then the quick ones. */
const LONG = [
  'ledger/postgres/contract',
  'reliability/mutation',
  'intake/dispose/disposeKill',
  'reliability/simulation',
  'reliability/kill/kill',
  'reliability/images',
  'reliability/answers',
  'reliability/files',
  'reliability/soak',
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
  'delivery/idleHours',
  'delivery/payload/spool',
  'delivery/outageBacklog',
  'intake/watch/watchTrouble',
  'delivery/',
  'intake/',
];

const FILES = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'));

/** Tests that mock modules: they need a fresh process, because other files have already loaded the originals. */
const ISOLATED = FILES.filter((path) =>
  /\bvi\.(?:mock|doMock)\(/.test(readFileSync(join(import.meta.dirname, path), 'utf8')),
);

const END_TO_END = turnsOf(
  FILES.filter((path) => path.startsWith('test/e2e/')),
  (path) => statSync(join(import.meta.dirname, path)).size,
);

/** Without it, a machine without cached timings may start the longest file last, with all other workers idle. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turn = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((each) => moduleId.includes(`/test/${each}`));
      return at < 0 ? LONG.length : at;
    };
    // A worker process is reused within a project, so the files of each project stay together.
    const projects = ['e2e', 'e2e-another-day', 'unit', 'unit-isolated'];
    const group = ({ project }: TestSpecification) => projects.indexOf(project.name);
    return files.toSorted(
      (a, b) => group(a) - group(b) || turn(a) - turn(b) || a.moduleId.localeCompare(b.moduleId),
    );
  }
}

// Time budgets of the suites are in CONTRIBUTING.md.
export default defineConfig({
  plugins: mutationPlugin(import.meta.dirname),
  test: {
    pool: 'forks',
    // Lets Node load the built program, without transforms.
    server: { deps: { external: [/\/dist\/[^/]+\.js$/] } },
    // Torn down in reverse order: the first one ends last.
    globalSetup: [
      'test/support/leftBehind.ts',
      'test/support/memoryDirectory.ts',
      'test/support/compiled.ts',
      'test/support/postgresRun.ts',
    ],
    setupFiles: [
      'test/support/equalBytes.ts',
      'test/support/propertySeed.ts',
      'test/support/afterEachTest.ts',
    ],
    sequence: { sequencer: LongestFirst },
    // One retry in CI; tests that needed it are listed at the end and count as defects.
    retry: process.env['RECEIPTD_NO_SKIP'] ? 1 : 0,
    reporters: ['default', new SecondTries()],
    // More workers than processors, because many tests mostly wait.
    maxWorkers: availableParallelism() + 4,
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
    // A process runs many files, which saves evaluating the sources again. Tests must restore any process state that they change.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', 'test/packages/**', 'test/windows/**', ...ISOLATED],
        },
      },
      {
        extends: true,
        test: { name: 'e2e', include: END_TO_END.today },
      },
      {
        extends: true,
        test: { name: 'e2e-another-day', include: END_TO_END.anotherDay },
      },
      {
        extends: true,
        test: { name: 'unit-isolated', include: ISOLATED, isolate: true },
      },
    ],
  },
});
