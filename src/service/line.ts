import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import { ClockWatch } from '../domain/clockWatch.ts';
import type { Clock } from '../ports/clock.ts';
import type { Patience } from './patience.ts';
import { Client, DecoratorHandler } from './undici.ts';

/*
 * One connection to the service, made anew when it ends or grows old:
 *
 *   none ──request──▶ open ──"connection: close" on the first request after its term──▶ none
 *
 * so that a service which has moved is found at its new address though the old one still answers. One that lay idle while the
 * machine slept is dropped: its other end is gone, and a request into it would be lost. undici's own `clientTtl` does not
 * serve: when every connection of a full pool is over its term, the next request waits for ever (seen in 7.30.2).
 */

/** What `exchange` gives along with a request. */
export interface LineOptions {
  readonly patience: Patience;
}

interface Socketed {
  socket: Socket | null;
  since: number;
}

/** No connection of ours lies idle for so long without being closed, and a clock is not corrected by so much. */
const SLEPT_MS = 5_000;

export class Line extends Client {
  readonly #current: Socketed;
  readonly #clock: Clock;
  readonly #clockWatch: ClockWatch;
  readonly #termMs: number;

  constructor(
    origin: URL,
    options: Client.Options & { connect: buildConnector.connector },
    clock: Clock,
    termMs: number,
  ) {
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
    this.#termMs = termMs;
  }

  /** The next request gets a connection of its own; one that is under way keeps its. */
  dropIdle(): void {
    if (this.stats.running === 0) this.#current.socket?.destroy();
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { patience } = options as Dispatcher.DispatchOptions & LineOptions;
    if (this.#clockWatch.takeJump() >= SLEPT_MS) this.dropIdle();
    const { socket, since } = this.#current;
    const isOld = socket !== null && !socket.destroyed && this.#clock.monotonic() - since > this.#termMs;
    return super.dispatch(
      isOld ? { ...options, reset: true } : options,
      new StartHandler(handler, (controller) => {
        if (this.#current.socket) patience.begin(this.#current.socket, controller);
      }),
    );
  }
}

class StartHandler extends DecoratorHandler {
  readonly #onStart: (controller: Dispatcher.DispatchController) => void;

  constructor(
    inner: Dispatcher.DispatchHandler,
    onStart: (controller: Dispatcher.DispatchController) => void,
  ) {
    super(inner);
    this.#onStart = onStart;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    passOn.onRequestStart?.call(this, controller, context);
    // A signal that was aborted meanwhile is noticed there, and then nothing is sent.
    if (!controller.aborted) this.#onStart(controller);
  }

  /** Interim answers (1xx) say nothing here, and undici's handler takes the head of one answer only. */
  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number, ...rest: HeadRest): void {
    if (statusCode >= 200) passOn.onResponseStart?.call(this, controller, statusCode, ...rest);
  }
}

type HeadRest =
  Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>> extends [
    unknown,
    unknown,
    ...infer Rest,
  ]
    ? Rest
    : never;

/** undici's types leave the methods out. */
const passOn = DecoratorHandler.prototype as Dispatcher.DispatchHandler;
