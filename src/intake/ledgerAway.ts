import type { FileIdentity } from '../core/domain/document.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import type { Notifier } from '../core/notifier.ts';
import type { WatchedFolder } from '../core/ports/folder.ts';
import type { AdmissionSink } from './settle/admissionSink.ts';
import type { Settling } from './settle/settling.ts';
import type { HintQueue } from './watch/hintQueue.ts';

/** The times of the files in a folder. */
export interface Times {
  /** They are another machine's. */
  readonly areForeign: boolean;
  /** They are kept no finer than two seconds. */
  readonly areCoarse: boolean;
}

export interface Round extends Times {
  readonly hints: HintQueue;
  /** Of whoever watches the folder. */
  readonly notifier: Notifier;
  /** Whether the folder is still the one that is watched; asked before each round. */
  readonly isStill: () => Promise<boolean>;
  readonly isPolled: () => boolean;
}

/** The intake of one folder, for what stands in for its ledger. */
export interface OwnFolder {
  readonly folder: WatchedFolder;
  readonly settings: FolderSettings;
  readonly settling: Settling;
  readonly onSeen: () => void;
}

/** What one folder does while its ledger cannot be asked what it knows of it (offline/offlineFolder.ts). */
export interface LedgerAway {
  /** Whether it is away, and something stands in for it. */
  readonly isOn: boolean;
  /** Where files go: into `ledger` while that is there. */
  sinkOver(ledger: AdmissionSink): AdmissionSink;
  /** Watches without the ledger until it is back, the folder is another, or `signal` aborts. */
  watch(round: Round, signal: AbortSignal): Promise<void>;
  /** Follows one hint; resolves the directory that should be listed as well, null where there is nothing of ours. */
  handleHint(path: string, times: Times): Promise<string | null>;
  /** A file was compared with the ledger. */
  compared(identity: FileIdentity): void;
  /** Whether this file, as it is, was taken and may not be in the ledger yet. */
  hasTaken(path: string, identity: FileIdentity): boolean;
  /** Whether a file surely came while the folder's first watch waited for the ledger. */
  cameBeforeFirstWatch(identity: FileIdentity, times: Times): boolean;
  /** The first watch of a folder that is there waits for the ledger. */
  holdUp(): void;
  /** Nothing of the folder waits for the ledger. */
  letGo(): void;
}

/** A ledger of this agent's own. */
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
