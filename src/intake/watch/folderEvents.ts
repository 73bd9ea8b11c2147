import { describeError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { FolderHints } from '../../core/ports/folder.ts';
import type { Log } from '../../core/ports/log.ts';
import type { FolderSettings } from '../../core/domain/settings.ts';
import type { WatchLimit } from './watchLimit.ts';

/** Retry interval after events failed; if the cause is a system limit, it may have been raised meanwhile. */
const WATCH_AGAIN_MS = 5 * 60_000;

export interface FolderEventsDeps {
  readonly hints: FolderHints;
  readonly settings: Pick<FolderSettings, 'path' | 'recursive'>;
  readonly watchLimit: WatchLimit;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Watches one folder for events:
 *
 *   none ──begin──▶ heard ──limit, error──▶ missed ──every 5 minutes, if that works──▶ heard
 *     ▲               └──────────end──────────┘
 *
 * Shares, and folders configured for polling, have no events. While events are missed, the folder has to be polled.
 */
export class FolderEvents {
  readonly #deps: FolderEventsDeps;
  readonly #onHint: (path: string, isDirectory?: boolean) => void;
  #watch: { close(): Promise<void> } | null = null;
  #state: 'none' | 'heard' | 'missed' = 'none';
  #begunAt = 0;
  /** The failure was logged; not repeated until events work again. */
  #isSaid = false;

  constructor(deps: FolderEventsDeps, onHint: (path: string, isDirectory?: boolean) => void) {
    this.#deps = deps;
    this.#onHint = onHint;
  }

  get areMissed(): boolean {
    return this.#state === 'missed';
  }

  async begin(): Promise<void> {
    const { settings, hints, watchLimit, clock } = this.#deps;
    this.#begunAt = clock.monotonic();
    this.#state = 'heard';
    const missed = (error: unknown): null => {
      this.#state = 'missed';
      this.#say(error);
      return null;
    };
    this.#watch = await hints.watch(settings.path, settings.recursive, this.#onHint, missed).catch(missed);
    if (this.areMissed) return;
    this.#isSaid = false;
    watchLimit.over(settings.path);
  }

  /** Watches again if events are missed and the retry interval is over. True if it tried. */
  async tryAgain(): Promise<boolean> {
    const isDue = this.#deps.clock.monotonic() >= this.#begunAt + WATCH_AGAIN_MS;
    if (this.#state !== 'missed' || !isDue) return false;
    await this.#watch?.close();
    await this.begin();
    return true;
  }

  async end(): Promise<void> {
    this.#state = 'none';
    await this.#watch?.close();
    this.#watch = null;
  }

  #say(error: unknown): void {
    const { settings, watchLimit, log } = this.#deps;
    const fields = { folder: settings.path, ...describeError(error) };
    // The absence of the folder is reported elsewhere.
    if (watchLimit.reached(settings.path, error) || fields.code === 'FOLDER_MISSING') {
      log.debug('noFolderEvents', fields);
    } else if (!this.#isSaid) {
      this.#isSaid = true;
      log.error('folderEventsUnreliable', fields);
    }
  }
}
