import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { mutationPlugin } from './test/reliability/mutation/chosen.ts';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SecondTries } from './test/support/secondTries.ts';

/** Where the time goes; first these, in this order, then the rest of the end-to-end tests, then the quick ones. */
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

/** They replace modules that others have loaded as they are. */
const ISOLATED = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => /\bvi\.(?:mock|doMock)\(/.test(readFileSync(join(import.meta.dirname, path), 'utf8')));

/** Without it a machine that has not run them before ends with one worker on the longest and nobody beside it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turn = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((each) => moduleId.includes(`/test/${each}`));
      return at < 0 ? LONG.length : at;
    };
    // A process goes from one file to the next of its project, so those of each stand together.
    const projects = ['e2e', 'unit', 'unit-isolated'];
    const group = ({ project }: TestSpecification) => projects.indexOf(project.name);
    return files.toSorted(
      (a, b) => group(a) - group(b) || turn(a) - turn(b) || a.moduleId.localeCompare(b.moduleId),
    );
  }
}

// Suites differ in what they need and how long they may take; the budgets stand in CONTRIBUTING.md.
export default defineConfig({
  plugins: mutationPlugin(import.meta.dirname),
  test: {
    pool: 'forks',
    // The built program is loaded as Node loads it.
    server: { deps: { external: [/\/dist\/[^/]+\.js$/] } },
    // The first is the last to end.
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
    // In CI one more try; what needed it is named at the end, and is a defect.
    retry: process.env['RECEIPTD_NO_SKIP'] ? 1 : 0,
    reporters: ['default', new SecondTries()],
    // Many tests wait more than they work; two processors would get one worker by default.
    maxWorkers: availableParallelism() + 2,
    // A busy machine takes its time; who waits for what comes loses nothing by patience.
    expect: { poll: { timeout: 30_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/console/app/**'],
      reporter: ['text-summary'],
    },
    testTimeout: 300_000,
    hookTimeout: 180_000,
    // A process runs many files: the sources are evaluated once in each, and whatever a test changes in its process it puts back.
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
        test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'] },
      },
      {
        extends: true,
        test: { name: 'unit-isolated', include: ISOLATED, isolate: true },
      },
    ],
  },
});
