import type { Socket } from 'node:net';
import { Client, type buildConnector, type Dispatcher } from 'undici';
import { ClockWatch } from '../core/domain/clockWatch.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { UploadTimeouts } from './uploadTimeouts.ts';

/*
 * One connection to the service, recreated when it ends or grows old:
 *
 *   none ──request──▶ open ──"connection: close" on the first request after its term──▶ none
 *
 * so that a service that has moved is found at its new address, even if the old one still answers. A connection that was idle while
 * the machine slept is dropped: the other end is gone, and a request on it would be lost. undici's own `clientTtl` is no
 * alternative: if every connection of a full pool is over its term, the next request waits forever (seen in 7.30.2).
 */

/** Passed to `exchange` along with a request. */
export interface ConnectionOptions {
  readonly timeouts: UploadTimeouts;
}

interface Socketed {
  socket: Socket | null;
  since: number;
}

/**
 * Clock jump that means the machine slept: our connections are closed before they are idle this long, and clock corrections are
 * smaller.
 */
const SLEPT_MS = 5_000;
/** How long a connection is used before the host name is resolved again. */
const TERM_MS = 5 * 60_000;

export class ServiceConnection extends Client {
  readonly #current: Socketed;
  readonly #clock: Clock;
  readonly #clockWatch: ClockWatch;

  constructor(origin: URL, options: Client.Options & { connect: buildConnector.connector }, clock: Clock) {
    const current: Socketed = { socket: null, since: 0 };
    super(origin, {
      ...options,
      connect: (target: buildConnector.Options, callback: buildConnector.Callback) =>
        options.connect(target, (...made) => {
          current.socket = made[1];
          current.since = clock.monotonic();
          callback(...made);
        }),
    });
    this.#current = current;
    this.#clock = clock;
    this.#clockWatch = new ClockWatch(clock);
  }

  /** Closes the connection if it is idle, so that the next request opens a new one. */
  dropIdle(): void {
    if (this.stats.running === 0) this.#current.socket?.destroy();
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { timeouts } = options as Dispatcher.DispatchOptions & ConnectionOptions;
    if (this.#clockWatch.takeJump() >= SLEPT_MS) this.dropIdle();
    const { socket, since } = this.#current;
    const isOld = socket !== null && !socket.destroyed && this.#clock.monotonic() - since > TERM_MS;
    timeouts.via(() => this.#current.socket);
    return super.dispatch(isOld ? { ...options, reset: true } : options, handler);
  }
}
