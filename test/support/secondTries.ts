import type { Reporter, TestModule } from 'vitest/node';

/** Names tests that passed only on a retry: they, or the product, depend on timing. */
export class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const { children, moduleId } of modules)
      for (const test of children.allTests())
        if (test.diagnostic()?.flaky)
          process.stderr.write(`Warning: passed at the second try: ${moduleId} > ${test.fullName}\n`);
  }
}
