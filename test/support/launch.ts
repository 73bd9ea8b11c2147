/**
 * Spawns programs from a small process. Forking the test process copies its page tables, and it must fault in afterwards what it writes to:
 * with 500 MB, which tests have after some files, this takes 30 to 100 ms of the processor each time.
 */
import { fork, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('./launcher.mjs', import.meta.url));

interface Told {
  readonly id: number;
  readonly pid?: number;
  readonly error?: { readonly message: string; readonly code: string };
  readonly stream?: 'stdout' | 'stderr';
  readonly data?: Uint8Array;
  readonly exit?: { readonly code: number | null; readonly signal: NodeJS.Signals | null };
  readonly isClosed?: true;
}

export interface LaunchOptions extends Pick<SpawnOptions, 'cwd' | 'uid' | 'gid'> {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: 'ignore' | 'pipe';
}

let launcher: ChildProcess | null = null;
const launched = new Map<number, Launched>();
let last = 0;

/** Like `spawn` with pipes, except that `pid` is known with the event `spawn`, and that output is read as it comes. */
export function launch(
  file: string,
  args: readonly string[],
  { stdin, ...rest }: LaunchOptions,
): ChildProcess {
  const options = { ...rest, stdio: [stdin, 'pipe', 'pipe'] } satisfies SpawnOptions;
  if (process.platform === 'win32') return spawn(file, args, options);
  const child = new Launched((last += 1), stdin);
  launched.set(child.id, child);
  tell({ id: child.id, program: { file, args, options } });
  // It has what the callers of `spawn` use.
  return child as unknown as ChildProcess;
}

function tell(message: object): void {
  launcher ??= begin();
  launcher.send(message);
}

function begin(): ChildProcess {
  const { PATH = '' } = process.env;
  // Without TMPDIR: it outlives the tests, as their own process does.
  const child = fork(LAUNCHER, { serialization: 'advanced', execArgv: [], env: { PATH } });
  child.unref();
  child.channel?.unref();
  return child.on('message', (told: Told) => launched.get(told.id)?.hear(told));
}

class Launched extends EventEmitter {
  readonly id: number;
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly stdin: Writable | null;
  readonly stdout = new Readable({ read() {} });
  readonly stderr = new Readable({ read() {} });

  constructor(id: number, stdin: 'ignore' | 'pipe') {
    super();
    this.id = id;
    this.stdin =
      stdin === 'ignore'
        ? null
        : new Writable({
            write: (input: Uint8Array, _, done) => {
              tell({ id, input });
              done();
            },
            final: (done) => {
              tell({ id, isInputOver: true });
              done();
            },
          });
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    if (!launched.has(this.id)) return false;
    tell({ id: this.id, signal });
    return true;
  }

  hear({ pid, error, stream, data, exit, isClosed }: Told): void {
    if (pid !== undefined) {
      this.pid = pid;
      this.emit('spawn');
    }
    if (error) this.emit('error', Object.assign(new Error(error.message), error));
    if (stream) this[stream].push(data);
    if (exit) {
      ({ code: this.exitCode, signal: this.signalCode } = exit);
      this.emit('exit', exit.code, exit.signal);
    }
    if (isClosed) void this.#close();
  }

  async #close(): Promise<void> {
    launched.delete(this.id);
    await Promise.all(
      [this.stdout, this.stderr].map((stream) => {
        stream.push(null);
        // What nobody reads is dropped.
        if (stream.readableFlowing === null) stream.resume();
        return finished(stream);
      }),
    );
    this.emit('close', this.exitCode, this.signalCode);
  }
}
