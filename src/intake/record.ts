import { sameIdentity, type FileIdentity } from '../core/domain/document.ts';
import { isOfLedger } from '../core/domain/errors.ts';
import { remarkFact } from '../core/domain/look.ts';
import { acceptPolicy, type FolderSettings } from '../core/domain/settings.ts';
import { toMessage, whyText, type WhyFact } from '../core/domain/why.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { ImageInspector } from '../core/ports/image.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Admitted, FileNote } from '../core/ports/ledgerIntake.ts';
import type { Log } from '../core/ports/log.ts';
import type { PayloadStore } from '../keeper/payloadStore.ts';
import type { Candidate, PagedFile } from './judge.ts';
import { nameContext } from './nameContext.ts';
import type { OfflineFolder } from './offline.ts';

/** A file that is not sent, and why. */
export interface FileVerdict {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly verdict: FileNote['verdict'];
  readonly reason: string;
  readonly why: WhyFact;
}

/** Takes files that are split into pages (pages/). */
export interface PageSink {
  /** Takes a file; durable once it resolves to true. False: there is no room for it now. */
  take(file: PagedFile, settings: FolderSettings): Promise<boolean>;
  /** Resumes work: there may be files to split. */
  wake(): void;
}

export interface RecorderDeps {
  readonly settings: FolderSettings;
  readonly ledger: Ledger;
  readonly payloads: PayloadStore;
  readonly inspector: ImageInspector;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: string;
  /** Stands in for an unreachable shared ledger; null if this agent has its own. */
  readonly offline: OfflineFolder | null;
  /** Checks which file system the folder is on now. Runs before files are recorded, so that none of another file system becomes known. */
  readonly lookAtMount: () => Promise<void>;
  readonly onAdmitted: (admitted: Admitted) => void;
  /** Left out: files are not split. */
  readonly pages?: PageSink | undefined;
}

const NOT_SENT = {
  rejected: 'notSentRejected',
  incomplete: 'notSentIncomplete',
  unreadable: 'notSentUnreadable',
  skipped: 'notSentSkipped',
} as const;

/**
 * Records what becomes of the stable files of one folder: images are named and queued, the others noted. While a shared ledger can't be
 * reached, images are deferred (offline.ts), and the rest waits for the listing after the outage.
 */
export class Recorder {
  readonly #deps: RecorderDeps;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /** Whether files can be taken now. If not, all files wait, since each would fail the same way. */
  get isOpen(): boolean {
    return this.#isOffline || this.#deps.ledger.storage.trouble() === null;
  }

  get #isOffline(): boolean {
    return this.#deps.offline?.isOn === true;
  }

  /** Calls back whenever `isOpen` may have changed. Returns a function that ends this. */
  onChange(listener: () => void): () => void {
    const { ledger, offline } = this.#deps;
    const ends = [ledger.storage.onChange(listener), offline?.onChange(listener)];
    return () => ends.forEach((end) => end?.());
  }

  /** Whether an image of that many bytes could be taken; if not, it is not even read and stays in its folder. */
  hasRoom(bytes: number): boolean {
    const { payloads, settings } = this.#deps;
    if (this.#isOffline) return payloads.hasRoomForCopy(bytes);
    return payloads.hasRoom({ endpoint: settings.endpoint, folder: settings.path }, bytes);
  }

  /** Takes an image; durable once it resolves to true. False: there is no room for it now. */
  async admit(image: Candidate): Promise<boolean> {
    const { settings, payloads, offline, onAdmitted } = this.#deps;
    if (offline?.isOn) return offline.defer(image);
    const arrived = { endpoint: settings.endpoint, folder: settings.path, bytes: image.bytes };
    const admitted = await payloads.keep(arrived, () => admit(image, settings, this.#deps));
    if (admitted === null) return false;
    this.#say(image, admitted);
    onAdmitted(admitted);
    offline?.decided(image);
    return true;
  }

  /** Takes a file to split into pages. Resolves like `admit`. */
  async split(file: PagedFile): Promise<boolean> {
    const { pages, settings, offline } = this.#deps;
    if (offline?.isOn) return offline.deferPages(file);
    if (!pages) throw new Error('nothing that splits files');
    const isTaken = await pages.take(file, settings);
    if (isTaken) offline?.decided(file);
    return isTaken;
  }

  /** Records the verdict on a file that is not sent. True once it is in the ledger, where people can read it. */
  async note({ path, identity, verdict, reason, why }: FileVerdict): Promise<boolean> {
    const { settings, ledger, clock, log, offline } = this.#deps;
    const isNoted = !this.#isOffline;
    if (isNoted) {
      const policy = verdict === 'rejected' ? acceptPolicy(settings) : null;
      const seen = { folder: settings.path, path, identity };
      const message = toMessage(why);
      await this.#deps.lookAtMount();
      const before = await ledger.known(seen);
      await ledger.note(seen, { verdict, reason, message, sha256: null, policy, at: clock.now() });
      // An unreadable file is retried at every listing, but logged only once.
      const again = before?.verdict === verdict && sameIdentity(before.identity, identity);
      const fields = { folder: settings.path, path, reason, detail: whyText(why) };
      log[again ? 'debug' : 'warn'](NOT_SENT[verdict], fields);
    }
    // Unreadable files are retried automatically.
    if (verdict !== 'unreadable') offline?.decided({ path, identity });
    return isNoted;
  }

  /** The file no longer exists. */
  async gone(path: string): Promise<void> {
    const { settings, ledger, clock } = this.#deps;
    if (!this.#isOffline) await ledger.gone(settings.path, [path], clock.now());
  }

  /** Whether the file was known: then its absence may mean that the folder itself is offline. */
  async knows(path: string): Promise<boolean> {
    const { settings, ledger } = this.#deps;
    return !this.#isOffline && (await ledger.known({ folder: settings.path, path })) !== null;
  }

  /** Whether `error` only means that the ledger went away: the file is retried, and deferred then. */
  isOutage(error: unknown): boolean {
    return this.#isOffline && isOfLedger(error);
  }

  #say({ path, bytes }: Candidate, { kind, document }: Admitted): void {
    const { log, settings } = this.#deps;
    const fields = { documentId: document.id, name: document.name, folder: settings.path, path };
    switch (kind) {
      case 'queued': {
        const { sha256, type } = document;
        log.info('documentAdmitted', { ...fields, sha256, bytes: bytes.length, type });
        break;
      }
      case 'duplicate':
        log.info('duplicateNotSent', fields);
        break;
      case 'requeued':
        log.info('seenAgainQueued', fields);
        break;
      case 'known':
        log.debug('fileUnchanged', fields);
        break;
    }
  }
}

/** Names an image and records it in the ledger; durable when this resolves. */
export async function admit(
  { path, identity, bytes, type, lane, remark }: Candidate,
  settings: FolderSettings,
  { ledger, inspector, clock, host }: Pick<RecorderDeps, 'ledger' | 'inspector' | 'clock' | 'host'>,
): Promise<Admitted> {
  const { template } = settings;
  const now = clock.now();
  const sha256 = await inspector.sha256(bytes);
  const captured = template.usesCaptured ? await inspector.capturedAt(bytes, type) : null;
  return ledger.admit({
    endpoint: settings.endpoint,
    file: { folder: settings.path, path, identity },
    sha256,
    type,
    lane,
    at: now,
    naming: template.naming(nameContext(path, identity, sha256, captured, settings, { now, host })),
    remark: remark ? { reason: remark.reason, message: toMessage(remarkFact(remark)) } : null,
  });
}
