import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Suites differ in what they need and how long they may take; the budgets stand in CONTRIBUTING.md.
export default defineConfig({
  test: {
    pool: 'forks',
    // Many tests wait more than they work; by default two processors would get one worker.
    maxWorkers: Math.max(2, availableParallelism()),
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text-summary'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/e2e/**', '**/node_modules/**'],
          testTimeout: 20_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
