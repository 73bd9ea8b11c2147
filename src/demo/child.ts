import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * A child process of the demo.
 *
 *   running ──it ends by itself──▶ ended (onDeath is called)
 *      └─────stop─────▶ stopping ──▶ ended (SIGTERM, then SIGKILL after the grace period)
 */
export interface DemoChild {
  /** Its first line on standard output. */
  firstLine(signal: AbortSignal): Promise<string>;
  /** Resolves when the process has ended. Idempotent. */
  stop(): Promise<void>;
}

export interface ChildOptions {
  /** Name shown to people. */
  readonly name: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Called with each line on standard error; the latest lines are kept for the error message. */
  readonly onLine?: (line: string) => void;
  /** Called with one sentence if the process ends without having been stopped. */
  readonly onDeath: (sentence: string) => void;
}

const STOP_GRACE_MS = 15_000;
const LAST_WORDS = 500;

export function startChild(options: ChildOptions): DemoChild {
  const child = spawn(process.execPath, options.args, {
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    // With a separate process group, Ctrl-C does not reach it directly: a second signal would cut its shutdown short.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (status, signal) => resolve(signal ?? `exit status ${status}`));
  });

  // Leaves nothing running, even if the demo itself fails.
  const atExit = (): boolean => child.kill('SIGTERM');
  process.once('exit', atExit);
  void ended.then(() => process.removeListener('exit', atExit));

  let lastWords = '';
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString()).slice(-LAST_WORDS);
  });
  const lines = createInterface({ input: child.stdout });
  const { onLine } = options;
  if (onLine) createInterface({ input: child.stderr }).on('line', onLine);

  let stopping: Promise<void> | null = null;
  void ended.then((how) => {
    if (stopping !== null) return;
    const words = lastWords.replace(/\s+/g, ' ').trim();
    options.onDeath(`${options.name} ended by itself (${how})${words === '' ? '.' : `: ${words}`}`);
  });

  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const impatient = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    await ended;
    clearTimeout(impatient);
  };

  return {
    async firstLine(signal) {
      const [line]: unknown[] = await once(lines, 'line', { signal });
      return String(line);
    },
    stop: () => (stopping ??= stop()),
  };
}
