import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  startSandbox,
  type FaultRule,
  type Sandbox,
  type SandboxOptions,
  type StoredDocument,
} from '../../../src/sandbox/server.ts';
import type { Event } from '../../oracle/evidence.ts';
import { pause } from './agentProcess.ts';
import type { Dice } from './dice.ts';
import { CLIENT, ENDPOINTS } from './office.ts';

/** An upload request as the service saw it; monotonic milliseconds. */
export interface Upload {
  readonly arrivedAt: number;
  readonly uid: string;
  readonly name: string;
  /** Status of its answer; null if there was none. */
  readonly status: number | null;
  readonly fault: string | null;
}

/** The sandbox that all campaigns send to. It records the uploads, and can be away for a while. */
export class Service {
  readonly uploads: Upload[] = [];
  /** The most uploads at once, by endpoint and for `all`. */
  readonly mostAtOnce: Record<string, number> = {};
  readonly #stalls = monitorEventLoopDelay({ resolution: 5 });
  readonly #options: SandboxOptions;
  #sandbox: Sandbox | null = null;
  #answersLeft = 0;
  #onAnswer: () => void = () => {};

  private constructor(dir: string, dice: Dice, more: Partial<SandboxOptions>) {
    this.#options = {
      dir,
      credentials: CLIENT,
      endpoints: ENDPOINTS,
      random: () => dice.next(),
      onRequest: ({ route, path, name, ending, tookMs, fault }) => {
        if (route !== 'upload' || name === null) return;
        const uid = /^\/v2\/endpoints\/([^/]+)\//.exec(path)?.[1] ?? '';
        const status = typeof ending === 'number' ? ending : null;
        this.uploads.push({ arrivedAt: performance.now() - tookMs, uid, name, status, fault });
        if (status !== null && (this.#answersLeft -= 1) === 0) this.#onAnswer();
      },
      ...more,
    };
    this.#stalls.enable();
  }

  static async start(dir: string, dice: Dice, more: Partial<SandboxOptions> = {}): Promise<Service> {
    const service = new Service(dir, dice, more);
    service.#sandbox = await startSandbox(service.#options);
    return service;
  }

  get sandbox(): Sandbox {
    if (this.#sandbox === null) throw new Error('The service has not started.');
    return this.#sandbox;
  }

  /** Replaces all faults. */
  misbehave(rules: readonly FaultRule[]): void {
    this.sandbox.behave();
    this.sandbox.misbehave(...rules);
  }

  /** Refuses every connection for this long. */
  async away(ms: number, signal: AbortSignal): Promise<void> {
    const { port } = this.sandbox;
    await this.#end();
    await pause(ms, signal);
    this.#sandbox = await startSandbox({ ...this.#options, port });
  }

  received(): StoredDocument[] {
    return this.sandbox.received();
  }

  /** Resolves at the n-th answer from now. */
  answer(nth: number): Promise<void> {
    this.#answersLeft = nth;
    return new Promise((resolve) => (this.#onAnswer = resolve));
  }

  /** The longest delay in this process's noticing of arrivals, since it was last asked with `isAnew`. */
  stallMs(isAnew = false): number {
    const ms = this.#stalls.max / 1e6;
    if (isAnew) this.#stalls.reset();
    return ms;
  }

  async close(): Promise<void> {
    this.#stalls.disable();
    await this.#end();
  }

  async #end(): Promise<void> {
    await this.sandbox.close();
    const { maxConcurrentUploads, maxConcurrentUploadsByEndpoint } = this.sandbox.stats();
    const most = { ...maxConcurrentUploadsByEndpoint, all: maxConcurrentUploads };
    for (const [who, count] of Object.entries(most))
      this.mostAtOnce[who] = Math.max(this.mostAtOnce[who] ?? 0, count);
  }
}

/** An upload for the oracle. */
export function* requestOf(
  { arrivedAt: at, uid, name, status }: Upload,
  more: {
    readonly id: number;
    readonly life: number;
    readonly mayBeLate?: boolean;
    readonly reached: boolean | null;
  },
): Generator<Event> {
  const { id, life, mayBeLate = false, reached } = more;
  yield { kind: 'request', request: { id, uid, name, sha256: null, askedAt: at, at, life, mayBeLate } };
  yield { kind: 'answer', id, at, answer: { status, isRecord: status === 200, reached } };
}
