/**
 * Runs test files without vitest's server, which needs Vite: vitest's own runner and matchers in one plain process, for the Windows build
 * of Node.js. Takes the path of a JSON file (`SuiteRun`); writes a line of JSON for each test file (`SuiteEnd`) on standard output.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type * as Runner from '@vitest/runner';

export interface SuiteRun {
  readonly files: readonly {
    readonly file: string;
    /** Full names of tests that are left out; one ends with `*`: all that begin so. */
    readonly without: readonly string[];
  }[];
}

export interface SuiteEnd {
  readonly file: string;
  readonly passed: number;
  readonly skipped: number;
  /** Each that failed, and how. */
  readonly failed: readonly string[];
  /** Each that passed at its second try, and how it failed at the first. */
  readonly repeated: readonly string[];
  /** What `without` names and the file does not have. */
  readonly unknown: readonly string[];
  readonly ms: number;
}

const config = {
  root: process.cwd(),
  name: 'windows',
  setupFiles: ['equalBytes', 'propertySeed', 'afterEachTest'].map((name) =>
    fileURLToPath(new URL(`../../support/${name}.js`, import.meta.url)),
  ),
  passWithNoTests: false,
  allowOnly: false,
  sequence: { hooks: 'stack', setupFiles: 'list', concurrent: false, shuffle: false, seed: 1 },
  maxConcurrency: 5,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  retry: 1,
  includeTaskLocation: false,
  tags: [],
  chaiConfig: {},
  diffOptions: {},
  snapshotOptions: {},
  expect: { poll: { timeout: 30_000 } },
};
// Matchers ask their worker for its settings.
Object.assign(globalThis, { __vitest_worker__: { config, providedContext: {} } });
const { startTests } = await import('@vitest/runner');
const { createExpect, expect } = await import('vitest');

// A test that waits for nothing that will come has to be given up, not the process.
setInterval(() => {}, 1_000);

const [place = ''] = process.argv.slice(2);
const { files } = JSON.parse(readFileSync(place, 'utf8')) as SuiteRun;
for (const { file, without } of files) {
  const begun = performance.now();
  // By the name of the test: told of each try.
  const failures = new Map<string, string>();
  const repeated: string[] = [];
  const unknown = new Set(without);
  let passed = 0;
  let skipped = 0;
  const leaveOut = (task: Runner.Task): void => {
    if (task.type === 'suite') return task.tasks.forEach(leaveOut);
    const name = task.fullTestName;
    const match = without.find((each) =>
      each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each,
    );
    if (match === undefined) return;
    unknown.delete(match);
    task.mode = 'skip';
  };
  const runner = {
    config: config as unknown as Runner.VitestRunner['config'],
    // Hooks of a set-up file belong to the test file for which it is evaluated.
    importFile: (path: string) => import(`${pathToFileURL(path).href}?for=${encodeURIComponent(file)}`),
    onCollected: (collected: Runner.File[]) => collected.forEach((each) => each.tasks.forEach(leaveOut)),
    onBeforeTryTask: (test: Runner.Test) =>
      expect.setState({ assertionCalls: 0, currentTestName: test.fullTestName, testPath: file }),
    extendTaskContext: (context: Runner.TestContext) =>
      Object.defineProperty(context, 'expect', { get: () => createExpect(context.task) }),
    onTaskFinished: ({ result, fullTestName }: Runner.Test) => {
      if (result?.state === 'pass') {
        passed += 1;
        const before = failures.get(fullTestName);
        if (before !== undefined) repeated.push(before);
        failures.delete(fullTestName);
      } else if (result?.state === 'fail') {
        const how = result.errors?.map(({ message }) => message).join('; ');
        failures.set(fullTestName, `${fullTestName}: ${how}`);
      }
    },
  };
  const [end] = await startTests([{ filepath: file, testLocations: undefined }], runner);
  const failed = [...failures.values()];
  for (const { message, stack } of end?.result?.errors ?? []) failed.push(`the file: ${stack ?? message}`);
  const count = (task: Runner.Task): number =>
    task.type === 'suite'
      ? task.tasks.reduce((sum, each) => sum + count(each), 0)
      : Number(task.mode === 'skip');
  skipped = end ? end.tasks.reduce((sum, each) => sum + count(each), 0) : 0;
  const ms = Math.round(performance.now() - begun);
  const said: SuiteEnd = { file, passed, skipped, failed, repeated, unknown: [...unknown], ms };
  process.stdout.write(`${JSON.stringify(said)}\n`);
}
process.exit(0);
