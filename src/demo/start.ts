import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runDemo } from './demo.ts';
import { DemoError } from './scratch.ts';

/* What `npm start` runs. */

const DEADLINE_MS = 120_000;

const stop = new AbortController();
// A terminal and npm may both forward the same Ctrl-C; aborting twice is harmless.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => stop.abort());
}
// Stop the child processes even if the terminal is gone.
process.stdout.on('error', () => stop.abort());
process.stderr.on('error', () => stop.abort());

try {
  await runDemo(
    {
      project: fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, ''),
      main: fileURLToPath(new URL('../receiptd.cjs', import.meta.url)),
      env: process.env,
      sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
      print: (text) => process.stdout.write(text),
      deadlineMs: DEADLINE_MS,
    },
    stop.signal,
  );
} catch (error) {
  if (!(error instanceof DemoError)) throw error;
  process.stderr.write(`\n${error.message}\n`);
  process.exitCode = 1;
}
