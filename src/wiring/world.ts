import type { RememberedFolders } from '../intake/remembered.ts';
import type { ImageBuffers } from '../keeper/imageBuffers.ts';
import type { OpenFolder } from '../keeper/locateBytes.ts';
import type { Config } from '../config/config.ts';
import type { Clock, Random } from '../core/ports/clock.ts';
import type { FolderClaims, FolderHints, ReadBeside } from '../core/ports/folder.ts';
import type { ImageInspector } from '../core/ports/image.ts';
import type { Incidents } from '../core/ports/incident.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Log } from '../core/ports/log.ts';
import type { PageSplitter } from '../core/ports/pages.ts';
import type { ScannedPapers } from '../core/ports/papers.ts';
import type { ReceiptService, TokenSource } from '../core/ports/service.ts';
import type { Spool } from '../core/ports/spool.ts';
import type { DeferredJournal } from '../core/ports/deferredJournal.ts';
import type { Document, EndpointKey } from '../core/domain/document.ts';

export type PipelineConfig = Pick<Config, 'endpoints' | 'folders' | 'spool'> & {
  /** Set in trials, which have few files. */
  readonly intake: Config['intake'] & { readonly comparedApartMs?: number };
  readonly service: Pick<Config['service'], 'uploadContentType'>;
  readonly delivery: Omit<Config['delivery'], 'bandwidth'>;
  readonly storage: Pick<Config['storage'], 'keepFailed'>;
};

/** Everything outside the pipeline that it depends on. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly incidents: Incidents;
  readonly ledger: Ledger;
  readonly spool: Spool;
  /** Holds deferred images while a shared ledger is unavailable; undefined or null: nothing is deferred. */
  readonly deferred?: DeferredJournal | null;
  /** Process-wide, created before `ledger` was opened. */
  readonly remembered: RememberedFolders;
  readonly service: ReceiptService;
  /** Token source of the account that an endpoint uses. */
  readonly tokens: (endpoint: EndpointKey) => TokenSource;
  readonly credentialsChanged: (account: string | null) => Promise<boolean>;
  readonly folders: OpenFolder;
  /** Buffers that `folders` read files into. */
  readonly buffers: ImageBuffers;
  /** Undefined: everything is read in this thread. */
  readonly readBeside?: ReadBeside;
  /** Bytes of images being read and being sent; undefined: as much as suits a computer. */
  readonly memory?: { readonly reading: number; readonly sending: number };
  readonly hints: FolderHints;
  /** Undefined: no other agent can run on this machine. */
  readonly claims?: FolderClaims;
  readonly inspector: ImageInspector;
  /** Value of `{host}` in names. */
  readonly host: string;
  /** Tasks that run beside intake and delivery until the agent stops. */
  readonly background: readonly ((signal: AbortSignal) => Promise<void>)[];
  /** Milliseconds that the machine has been asleep since boot; undefined or null: unknown. */
  readonly asleepMs?: () => number | null;
  /** Milliseconds since boot. */
  readonly upForMs?: () => number;
  /** Called after each acceptance is recorded. */
  readonly onAccepted?: (document: Document) => void;
  /** Cleans up at the end of a single run. */
  readonly tidy?: (signal: AbortSignal) => Promise<void>;
  /** Splits multi-page files; undefined or null: not installed. */
  readonly splitter?: PageSplitter | null;
  /** Undefined or null: papers are not compared. */
  readonly papers?: ScannedPapers | null;
  /** Called for a file in this watched folder that can't be sent as it is. */
  readonly onAmiss?: (folder: string, path: string) => void;
}
