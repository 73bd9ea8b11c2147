import { sameIdentity } from '../../core/domain/document.ts';
import { acceptPolicy, type FolderSettings } from '../../core/domain/settings.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ImageInspector } from '../../core/ports/image.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Admitted } from '../../core/ports/ledgerIntake.ts';
import type { Log } from '../../core/ports/log.ts';
import type { PayloadStore } from '../../keeper/payloadStore.ts';
import type { AdmissionSink, PageSink, FileVerdict } from './admissionSink.ts';
import { admit, type Candidate } from './admit.ts';

export interface LedgerSinkDeps {
  readonly settings: FolderSettings;
  readonly ledger: Ledger;
  readonly payloads: PayloadStore;
  readonly inspector: ImageInspector;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: string;
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

/** Names images and queues them; notes what is not sent. */
export class LedgerSink implements AdmissionSink {
  readonly #deps: LedgerSinkDeps;

  constructor(deps: LedgerSinkDeps) {
    this.#deps = deps;
  }

  get isOpen(): boolean {
    return this.#deps.ledger.storage.trouble() === null;
  }

  onChange(listener: () => void): () => void {
    return this.#deps.ledger.storage.onChange(listener);
  }

  hasRoom(bytes: number): boolean {
    const { payloads, settings } = this.#deps;
    return payloads.hasRoom({ endpoint: settings.endpoint, folder: settings.path }, bytes);
  }

  async admit(image: Candidate): Promise<boolean> {
    const { settings, ledger, payloads, inspector, clock, host, onAdmitted } = this.#deps;
    const arrived = { endpoint: settings.endpoint, folder: settings.path, bytes: image.bytes };
    const admitted = await payloads.keep(arrived, () =>
      admit(image, settings, { ledger, inspector, now: clock.now(), host }),
    );
    if (admitted === null) return false;
    this.#say(image, admitted);
    onAdmitted(admitted);
    return true;
  }

  takeApart(file: Omit<Candidate, 'type'>): Promise<boolean> {
    const { pages, settings } = this.#deps;
    if (!pages) throw new Error('nothing that takes files apart');
    return pages.take(file, settings);
  }

  async note({ path, identity, verdict, reason, message }: FileVerdict): Promise<boolean> {
    const { settings, ledger, clock, log } = this.#deps;
    const policy = verdict === 'rejected' ? acceptPolicy(settings) : null;
    const seen = { folder: settings.path, path, identity };
    await this.#deps.lookAtMount();
    const before = await ledger.known(seen);
    await ledger.note(seen, { verdict, reason, message, sha256: null, policy, at: clock.now() });
    // An unreadable file is retried at every listing, but logged only once.
    const again = before?.verdict === verdict && sameIdentity(before.identity, identity);
    const fields = { folder: settings.path, path, reason, detail: message };
    log[again ? 'debug' : 'warn'](NOT_SENT[verdict], fields);
    return true;
  }

  async gone(path: string): Promise<void> {
    const { settings, ledger, clock } = this.#deps;
    await ledger.gone(settings.path, [path], clock.now());
  }

  async knows(path: string): Promise<boolean> {
    const { settings, ledger } = this.#deps;
    return (await ledger.known({ folder: settings.path, path })) !== null;
  }

  isOwnTrouble(): boolean {
    return false;
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
