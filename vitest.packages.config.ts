import { defineConfig } from 'vitest/config';
import { SecondTries } from './test/support/secondTries.ts';

/** The Debian package and the npm package, built and installed: `npm run test:packages`. Most of it is the work of dpkg and npm. */
export default defineConfig({
  test: {
    pool: 'forks',
    include: ['test/packages/**/*.test.ts'],
    globalSetup: ['test/support/leftBehind.ts'],
    setupFiles: ['test/support/afterEachTest.ts'],
    retry: process.env['RECEIPTD_NO_SKIP'] ? 1 : 0,
    reporters: ['default', new SecondTries()],
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 300_000,
    hookTimeout: 180_000,
  },
});
