import type { FileIdentity } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { ImageInspector } from '../core/ports/image.ts';
import type { Ledger } from '../core/ports/ledger.ts';
import type { Admitted } from '../core/ports/ledgerIntake.ts';
import type { Log } from '../core/ports/log.ts';
import { judge, type Candidate } from './judge.ts';
import { admit } from './record.ts';
import { sha256 } from '../core/sha256.ts';
import type { ByteBudget } from '../keeper/byteBudget.ts';
import { isQueued, type PayloadStore } from '../keeper/payloadStore.ts';
import type { NotCopied } from '../keeper/spoolCopies.ts';
import type { OpenFolder } from '../keeper/locateBytes.ts';
import type { FolderSettings } from '../core/domain/settings.ts';
import type { WhyFact } from '../core/domain/why.ts';

/** An individual file that a person sends, from a directory (`settings.path`) that no intake watches. */
export interface SingleFile {
  readonly path: string;
  readonly identity: FileIdentity;
  readonly bytes: Buffer;
}

export type TakenFile =
  | Admitted
  /** It is not sent, and no copy is kept. */
  | { readonly kind: 'rejected'; readonly why: WhyFact };

export interface SingleFilesDeps {
  readonly ledger: Ledger;
  readonly payloads: PayloadStore;
  readonly inspector: ImageInspector;
  readonly open: OpenFolder;
  readonly memory: ByteBudget;
  readonly clock: Clock;
  readonly log: Log;
  readonly host: string;
  readonly onAdmitted: (folder: string, admitted: Admitted) => void;
}

/**
 * Admits individual files from outside the watched folders. The agent may not be able to read the original, now or later, so a
 * copy is made durable before the name is:
 *
 *   judged ──copied──▶ admitted ──queued──▶ sent like any other document
 *      └──▶ rejected       └──duplicate──▶ the copy is deleted, unless a document needs it
 *
 * With `spool: never` there is no copy, so the agent first checks that it can read the original.
 */
export class SingleFiles {
  readonly #deps: SingleFilesDeps;

  constructor(deps: SingleFilesDeps) {
    this.#deps = deps;
  }

  /** The admission is durable when it resolves. @throws ReceiptdError if the copy or the ledger fails; the file is not accepted then */
  async take(file: SingleFile, settings: FolderSettings): Promise<TakenFile> {
    const { bytes } = file;
    if (bytes.length > settings.maxFileSize)
      return {
        kind: 'rejected',
        why: { is: 'fileTooLarge', bytes: bytes.length, limit: settings.maxFileSize },
      };
    const { inspector, memory } = this.#deps;
    return memory.with(bytes.length, async () => {
      const judgement = await judge(file.path, bytes, settings, inspector);
      if (judgement.kind === 'pages') return { kind: 'rejected', why: { is: 'severalPages' } };
      if (judgement.kind !== 'image') return { kind: 'rejected', why: judgement.why };
      const { path, identity } = file;
      const { type } = judgement;
      return this.#admit({ path, identity, bytes, lane: 'fresh', type, mark: null }, settings);
    });
  }

  async #admit(candidate: Candidate, settings: FolderSettings): Promise<TakenFile> {
    const { ledger, payloads, inspector, clock, host, log, onAdmitted } = this.#deps;
    const { bytes, path } = candidate;
    const { path: folder, endpoint } = settings;
    const name = () => admit(candidate, settings, { ledger, inspector, clock, host });
    let admitted: Admitted | NotCopied | null;
    if (payloads.keepsCopies)
      admitted = await payloads.copies.whileKept(await inspector.sha256(bytes), bytes, name, isQueued);
    else {
      const why = await this.#whyNotReadable(candidate, settings);
      if (why !== null) return { kind: 'rejected', why };
      admitted = await payloads.keep({ endpoint, folder, bytes }, name);
    }
    if (admitted === null || typeof admitted === 'string') throw noRoom(payloads.copies.isFull);
    const { kind, document } = admitted;
    log.info('singleFileRecorded', {
      outcome: kind,
      documentId: document.id,
      name: document.name,
      folder,
      path,
    });
    onAdmitted(folder, admitted);
    return admitted;
  }

  async #whyNotReadable(
    { path, bytes }: Candidate,
    { path: folder }: FolderSettings,
  ): Promise<WhyFact | null> {
    const read = await this.#deps.open(folder).read(path, bytes.length);
    if (read.kind === 'bytes' && sha256(read.bytes) === sha256(bytes)) return null;
    return { is: 'notReadByAgent', system: read.kind === 'unreadable' ? read.code : null };
  }
}

function noRoom(isFull: boolean): ReceiptdError {
  return isFull
    ? new ReceiptdError('SPOOL_FULL.notAccepted')
    : new ReceiptdError('SPOOL_UNWRITABLE.notAccepted');
}
