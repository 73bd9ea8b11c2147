import type { FileIdentity } from '../../core/domain/document.ts';
import { describeError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import type { OfflineMode } from './offlineMode.ts';
import type { FolderSeenSince } from './seenSince.ts';
import { TICK_MS } from '../settle/atRest.ts';
import { dirOf, nameOf, pathOf } from '../../core/paths.ts';
import type { LedgerAway, OwnFolder, Round } from '../ledgerAway.ts';
import type { Times } from '../presence/presence.ts';
import type { AdmissionSink } from '../settle/admissionSink.ts';
import { OfflineSink } from './offlineSink.ts';

export interface OfflineFolderDeps extends OwnFolder {
  readonly offline: OfflineMode;
  readonly clock: Clock;
  readonly log: Log;
  readonly reconcileEveryMs: number;
  readonly pollEveryMs: number;
}

const LOOK_EVERY_MS = 2_000;
/** Minimum pause after a listing, as a multiple of its duration: limits the load of a large folder. */
const PAUSE_FACTOR = 20;
const NAMES_AT_ONCE = 256;
/** Resolution of the coarsest file system clock (vfat). */
const SAME_TIME_NS = 2_000_000_000n;
const TICK_NS = BigInt(TICK_MS) * 1_000_000n;
const NEVER = 1n << 80n;

/**
 * Watches one folder while the ledger is away. Files can't be compared with the ledger then, so events and change times
 * (ctime) tell which are new. New files that neither reveals are found by the listing once the ledger is back.
 *
 * Change times in a local folder are compared with the local clock; those on a share, which has its own clock, with the
 * latest one seen there before.
 */
export class OfflineFolder implements LedgerAway {
  readonly #deps: OfflineFolderDeps;
  /** An event reported a file for which there was no room. */
  #hasMissed = false;

  constructor(deps: OfflineFolderDeps) {
    this.#deps = deps;
  }

  get isOn(): boolean {
    return this.#deps.offline.isOn;
  }

  sinkOver(ledger: AdmissionSink): AdmissionSink {
    return new OfflineSink(ledger, this.#deps.offline, this.#deps.settings);
  }

  /** Raises the latest change time. If no file was ever compared, the first listing while offline sets it. */
  compared({ ctimeNs }: FileIdentity): void {
    const seenSince = this.#seenSince;
    if (seenSince.latestNs === null || ctimeNs > seenSince.latestNs) seenSince.latestNs = ctimeNs;
  }

  cameBeforeFirstWatch({ ctimeNs }: FileIdentity, times: Times): boolean {
    const { isHeldUp, latestNs } = this.#seenSince;
    if (!isHeldUp) return false;
    // On a share without the tolerance of `#since`, which would include the latest of its old files.
    return times.areForeign ? latestNs !== null && ctimeNs > latestNs : ctimeNs > this.#since(times);
  }

  async watch(round: Round, signal: AbortSignal): Promise<void> {
    const { offline, clock } = this.#deps;
    const { hints, notifier } = round;
    const over = new AbortController();
    const deaf = offline.onChange(() => {
      if (!offline.isOn) over.abort();
      notifier.notify();
    });
    const until = AbortSignal.any([signal, over.signal]);
    try {
      let listAt = clock.monotonic();
      while (offline.isOn && !signal.aborted && (await round.isStill())) {
        await hints.work();
        const dirs = hints.takeDirs();
        if (clock.monotonic() >= listAt || this.#hasMissed) {
          const from = clock.monotonic();
          this.#hasMissed = false;
          await this.#list('', round, until);
          const { pollEveryMs, reconcileEveryMs } = this.#deps;
          const every = round.isPolled() ? pollEveryMs : reconcileEveryMs;
          listAt = clock.monotonic() + Math.max(every, (clock.monotonic() - from) * PAUSE_FACTOR);
        } else for (const dir of dirs) await this.#list(dir, round, until);
        if (!offline.isOn) break;
        const nextIn = Math.min(LOOK_EVERY_MS, listAt - clock.monotonic());
        if (!hints.hasPaths) await notifier.wait(Math.max(0, nextIn), signal);
      }
    } catch (error) {
      if (!over.signal.aborted) throw error;
    } finally {
      deaf();
    }
  }

  async handleHint(path: string, times: Times): Promise<string | null> {
    const { folder, settings, settling } = this.#deps;
    const found = await folder.stat(path).catch(() => undefined);
    if (found?.kind === 'other') return settings.recursive ? path : null;
    if (found === undefined || !folder.covers(path)) return null;
    if (found === null || found.identity.ctimeNs <= this.#since(times)) return dirOf(path);
    if (settling.has(path) || settling.hasRoomBeside) this.#see(path, found.identity);
    else this.#hasMissed = true;
    return dirOf(path);
  }

  hasTaken(path: string, identity: FileIdentity): boolean {
    return this.#deps.offline.decided.hasDeferred(this.#deps.settings.path, path, identity);
  }

  holdUp(): void {
    this.#seenSince.isHeldUp = true;
  }

  letGo(): void {
    this.#seenSince.isHeldUp = false;
  }

  async #list(under: string, round: Round, signal: AbortSignal): Promise<void> {
    const { folder, settling, log } = this.#deps;
    const since = this.#since(round);
    let latest = 0n;
    try {
      for await (const { dir, files } of folder.list(under, signal)) {
        for (let start = 0; start < files.length; start += NAMES_AT_ONCE) {
          await settling.room(signal);
          const names = files.slice(start, start + NAMES_AT_ONCE).map(({ path }) => nameOf(path));
          for (const [at, found] of (await folder.statEach(dir, names)).entries()) {
            if (found?.kind !== 'file') continue;
            const { ctimeNs } = found.identity;
            if (ctimeNs > latest) latest = ctimeNs;
            if (ctimeNs > since) this.#see(pathOf(dir, names[at] ?? ''), found.identity);
          }
          signal.throwIfAborted();
        }
      }
    } catch (error) {
      // A subdirectory may have come and gone; an error of the folder itself is not ignored.
      if (under === '' || signal.aborted) throw error;
      log.debug('directoryNotListed', { path: under, ...describeError(error) });
    }
    if (under === '') this.#seenSince.latestNs ??= latest;
  }

  /** Files changed later are new, by the folder's clock. Subtracts its resolution: a file from just after may look older. */
  #since({ areForeign, areCoarse }: Times): bigint {
    if (!areForeign) {
      const since = BigInt(this.#seenSince.since) * 1_000_000n;
      return since - (areCoarse ? SAME_TIME_NS : TICK_NS);
    }
    // If no file was ever compared, the listing once the ledger is back handles the existing ones.
    const { latestNs } = this.#seenSince;
    return latestNs === null ? NEVER : latestNs - SAME_TIME_NS;
  }

  get #seenSince(): FolderSeenSince {
    const { offline, settings } = this.#deps;
    return offline.seenSince(settings.path);
  }

  #see(path: string, identity: FileIdentity): void {
    const { settings, settling, offline, onSeen } = this.#deps;
    if (offline.decided.has(settings.path, path, identity)) return;
    settling.see(path, identity, 'fresh');
    onSeen();
  }
}
