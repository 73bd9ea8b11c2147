import type { DeferredImage } from '../../../src/core/ports/deferredJournal.ts';
import { sha256 as hashOf } from '../support/digest.ts';
import type { KnownDocument, LedgerView } from './ledgerView.ts';
import type { Inode, Share } from './share.ts';

/** A previously refused image, scanned again to a place where the agent had not seen it. */
interface ScannedAgain {
  readonly uid: string;
  readonly sha256: string;
  readonly share: Share;
  readonly path: string;
  readonly file: Inode;
  /** Number of its document's requests at that time. */
  readonly begun: number;
}

/** The agent's obligations, recorded when they arise. Only the journal settles them, never the agent's own word. */
export class Obligations {
  readonly #view: LedgerView;
  readonly #deferred: DeferredImage[] = [];
  readonly #scannedAgain: ScannedAgain[] = [];

  constructor(view: LedgerView) {
    this.#view = view;
  }

  /** Records that the agent reported this image as durable while the ledger was unreachable. */
  deferred(image: DeferredImage): void {
    this.#deferred.push(image);
  }

  scannedAgain(again: Omit<ScannedAgain, 'begun'>, { begun }: KnownDocument): void {
    this.#scannedAgain.push({ ...again, begun });
  }

  /** Whether the journal knows this image at the place where it was seen. */
  isAdmitted({ endpoint, sha256, folder, path, isFile }: DeferredImage): boolean {
    if (!isFile && !this.#view.documentOf(endpoint.uid, sha256)) return false;
    return this.#view.placesOf.get(sha256)?.has(`${folder}/${path}`) === true;
  }

  /** Deferred images with these bytes that have no document yet and so need their spool copy. */
  needing(sha256: string): DeferredImage[] {
    return this.#deferred.filter(
      (image) =>
        image.sha256 === sha256 &&
        !(image.isFile ? this.isAdmitted(image) : this.#view.documentOf(image.endpoint.uid, sha256)),
    );
  }

  /**
   * `hasRoom`: whether the bytes fit into the spool next to copies that wait for people. If not, a scan stays in its folder unread and
   * `status` reports it; nothing is owed then, even if the same bytes have a copy.
   */
  owed(hasRoom: (bytes: Buffer) => boolean): string[] {
    const unadmitted = this.#deferred.filter((image) => !this.isAdmitted(image));
    const unsent = this.#scannedAgain.filter(({ uid, sha256, share, path, file, begun }) => {
      const document = this.#view.documentOf(uid, sha256);
      // Nothing is owed for a file that was removed or overwritten meanwhile.
      const lies = share.content.get(path) === file && hashOf(file.bytes) === sha256;
      return lies && document?.state === 'failed' && document.begun === begun && hasRoom(file.bytes);
    });
    return [
      ...unadmitted.map(({ folder, path }) => `${folder}/${path} was deferred, but is not in the ledger`),
      ...unsent.map(
        ({ share, path }) => `${share.path}/${path} was refused before and scanned again, but is not sent`,
      ),
    ];
  }
}
