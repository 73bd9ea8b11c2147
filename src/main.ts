#!/usr/bin/env node
import { runCommandLine } from './cli/program.ts';
import { systemCode } from './domain/errors.ts';

/** The entry: arguments, signals, the only process exit. */
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first asks for a clean end, the second gets one at once; the ledger survives either.
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new Error(`stopped by ${signal}`));
  });
}
process.stdout.on('error', (error) => {
  // `receiptd list | head`: the reader has seen enough.
  if (systemCode(error) === 'EPIPE') process.exit(0);
  throw error;
});

const { stdin, stdout, stderr, env } = process;
const status = await runCommandLine(process.argv, {
  stdin,
  stdout,
  stderr,
  env,
  cwd: process.cwd(),
  stop: stop.signal,
});
process.exit(status);
