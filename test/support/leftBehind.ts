/**
 * Vitest's global set-up: with RECEIPTD_NO_LEFTOVERS=1, a run fails if its tests leave files or processes behind, and names them.
 * The run gets its own temporary directory, so that other runs don't count; a process belongs to the run if its environment or
 * command line contains that directory.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Time limit of the whole run on an idle machine (CONTRIBUTING.md). */
const BUDGET_S = 420;
/** Grace for processes to exit on a slow machine. */
const ENDED_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 100;
const VARIABLE = 'RECEIPTD_TEST_TMPDIR';
/** Matches Vitest's own processes, which end only after the tear-down. */
const WORKER = /node_modules\/vitest\/|\(vitest/;

export default function setup(): () => Promise<void> {
  // Every Vitest project runs this; only the first one checks.
  if (process.env['RECEIPTD_NO_LEFTOVERS'] !== '1' || process.env[VARIABLE] !== undefined)
    return () => Promise.resolve();
  const started = performance.now();
  // Short, because the path of a socket is limited to 107 characters.
  const dir = mkdtempSync(join(tmpdir(), 'rcpt-'));
  // Some tests drop to an ordinary user.
  chmodSync(dir, 0o1777);
  process.env[VARIABLE] = process.env['TMPDIR'] = dir;
  return async () => {
    const deadline = Date.now() + ENDED_AFTER_MS;
    while (processesOf(dir).length > 0 && Date.now() < deadline) await sleep(LOOK_EVERY_MS);
    const left = [
      ...processesOf(dir).map((pid) => `process ${pid}${listening(pid)}: ${commandLine(pid)}`),
      ...readdirSync(dir)
        .filter((name) => name.startsWith('receiptd-'))
        .map((name) => `${join(tmpdir(), name)}: ${readable(join(dir, name)).join(', ')}`),
    ];
    const seconds = Math.round((performance.now() - started) / 1_000);
    if (seconds > BUDGET_S)
      console.warn(`Warning: the tests took ${seconds} s, more than their ${BUDGET_S} s.`);
    if (left.length === 0) rmSync(dir, { recursive: true, force: true });
    else {
      console.error(`Tests left behind:\n  ${left.join('\n  ')}`);
      process.exitCode = 1;
    }
  };
}

function processesOf(dir: string): number[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isOf(pid, dir));
}

/** Whether a process belongs to the run; false for zombies and for Vitest's own. */
function isOf(pid: number, dir: string): boolean {
  const command = commandLine(pid);
  if (command === '' || WORKER.test(command)) return false;
  return command.includes(dir) || text(`/proc/${pid}/environ`).split('\0').includes(`TMPDIR=${dir}`);
}

function commandLine(pid: number): string {
  return text(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
}

/** Describes the ports that a process listens on. */
function listening(pid: number): string {
  const sockets = new Set(readable(`/proc/${pid}/fd`).map((fd) => link(`/proc/${pid}/fd/${fd}`)));
  const ports = ['tcp', 'tcp6']
    .flatMap((name) => text(`/proc/${pid}/net/${name}`).split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.has(`socket:[${inode}]`))
    .map(([, local]) => Number.parseInt(local?.split(':')[1] ?? '', 16));
  return ports.length === 0 ? '' : `, which listens on ${ports.join(', ')}`;
}

// Empty for a process that exits meanwhile.
function text(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function link(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return '';
  }
}

function readable(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
