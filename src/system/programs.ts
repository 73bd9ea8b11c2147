import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { messageOf, systemCode } from '../core/domain/errors.ts';

export interface ProgramLimits {
  readonly timeoutMs: number;
  /** Between the request to end and the kill; 5 s if left out. */
  readonly graceMs?: number;
  readonly platform?: NodeJS.Platform;
}

/** How a program ended. `said`: the end of what it wrote to its standard error, for the log of an admin. */
export type ProgramEnd =
  | { readonly how: 'exited'; readonly status: number; readonly said: string }
  | { readonly how: 'signal'; readonly signal: string; readonly said: string }
  | { readonly how: 'timedOut'; readonly said: string }
  | { readonly how: 'notStarted'; readonly said: string };

const LIMIT_MS = 60_000;
const MOST_OUTPUT = 16 * 1024 * 1024;
const GRACE_MS = 5_000;
const MOST_SAID = 2_000;
/** What it started and left behind may hold its standard error open forever. */
const PIPE_MS = 250;

/**
 * Runs a program of the admin's, by no shell: `stdin` is given to it whole, its standard output goes nowhere. What it
 * has started is of its process group (not on Windows) unless it leaves it (setsid), and ends with it when its time is up or the
 * signal aborts.
 *
 * Resolves how it ended, never rejects but with the signal's reason, and not before the program is gone.
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
    // An argument that no system takes, such as one that is too long.
    return { how: 'notStarted', said: messageOf(error) };
  }
  const said = new Tail(MOST_SAID);
  child.stderr?.on('data', (chunk: Buffer) => said.add(chunk));
  // A program that does not read what it is given is no trouble of ours.
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

/** In a sentence, to follow the name of the program. */
export function howItEnded(end: ProgramEnd): string {
  switch (end.how) {
    case 'exited':
      return `ended with status ${end.status}`;
    case 'signal':
      return `was ended by ${end.signal}`;
    case 'timedOut':
      return 'took too long and was ended';
    case 'notStarted':
      return `could not be started (${end.said})`;
  }
}

/**
 * What a program of the admin's is given of our own environment: what a process needs to run. Everything else may hold a
 * secret (RECEIPTD_CLIENT_SECRET, HTTPS_PROXY).
 */
const WANTED =
  /^(?:PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|SHELL|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERNAME|USERDOMAIN|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA)$/;

export function plainEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // Windows' names are the same in any case.
  return Object.fromEntries(Object.entries(env).filter(([name]) => WANTED.test(name.toUpperCase())));
}

export interface Ran {
  /** Null: it could not be started, or was ended by a signal. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The code of the system where it could not be started. */
  readonly why: string | null;
}

/** Runs a program of the system to its end, by no shell, and keeps what it says. Never rejects. */
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
      // A signal that could not be delivered is an `error` too, and the program still runs then.
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

/** Asks, then kills: the whole group where there is one. */
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
    // The program is gone; what it has started may not be.
    this.#send('SIGKILL');
  }

  #send(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (this.#platform === 'win32') this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // Nobody of it is left.
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
