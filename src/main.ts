#!/usr/bin/env node
import { closeSync, openSync } from 'node:fs';
import { EXIT } from './cli/exitStatus.ts';
import { outputUnwritable } from './cli/output.ts';
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
/** Where a terminal was, its end is the end of what runs in it; anywhere else the signal asks to read the configuration again. */
const hadTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
function onReload(listener: () => void): () => void {
  // Windows sends it when the console is closed.
  if (process.platform === 'win32') return () => {};
  const heard = (): void => {
    if (hadTerminal && !hasTerminal()) stop.abort(new Error('the terminal was closed'));
    else listener();
  };
  process.on('SIGHUP', heard);
  return () => process.off('SIGHUP', heard);
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

process.stdout.on('error', (error) => {
  // `receiptd list | head`: the reader has seen enough.
  if (systemCode(error) === 'EPIPE') process.exit(0);
  const trouble = outputUnwritable('Standard output', error, 'Check where it goes.');
  process.stderr.write(`error: ${trouble.sentence()}\n`, () => process.exit(EXIT.failed));
});

const { stdin, stdout, stderr, env } = process;
const status = await runCommandLine(process.argv, {
  stdin,
  stdout,
  stderr,
  env,
  cwd: process.cwd(),
  stop: stop.signal,
  onReload,
});
// An exit drops what a slow reader has not taken yet: `receiptd list --json | …` would end in the middle.
await Promise.all([stdout, stderr].map((stream) => new Promise((written) => stream.write('', written))));
process.exit(status);
