import type { Reporter, TestModule } from 'vitest/node';

/** Names the tests that passed only when they were tried again: something in them, or in the product, depends on time. */
export class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const { children, moduleId } of modules)
      for (const test of children.allTests())
        if (test.diagnostic()?.flaky)
          process.stderr.write(`Warning: passed at the second try: ${moduleId} > ${test.fullName}\n`);
  }
}
