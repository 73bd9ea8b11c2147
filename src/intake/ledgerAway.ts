import type { FileIdentity } from '../core/domain/document.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import type { Notifier } from '../core/notifier.ts';
import type { WatchedFolder } from '../core/ports/folder.ts';
import type { Times } from './presence/presence.ts';
import type { AdmissionSink } from './settle/admissionSink.ts';
import type { Settling } from './settle/settling.ts';
import type { HintQueue } from './watch/hintQueue.ts';

export interface Round extends Times {
  readonly hints: HintQueue;
  /** Wakes the loop that watches the folder. */
  readonly notifier: Notifier;
  /** Whether the watched folder is still the same one; checked before each round. */
  readonly isStill: () => Promise<boolean>;
  readonly isPolled: () => boolean;
}

/** The parts of a folder's intake that `LedgerAway` needs. */
export interface OwnFolder {
  readonly folder: WatchedFolder;
  readonly settings: FolderSettings;
  readonly settling: Settling;
  readonly onSeen: () => void;
}

/** Replaces the shared ledger for one folder while it is unreachable (offline/offlineFolder.ts). */
export interface LedgerAway {
  /** Whether the ledger is unreachable and this replaces it. */
  readonly isOn: boolean;
  /** A sink that uses `ledger` while that is reachable. */
  sinkOver(ledger: AdmissionSink): AdmissionSink;
  /** Watches without the ledger until it is back, the folder was replaced, or `signal` aborts. */
  watch(round: Round, signal: AbortSignal): Promise<void>;
  /** Handles one hint; resolves a directory that has to be listed too, or null. */
  handleHint(path: string, times: Times): Promise<string | null>;
  /** A file was compared with the ledger. */
  compared(identity: FileIdentity): void;
  /** Whether this version of the file was taken, even if it may not be in the ledger yet. */
  hasTaken(path: string, identity: FileIdentity): boolean;
  /** Whether a file certainly arrived while the folder's first watch waited for the ledger. */
  cameBeforeFirstWatch(identity: FileIdentity, times: Times): boolean;
  /** The folder is present, but its first watch has to wait for the ledger. */
  holdUp(): void;
  /** The folder no longer waits for the ledger. */
  letGo(): void;
}

/** For an agent with its own ledger. */
export const NEVER_AWAY: LedgerAway = {
  isOn: false,
  sinkOver: (ledger) => ledger,
  watch: () => Promise.resolve(),
  handleHint: () => Promise.resolve(null),
  compared: () => {},
  hasTaken: () => false,
  cameBeforeFirstWatch: () => false,
  holdUp: () => {},
  letGo: () => {},
};
