import { Notifier } from '../core/notifier.ts';
import type { FileIdentity } from '../core/domain/document.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Admitted } from '../core/ports/ledgerIntake.ts';
import { FolderDisposal } from './dispose/folderDisposal.ts';
import { NEVER_AWAY, type LedgerAway, type OwnFolder } from './ledgerAway.ts';
import type { FolderClaimDeps } from './presence/folderClaim.ts';
import { FolderTrouble } from './presence/folderTrouble.ts';
import { mountGuard } from './presence/mountGuard.ts';
import { hasCoarseClock } from './presence/mountIdentity.ts';
import { OtherArchiver } from './presence/otherArchiver.ts';
import { Presence, type PresenceDeps } from './presence/presence.ts';
import { FirstListing, type FirstListingDeps } from './scan/firstListing.ts';
import { FolderListings } from './scan/folderListings.ts';
import type { ListingTimesDeps } from './scan/listingTimes.ts';
import { PastRest } from './settle/atRest.ts';
import type { ExamineDeps } from './settle/examine.ts';
import { LedgerSink, type LedgerSinkDeps } from './settle/ledgerSink.ts';
import { Settling } from './settle/settling.ts';
import type { FolderEventsDeps } from './watch/folderEvents.ts';
import { FolderWatch } from './folderWatch.ts';
import { handleHint } from './watch/handleHint.ts';
import { HintQueue } from './watch/hintQueue.ts';

/** Cap on files of one folder that are in memory because they are not at rest yet. */
const SETTLING_CAPACITY = 500;
/**
 * Minimum age of a change before the file is read, on a file system with a coarse clock, so that a later write gets another
 * timestamp. Otherwise a scanner that overwrites a file within the same tick, with the same size, would leave it as the
 * ledger knows it, and the second scan would be missed.
 */
const COARSE_QUIET_MS = 2_000;

export interface IntakeDeps
  extends
    Omit<ExamineDeps, 'settling' | 'sink' | 'lookAtMount' | 'mark' | 'onNote'>,
    Omit<LedgerSinkDeps, 'lookAtMount'>,
    Pick<FolderEventsDeps, 'hints' | 'watchLimit'>,
    Pick<FolderClaimDeps, 'claims' | 'takeOverAfterMs'>,
    Pick<PresenceDeps, 'folderTimes'>,
    Pick<FirstListingDeps, 'confirmAbove'>,
    ListingTimesDeps {
  /** Stands in for an unreachable shared ledger. Left out if this agent has its own ledger. */
  readonly ledgerAway?: ((folder: OwnFolder) => LedgerAway) | undefined;
  readonly incidents: Incidents;
  /** Milliseconds since the machine was started. */
  readonly upForMs?: (() => number) | undefined;
  /** A file was noted instead of sent, for example as rejected or unreadable. */
  readonly onAmiss?: (path: string) => void;
}

export type FolderStages = ReturnType<typeof createStages>;

/** Puts the stages of one folder's intake together. */
export function createStages(deps: IntakeDeps) {
  const { folder, settings, clock, ledger } = deps;
  const settling = new Settling(clock, settings.settle, SETTLING_CAPACITY);
  const pastRest = new PastRest(clock, deps.upForMs?.() ?? Infinity);
  /** Wakes the loop that settles files. */
  const settleNotifier = new Notifier(clock);
  /** Wakes the loop that watches the folder. */
  const notifier = new Notifier(clock);
  const onSeen = (): void => settleNotifier.notify();
  const away = deps.ledgerAway?.({ folder, settings, settling, onSeen }) ?? NEVER_AWAY;
  const trouble = new FolderTrouble(settings.path, deps.incidents);
  const presence = new Presence({
    ...deps,
    trouble,
    away,
    onFileSystem: (found) => {
      settling.quietAtLeastMs = hasCoarseClock(found) ? COARSE_QUIET_MS : 0;
    },
  });
  const otherArchiver = new OtherArchiver({
    ...deps,
    onProven: (paths, archivedTo) => trouble.takenElsewhere(paths, archivedTo),
  });
  const listings = new FolderListings({
    ...deps,
    settling,
    isInPlace: () => presence.isInPlace(),
    restedMs: (identity: FileIdentity) => pastRest.ms(identity, presence.fileSystem),
    beside: (list) => hintQueue.during(list),
    // Disposals that a crash interrupted, and duplicates of documents from other folders.
    onWhole: () => disposal.soon(),
    onUnlisted: (directories) => trouble.unlisted(directories),
    onUnwatched: (subfolders) => trouble.unwatched(subfolders),
    onSeen,
    onGone: (paths) => otherArchiver.missing(paths),
    onIdentity: (identity) => away.compared(identity),
    onBadName: (path) => deps.onAmiss?.(path),
    cameBeforeFirstWatch: (identity) => away.cameBeforeFirstWatch(identity, presence.times),
    hasTaken: (file, identity) => away.hasTaken(file, identity),
  });
  const disposal = new FolderDisposal({
    ...deps,
    isLookedThroughSince: (at) => listings.progress.isThroughSince(at),
    onMissing: (path) => otherArchiver.missing([path]),
    onStuck: (path, code) => trouble.originalsStay({ path, code, afterUpload: settings.afterUpload }),
    onNoneStuck: () => trouble.originalsStay(null),
  });
  /** Whether files have to wait, because the ledger can't be written and nothing replaces it meanwhile. */
  const mustWait = (): boolean => ledger.storage.trouble() !== null && !away.isOn;
  const hintQueue = new HintQueue({
    clock,
    handleHint: (path) =>
      away.isOn ? away.handleHint(path, presence.times) : handleHint(path, listings.deps),
    onHandled: onSeen,
    onMissed: () => listings.forgetDirectories(),
    mayHandle: () => !mustWait(),
  });
  const first = new FirstListing({ ...deps, presence, trouble, listings, disposal });
  const watch = new FolderWatch({
    ...deps,
    presence,
    away,
    settling,
    hintQueue,
    first,
    listings,
    disposal,
    notifier,
  });
  const lookAtMount = (): Promise<void> => presence.lookAtMount();
  const onAdmitted = (admitted: Admitted): void => {
    otherArchiver.admitted(admitted);
    deps.onAdmitted(admitted);
  };
  const sink = away.sinkOver(new LedgerSink({ ...deps, lookAtMount, onAdmitted }));
  const examineDeps: ExamineDeps = {
    ...deps,
    sink,
    folder: mountGuard(
      folder,
      (file) => sink.knows(file),
      () => presence.isInPlace(),
    ),
    settling,
    lookAtMount,
    mark: () => presence.fileSystem?.mark ?? null,
    onNote: (verdict, path) => {
      deps.onAmiss?.(path);
      // If settling does not retry it, every listing has to.
      if (verdict === 'unreadable' && !settling.has(path)) listings.forgetDirectories();
    },
  };
  return {
    settling,
    pastRest,
    settleNotifier,
    notifier,
    away,
    trouble,
    presence,
    listings,
    disposal,
    mustWait,
    first,
    watch,
    examineDeps,
  };
}
