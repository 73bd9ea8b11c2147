import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { mutationPlugin } from './test/reliability/mutation/chosen.ts';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where the time goes; first these, in this order, then the rest of the end-to-end tests, then the quick ones. */
const LONG = [
  'ledger/postgres/contract',
  'e2e/debianPackage',
  'reliability/mutation',
  'ledger/sqlite/thread/contract',
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
  'e2e/npmPackage',
  'e2e/',
  'delivery/idleHours',
  'delivery/payload/spool',
  'delivery/outageBacklog',
  'intake/watch/watchTrouble',
  'delivery/',
  'intake/',
];

/** Without it a machine that has not run them before ends with one worker on the longest and nobody beside it. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const turn = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((each) => moduleId.includes(`/test/${each}`));
      return at < 0 ? LONG.length : at;
    };
    return files.toSorted((a, b) => turn(a) - turn(b) || a.moduleId.localeCompare(b.moduleId));
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
    globalSetup: ['test/support/leftBehind.ts', 'test/support/compiled.ts', 'test/support/postgresRun.ts'],
    setupFiles: ['test/support/propertySeed.ts', 'test/support/afterEachTest.ts'],
    sequence: { sequencer: LongestFirst },
    // Many tests wait more than they work; two processors would get one worker by default.
    maxWorkers: availableParallelism() + 3,
    // A busy machine takes its time; who waits for what comes loses nothing by patience.
    expect: { poll: { timeout: 30_000 } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/console/app/**'],
      reporter: ['text-summary'],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', '**/node_modules/**'],
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});
