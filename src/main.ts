#!/usr/bin/env node
import { closeSync, openSync } from 'node:fs';
import { defectReport } from './cli/defect.ts';
import { filesAnswered } from './cli/ending.ts';
import { EXIT, type ExitStatus } from './cli/exitStatus.ts';
import { outputUnwritable } from './cli/output.ts';
import { runCommandLine } from './cli/program.ts';
import { takeSignals } from './cli/signals.ts';
import { workingDirectory } from './cli/workingDirectory.ts';
import { systemCode } from './core/domain/errors.ts';

/** The entry: arguments, signals, the only process exit. */
const signals = takeSignals(process, process.platform, {
  hadTerminal: [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY),
  hasTerminal,
  endNow,
});

function endNow(signal: NodeJS.Signals): void {
  // Windows has no signals that end a process.
  if (process.platform === 'win32') process.exit(EXIT.interrupted);
  try {
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
  } catch {
    // The terminal is gone.
  }
  // An exit would end the ledger's thread in the middle of a call, on which SQLite's binding aborts with a core dump.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // Linux ignores the signal in the first process of a container.
  process.exit(EXIT.interrupted);
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}

let decided: ExitStatus = EXIT.ok;
process.stdout.on('error', (error) => {
  // `receiptd list | head`: the reader has seen enough.
  if (systemCode(error) === 'EPIPE') process.exit(decided);
  const trouble = outputUnwritable('Standard output', error, 'Check where it goes.');
  process.stderr.write(`error: ${trouble.sentence()}\n`, () => process.exit(EXIT.failed));
});

// Node would print the message, which may hold a secret: a piece of a file that was parsed, a value that was not taken.
process.on('uncaughtException', (error) => {
  process.stderr.write(defectReport(error), () => process.exit(EXIT.failed));
});

const { stdin, stdout, stderr, env } = process;
const io = {
  stdin,
  stdout,
  stderr,
  env,
  get cwd() {
    return workingDirectory();
  },
  stop: signals.stop,
  onReload: (listener: () => void) => signals.onReload(listener),
};
const status = await runCommandLine(process.argv, io, (given) => {
  decided = given;
}).catch((error: unknown) => {
  stderr.write(defectReport(error));
  return EXIT.failed;
});
// An exit drops what a slow reader has not taken yet: `receiptd list --json | …` would end in the middle.
await Promise.all([stdout, stderr].map((stream) => new Promise((written) => stream.write('', written))));
await filesAnswered();
process.exit(status);
