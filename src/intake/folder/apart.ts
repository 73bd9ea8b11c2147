import { fork, type ChildProcess } from 'node:child_process';
import { systemCode, systemError } from '../../core/domain/errors.ts';
import type { ListedDirectory, WatchedFolder } from '../../core/ports/folder.ts';
import type { ScopeOptions } from './scope.ts';

/** What the process has to know of a folder. */
export interface ApartOptions extends Omit<ScopeOptions, 'folder' | 'mounts'> {
  readonly path: string;
  readonly archiveTo: string;
  readonly watched: readonly string[];
  readonly stateDir: string;
  /** The mount point whose paths it is asked about. */
  readonly mount: string;
}

/** What can be called there. A listing is called one batch at a time. */
type Method = Exclude<keyof WatchedFolder, 'path' | 'covers' | 'list'> | 'open' | 'next' | 'close';

interface Call {
  readonly id: number;
  readonly method: Method;
  readonly args: readonly unknown[];
}

type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly code: string | null; readonly message: string } };

/** Idle time after which the process is ended, to free its memory. */
const IDLE_MS = 60_000;

/**
 * A folder on a file system that may hang, in a process of its own: the threads of a process are shared by all its file calls, and one
 * that is stuck in a call keeps the process from ending.
 *
 *   none ──call──▶ running ──nothing asked for a minute, it ends, or the agent ends: SIGKILL──▶ none
 *
 * There, the folder is opened as it would be here, and its guard (guarded.ts) tells when it is silent. Bytes come through the channel.
 */
export class FolderApart {
  readonly #program: string;
  readonly #options: ApartOptions;
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  #child: ChildProcess | null = null;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  /** `program`: the built wiring/folderProcess.ts. */
  constructor(program: string, options: ApartOptions) {
    this.#program = program;
    this.#options = options;
  }

  /** Of the process that runs, if one does. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Ends the process; the next call starts another one. */
  end(): void {
    this.#child?.kill('SIGKILL');
  }

  /** `covers`: the folder's own, which needs no file system. */
  folder(covers: WatchedFolder['covers']): WatchedFolder {
    const call = <T>(method: Method, ...args: readonly unknown[]): Promise<T> => this.#call<T>(method, args);
    return {
      path: this.#options.path,
      covers,
      availability: () => call('availability'),
      // Nothing there has a stamp, so that no directory could be passed over.
      list: (under = '', signal) => this.#list(under, signal),
      unwatched: () => call('unwatched'),
      stat: (path) => call('stat', path),
      statEach: (dir, names) => call('statEach', dir, names),
      read: (path, limit, { signal, size } = {}) => until(signal, call('read', path, limit, { size })),
      unwritable: (to) => call('unwritable', to),
      setAside: (path) => call('setAside', path),
      putBack: (aside, path) => call('putBack', aside, path),
      archive: (aside, path) =>
        call<string>('archive', aside, path).catch((error: unknown) => {
          // Otherwise it would go on once the share answers, after the original was put back.
          if (systemCode(error) === 'ETIMEDOUT') this.end();
          throw error;
        }),
      findArchived: (path, size, sha256) => call('findArchived', path, size, sha256),
      discard: (aside) => call('discard', aside),
      leftAside: (signal) => until(signal, call('leftAside')),
    };
  }

  async *#list(under: string, signal: AbortSignal | undefined): AsyncGenerator<ListedDirectory> {
    const listing = await this.#call<number>('open', [under]);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const next = await until(signal, this.#call<IteratorResult<ListedDirectory>>('next', [listing]));
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      if (this.#child !== null) this.#call('close', [listing]).catch(() => {});
    }
  }

  #call<T>(method: Method, args: readonly unknown[]): Promise<T> {
    clearTimeout(this.#idle);
    const child = (this.#child ??= this.#start());
    const id = (this.#lastId += 1);
    const call: Call = { id, method, args };
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      // While it is asked for something, it keeps this process alive.
      child.channel?.ref();
      child.send(call, (error) => {
        if (error) this.#ended(child);
      });
    });
  }

  #start(): ChildProcess {
    // One that is stuck in a call hears neither a signal that it may refuse nor the end of the channel.
    if (running.size === 0) process.once('exit', endAll);
    const child = fork(this.#program, [JSON.stringify(this.#options)], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--max-semi-space-size=1'],
      // The agent's own may hold secrets.
      env: {},
    });
    running.add(child);
    child.unref();
    child.on('message', (reply) => this.#answered(reply as Reply));
    child.on('exit', () => this.#ended(child)).on('error', () => this.#ended(child));
    return child;
  }

  #answered(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('value' in reply) waiting?.resolve(reply.value);
    else {
      const { code, message } = reply.error;
      waiting?.reject(code === null ? new Error(message) : systemError(code, message));
    }
    if (this.#waiting.size > 0) return;
    this.#child?.channel?.unref();
    // A new process would have to wait once more until it knows that the file system does not answer.
    if ('error' in reply && reply.error.code === 'ETIMEDOUT') return;
    this.#idle = setTimeout(() => this.#child?.kill('SIGKILL'), IDLE_MS).unref();
  }

  /** The next call starts another one. */
  #ended(child: ChildProcess): void {
    running.delete(child);
    if (running.size === 0) process.off('exit', endAll);
    if (this.#child !== child) return;
    this.#child = null;
    child.kill('SIGKILL');
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(systemError('EIO', 'folderProcess ended'));
  }
}

const running = new Set<ChildProcess>();

function endAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** Serves one folder to the process that started this one; ends with it, even if a call hangs. */
export function serveFolder(open: (options: ApartOptions) => WatchedFolder, channel: FolderChannel): void {
  const folder = open(JSON.parse(channel.argv) as ApartOptions);
  const listings = new Map<number, AsyncIterator<ListedDirectory>>();
  let lastListing = 0;
  const run = async ({ method, args }: Call): Promise<unknown> => {
    if (method === 'open') {
      const [under] = args as [string];
      listings.set((lastListing += 1), folder.list(under)[Symbol.asyncIterator]());
      return lastListing;
    }
    const listing = args[0] as number;
    if (method === 'next') return listings.get(listing)?.next() ?? { done: true, value: undefined };
    if (method === 'close') return void listings.delete(listing);
    const own = folder[method] as (...all: readonly unknown[]) => Promise<unknown>;
    return own(...args);
  };
  channel.onMessage((message) => {
    const call = message as Call;
    run(call).then(
      (value) => channel.send({ id: call.id, value } satisfies Reply),
      (error: unknown) => {
        const said = error instanceof Error ? error.message : String(error);
        channel.send({
          id: call.id,
          error: { code: systemCode(error) ?? null, message: said },
        } satisfies Reply);
      },
    );
  });
  channel.onDisconnect();
}

/** The child's side of the channel. */
export interface FolderChannel {
  /** The options, as JSON. */
  readonly argv: string;
  send(reply: unknown): void;
  onMessage(listener: (call: unknown) => void): void;
  /** Ends the process with the one that started it, and with nothing else. */
  onDisconnect(): void;
}

function until<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
