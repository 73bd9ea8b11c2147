/** Runs the contract of lists for both ledgers over a messy office of any size. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { trialOptions } from '../support/campaign.ts';

const { files } = trialOptions('listings', {
  files: { default: 400_000, least: 601, help: 'number of files in the office' },
});

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const contracts = ['sqlite', 'postgres'].map((kind) => `test/ledger/${kind}/contract.test.ts`);
const limits = ['--testTimeout=7200000', '--hookTimeout=7200000', '--maxWorkers=2'];
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', ...contracts, '--testNamePattern', 'lists the messy office', ...limits],
  { stdio: 'inherit', env: { ...process.env, RECEIPTD_OFFICE_FILES: String(files) } },
);
process.exitCode = status ?? 1;
