#!/usr/bin/env node
import { closeSync, openSync, writeSync } from 'node:fs';
import { defectReport } from './cli/defect.ts';
import { filesAnswered, outputTaken } from './cli/ending.ts';
import { EXIT, type ExitStatus } from './cli/exitStatus.ts';
import { runCommandLine } from './cli/program.ts';
import { takeSignals } from './cli/signals.ts';
import { workingDirectory } from './cli/workingDirectory.ts';
import { ReceiptdError, systemCode } from './core/domain/errors.ts';

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
  // At once, whatever the ledger's thread is doing.
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
  const facts = { system: systemCode(error) ?? null, detail: error.message };
  const trouble = new ReceiptdError('OUTPUT_UNWRITABLE.stdout', facts);
  process.stderr.write(`error: ${trouble.sentence()}\n`, () => process.exit(EXIT.failed));
});

// Node would print the message, which may hold a secret: a piece of a file that was parsed, a value that was not taken.
process.on('uncaughtException', (error) => {
  reportNow(defectReport(error, process.env));
  process.exit(EXIT.failed);
});

/** Without a turn of the event loop, which would go on with what the defect left behind. */
function reportNow(text: string): void {
  let rest = Buffer.from(text);
  for (let tries = 0; rest.length > 0 && tries < 100; tries += 1) {
    try {
      rest = rest.subarray(writeSync(process.stderr.fd, rest));
    } catch (trouble) {
      if (systemCode(trouble) !== 'EAGAIN') return;
      // A pipe whose reader is slow.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

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
  stderr.write(defectReport(error, env));
  return EXIT.failed;
});
await outputTaken([stdout, stderr], signals.stop);
await filesAnswered();
process.exit(status);
