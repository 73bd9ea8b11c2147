/** Runs single commands of the built binary in ways that `Site` does not offer: with input, as other users, in pipes. */
import { spawnSync } from 'node:child_process';
import { chown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { expect } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { ordinaryOwner } from '../../support/ordinaryUser.ts';
import { launch } from '../../support/launch.ts';
import { requirement } from '../../support/requires.ts';
import { MAIN, Running, type Ended, type Site } from './agent.ts';
import { runInProcess } from './inProcess.ts';

export interface Circumstances {
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; default: empty. */
  readonly input?: string;
  /** Run without root's rights. That user must own the files it needs: see `giveAway`. */
  readonly ordinary?: boolean;
}

const isRoot = process.geteuid?.() === 0;

/** Whether an ordinary user can run the binary: the checkout may be in a directory that only root can read. */
export const ordinaryUserCanRun = requirement(
  'A checkout that an ordinary user may read',
  spawnSync(process.execPath, [MAIN, '--version'], isRoot ? ordinaryOwner() : {}).status === 0,
  'move it out of a private directory',
);

export function begin(site: Site, args: readonly string[], how: Circumstances = {}): Running {
  return new Running(launched(site, process.execPath, [MAIN, ...args], how));
}

export function receiptd(site: Site, args: readonly string[], how: Circumstances = {}): Promise<Ended> {
  return begin(site, args, how).ended;
}

/** Like `receiptd`, but in this process: see `Site.look`. */
export function quickly(
  site: Site,
  args: readonly string[],
  { env, input }: Omit<Circumstances, 'ordinary'> = {},
): Promise<Ended> {
  const all = { ...surroundings(), ...site.env, ...env };
  return runInProcess(args, { cwd: site.dir, env: all, ...(input !== undefined && { input }) });
}

/** Runs a shell command; `$RECEIPTD` is the binary. */
export function shell(site: Site, script: string, how: Circumstances = {}): Promise<Ended> {
  const env = { ...how.env, RECEIPTD: `${process.execPath} ${MAIN}` };
  return new Running(launched(site, '/bin/sh', ['-c', script], { ...how, env })).ended;
}

function launched(site: Site, file: string, args: readonly string[], how: Circumstances) {
  const child = launch(file, args, {
    cwd: site.dir,
    env: { ...surroundings(), ...site.env, ...how.env },
    stdin: 'pipe',
    ...(how.ordinary && isRoot && { ...ordinaryOwner() }),
  });
  // A command that ends without reading its input breaks the pipe.
  child.stdin?.on('error', () => {});
  child.stdin?.end(how.input ?? '');
  return child;
}

/** The part of this process's environment that commands get. */
function surroundings(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }) };
}

/** Gives a directory and everything in it to the ordinary user, if running as root. */
export async function giveAway(dir: string): Promise<void> {
  if (!isRoot) return;
  const { uid, gid } = ordinaryOwner();
  await chown(dir, uid, gid);
  for (const entry of await readdir(dir, { recursive: true })) await chown(join(dir, entry), uid, gid);
}

/** All commands of the program as typed: `ledger verify`. */
export async function commandsOfProgram(): Promise<ReadonlyMap<string, Command>> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const io = { stdin: Readable.from([]), stdout: nowhere, stderr: nowhere, env: {}, cwd: '/' };
  const program = await createProgram(io as unknown as Io, () => {});
  const found = new Map<string, Command>();
  const walk = (command: Command, words: readonly string[]): void => {
    for (const each of command.commands) {
      const name = [...words, each.name()];
      found.set(name.join(' '), each);
      walk(each, name);
    }
  };
  walk(program, []);
  return found;
}

declare module 'vitest' {
  interface Matchers<T> {
    /** Asserts that a command failed with exactly one sentence with `words` and the code, without output or stack trace. */
    toBeRefused(status: number, code: string, ...words: string[]): T;
  }
}

expect.extend({
  toBeRefused(ended: Ended, status: number, code: string, ...words: string[]) {
    const lines = ended.stderr.trimEnd().split('\n');
    const sentence = lines.at(-1) ?? '';
    const wrong = [
      ended.status !== status && `its status is ${ended.status}, not ${status}`,
      ended.stdout !== '' && 'it printed a result',
      lines.filter((line) => line.startsWith('error: ')).length !== 1 && 'it says not exactly one error',
      !/^error: \S.*\S \[[A-Z_]+\]$/.test(sentence) && 'its last line is no sentence with a code',
      !sentence.endsWith(` [${code}]`) && `the code is not ${code}`,
      ...words.map((word) => !sentence.includes(word) && `it does not say ${JSON.stringify(word)}`),
      TRACE.test(ended.stderr) && 'it shows a stack trace',
    ].filter((each) => each !== false);
    return {
      pass: wrong.length === 0,
      message: () => `${wrong.join('; ') || 'refused as described'}: ${JSON.stringify(ended, null, 2)}`,
    };
  },
});

const TRACE = /^\s+at .+:\d+:\d+\)?$|node:internal|^Node\.js v|ERR_[A-Z_]+|Unhandled/m;

export function expectNoTrace({ stdout, stderr }: Ended): void {
  expect(`${stdout}${stderr}`).not.toMatch(TRACE);
}
