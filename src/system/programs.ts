import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { messageOf, systemCode } from '../core/domain/errors.ts';

export interface ProgramLimits {
  readonly timeoutMs: number;
  /** Between the request to end and the kill; 5 s if left out. */
  readonly graceMs?: number;
  readonly platform?: NodeJS.Platform;
}

/** How a program ended. `said`: the end of its standard error output, or why it did not start; for the log. */
export type ProgramEnd =
  | { readonly how: 'exited'; readonly status: number; readonly said: string }
  | { readonly how: 'signal'; readonly signal: string; readonly said: string }
  | { readonly how: 'timedOut'; readonly said: string }
  | { readonly how: 'notStarted'; readonly said: string };

const LIMIT_MS = 60_000;
const MOST_OUTPUT = 16 * 1024 * 1024;
const GRACE_MS = 5_000;
const MOST_SAID = 2_000;
/** Wait for the end of standard error after the exit: a process left behind may hold it open forever. */
const PIPE_MS = 250;

/**
 * Runs a program that the admin configured, without a shell. It gets `stdin`; its standard output is discarded. On a
 * timeout or abort, its whole process group is ended (not on Windows), except processes that left the group (setsid).
 *
 * Resolves or rejects once the program has ended. Rejects only with the signal's reason.
 */
export async function runProgram(
  command: readonly string[],
  stdin: string,
  env: NodeJS.ProcessEnv,
  { timeoutMs, graceMs = GRACE_MS, platform = process.platform }: ProgramLimits,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const [program = '', ...args] = command;
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      env,
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: platform !== 'win32',
      windowsHide: true,
    });
  } catch (error) {
    // An invalid argument, such as one that is too long.
    return { how: 'notStarted', said: messageOf(error) };
  }
  const said = new Tail(MOST_SAID);
  child.stderr?.on('data', (chunk: Buffer) => said.add(chunk));
  // The program need not read its input.
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin);

  const ending = new Ending(child, platform, graceMs);
  let isTooLate = false;
  const timer = setTimeout(() => {
    isTooLate = true;
    ending.begin();
  }, timeoutMs);
  const abort = (): void => ending.begin();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const ended = await endOf(child);
    signal.throwIfAborted();
    if (ended instanceof Error) return { how: 'notStarted', said: messageOf(ended) };
    if (isTooLate) return { how: 'timedOut', said: said.text() };
    const { status, by } = ended;
    if (status === null) return { how: 'signal', signal: by ?? 'unknown', said: said.text() };
    return { how: 'exited', status, said: said.text() };
  } finally {
    clearTimeout(timer);
    ending.end();
    signal.removeEventListener('abort', abort);
    child.stderr?.destroy();
  }
}

/**
 * Variables of the agent's environment that are passed on: those that a process needs to run. Others may hold secrets
 * (RECEIPTD_CLIENT_SECRET, HTTPS_PROXY).
 */
const WANTED =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|SHELL|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERNAME|USERDOMAIN|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA)$/;

export function plainEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // Names are case-insensitive on Windows.
  return Object.fromEntries(Object.entries(env).filter(([name]) => WANTED.test(name.toUpperCase())));
}

export interface Ran {
  /** Exit status; null if the program could not be started or was ended by a signal. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The code of the system where it could not be started. */
  readonly why: string | null;
}

/** Whether a program that did not start is not installed: EACCES too, the answer as soon as one directory of PATH can't be entered. */
export function isNotInstalled(why: unknown): boolean {
  return why === 'ENOENT' || why === 'EACCES' || why === 'ENOTDIR';
}

/** Runs a system program to its end, without a shell, and captures its output. Never rejects. */
export function run(
  [program = '', ...args]: readonly string[],
  { env, limitMs = LIMIT_MS }: { env: NodeJS.ProcessEnv; limitMs?: number },
): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      {
        env,
        timeout: limitMs,
        maxBuffer: MOST_OUTPUT,
        killSignal: 'SIGKILL',
        windowsHide: true,
      },
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : null;
        const why = error?.killed ? 'ETIMEDOUT' : (systemCode(error) ?? null);
        resolve({ status: error === null ? 0 : code, stdout, stderr, why });
      },
    );
  });
}

function endOf(child: ChildProcess): Promise<Error | { status: number | null; by: string | null }> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      // An undeliverable signal raises `error` too, while the program is still running.
      if (child.pid === undefined) resolve(error);
    });
    child.on('exit', (status, by) => {
      const settle = (): void => resolve({ status, by });
      const timer = setTimeout(settle, PIPE_MS);
      child.on('close', () => {
        clearTimeout(timer);
        settle();
      });
    });
  });
}

/** Terminates a program, then kills it after a grace period; both for its whole process group if it has one. */
class Ending {
  readonly #child: ChildProcess;
  readonly #platform: NodeJS.Platform;
  readonly #graceMs: number;
  #kill: NodeJS.Timeout | null = null;

  constructor(child: ChildProcess, platform: NodeJS.Platform, graceMs: number) {
    this.#child = child;
    this.#platform = platform;
    this.#graceMs = graceMs;
  }

  begin(): void {
    if (this.#kill !== null) return;
    this.#send('SIGTERM');
    this.#kill = setTimeout(() => this.#send('SIGKILL'), this.#graceMs);
  }

  end(): void {
    if (this.#kill === null) return;
    clearTimeout(this.#kill);
    // The program has ended, but its child processes may not have.
    this.#send('SIGKILL');
  }

  #send(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (this.#platform === 'win32') this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // The process group has ended.
    }
  }
}

/** The last bytes of a stream, as text. */
class Tail {
  readonly #most: number;
  #bytes = Buffer.alloc(0);

  constructor(most: number) {
    this.#most = most;
  }

  add(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-this.#most);
  }

  text(): string {
    return this.#bytes.toString('utf8').trim();
  }
}

/** Quoted for a shell where it has to be. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
