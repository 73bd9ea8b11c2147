import { asReceiptdError, type ReceiptdError } from '../core/domain/errors.ts';
import { conditionOf } from '../core/domain/problem.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Log } from '../core/ports/log.ts';
import type { Listener } from './listen.ts';

export interface ListeningDeps<Settings> {
  /** Name in its incident and in the log. */
  readonly name: string;
  /** Code for errors that are not ReceiptdErrors. */
  readonly code: Listener['code'];
  readonly settings: Settings;
  /** A key that changes if the server must be restarted for the new settings; null if it must not listen. */
  readonly placeOf: (settings: Settings) => string | null;
  /** Whether it listens without being asked to by `open`; left out: whenever `placeOf` is not null. */
  readonly isWanted?: (settings: Settings) => boolean;
  readonly listen: (settings: Settings) => Promise<ListeningServer<Settings>>;
  readonly incidents: Incidents;
  readonly log: Log;
  readonly clock: Clock;
}

export interface ListeningServer<Settings> {
  /** For example, `http://127.0.0.1:8472`. */
  readonly url: string;
  /** Applies settings that can change while it listens. */
  readonly take?: (settings: Settings) => Promise<void>;
  readonly close: () => Promise<void>;
}

const TRY_EVERY_MS = 2_000;

/**
 * A server that the agent can run without: if it can't listen, opens an incident and retries.
 *
 *   silent ──start──▶ listening ──take with another place──▶ silent ──▶ listening there
 *      └── failed: retried ───────────┘         any ──close──▶ silent, for good
 */
export class Listening<Settings> {
  readonly #deps: ListeningDeps<Settings>;
  readonly #closed = new AbortController();
  #settings: Settings;
  #server: ListeningServer<Settings> | null = null;
  // Serializes operations; otherwise two servers could listen.
  #turn: Promise<unknown> = Promise.resolve();
  #trying: Promise<void> | null = null;

  constructor(deps: ListeningDeps<Settings>) {
    this.#deps = deps;
    this.#settings = deps.settings;
  }

  /** The URL on which it listens; null if it does not. */
  get url(): string | null {
    return this.#server?.url ?? null;
  }

  /** Starts listening if the settings say so. Never rejects. */
  async start(): Promise<void> {
    if (!(await this.#inTurn(() => this.#attempt()))) this.#keepTrying();
  }

  /** Starts listening on request and calls `use` with the URL. @throws the reason if it can't listen */
  open<T>(use: (url: string) => T): Promise<T> {
    return this.#inTurn(async () => {
      const { url } = this.#server ?? (await this.#listen());
      return use(url);
    });
  }

  /** Applies settings in the background, so that a request over this very server still gets its answer. */
  take(settings: Settings): void {
    const { placeOf, incidents, log, name } = this.#deps;
    const stays = placeOf(this.#settings) === placeOf(settings);
    this.#settings = settings;
    void (async () => {
      if (stays) await this.#inTurn(async () => this.#server?.take?.(settings));
      else {
        incidents.close(name);
        await this.#inTurn(() => this.#silence());
      }
      await this.start();
    })().catch((error: unknown) =>
      log.error('changedSettingsNotApplied', { server: name, why: String(error) }),
    );
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#inTurn(() => this.#silence());
    await this.#trying;
  }

  /** @returns true if it listens, or does not have to */
  async #attempt(): Promise<boolean> {
    const { name, placeOf, isWanted = (settings) => placeOf(settings) !== null, incidents } = this.#deps;
    if (this.#closed.signal.aborted || this.#server !== null || !isWanted(this.#settings)) return true;
    try {
      await this.#listen();
      return true;
    } catch (error) {
      const known = this.#known(error);
      incidents.open({ key: name, ...conditionOf(known.facts()) });
      return false;
    }
  }

  async #listen(): Promise<ListeningServer<Settings>> {
    const { name, listen, incidents, log } = this.#deps;
    this.#server = await listen(this.#settings);
    incidents.close(name);
    log.info('serverListening', { server: name, url: this.#server.url });
    return this.#server;
  }

  #known(error: unknown): ReceiptdError {
    const { name, code } = this.#deps;
    return asReceiptdError(error, `${code}.notOpened`, { name, detail: String(error) });
  }

  #keepTrying(): void {
    const { clock } = this.#deps;
    this.#trying ??= (async () => {
      do await clock.sleep(TRY_EVERY_MS, this.#closed.signal).catch(() => {});
      while (!(await this.#inTurn(() => this.#attempt())));
      this.#trying = null;
    })();
  }

  async #silence(): Promise<void> {
    const was = this.#server;
    this.#server = null;
    await was?.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}
