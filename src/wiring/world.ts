import type { SeenSince } from '../intake/offline/seenSince.ts';
import type { FolderTimes } from '../intake/presence/folderState.ts';
import type { ImageBuffers } from '../delivery/payload/imageBuffers.ts';
import type { OpenFolder } from '../delivery/payload/locateBytes.ts';
import type { Config } from '../config/config.ts';
import type { Clock, Random } from '../core/ports/clock.ts';
import type { FolderClaims, FolderHints } from '../core/ports/folder.ts';
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
  /** Trials have few files. */
  readonly intake: Config['intake'] & { readonly comparedApartMs?: number };
  readonly service: Pick<Config['service'], 'uploadContentType'>;
  readonly delivery: Omit<Config['delivery'], 'bandwidth'>;
  readonly storage: Pick<Config['storage'], 'keepFailedMs'>;
};

/** All that the pipeline has of the world. */
export interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly incidents: Incidents;
  readonly ledger: Ledger;
  readonly spool: Spool;
  /** Takes what is deferred while a shared ledger is away; not there, or null: nothing is deferred then. */
  readonly deferred?: DeferredJournal | null;
  /** Of this process, made before `ledger` was opened. */
  readonly seenSince: SeenSince;
  /** Of this process; not there: of this pipeline alone. */
  readonly folderTimes?: FolderTimes;
  readonly service: ReceiptService;
  /** Those of the account that an endpoint is used with. */
  readonly tokens: (endpoint: EndpointKey) => TokenSource;
  readonly credentialsChanged: (account: string | null) => Promise<boolean>;
  readonly folders: OpenFolder;
  /** What `folders` read files into. */
  readonly buffers: ImageBuffers;
  readonly hints: FolderHints;
  /** Not there: no other agent can be on this machine. */
  readonly claims?: FolderClaims;
  readonly inspector: ImageInspector;
  /** For `{host}` in names. */
  readonly host: string;
  /** What runs beside intake and delivery, until the agent stops. */
  readonly background: readonly ((signal: AbortSignal) => Promise<void>)[];
  /** Milliseconds that the machine has been asleep since it was started; not there, or null: the system does not tell. */
  readonly asleepMs?: () => number | null;
  /** How long ago the machine was started; milliseconds. */
  readonly upForMs?: () => number;
  /** Told after each acceptance is recorded. */
  readonly onAccepted?: (document: Document) => void;
  /** What a run that has nothing beside it does at its end. */
  readonly tidy?: (signal: AbortSignal) => Promise<void>;
  /** What takes files apart; not there, or null: it is not installed. */
  readonly splitter?: PageSplitter | null;
  /** Not there, or null: papers are not compared. */
  readonly papers?: ScannedPapers | null;
  /** A file of this watched folder can't be sent as it is. */
  readonly onAmiss?: (folder: string, path: string) => void;
}
