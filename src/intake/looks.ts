import { isErased, type Document, type EndpointKey } from '../core/domain/document.ts';
import { isOfLedger } from '../core/domain/errors.ts';
import type { ImageType } from '../core/domain/imageType.ts';
import { remarkOn, scannedBefore, withRemark, type Appearance, type Remark } from '../core/domain/look.ts';
import type { ImageInspector } from '../core/ports/image.ts';
import type { LedgerReports } from '../core/ports/ledgerReports.ts';
import type { PageSplitter } from '../core/ports/pages.ts';
import type { ScannedPapers } from '../core/ports/papers.ts';

export interface LooksDeps {
  readonly ledger: Pick<LedgerReports, 'bySha256'>;
  readonly measure: PageSplitter['look'];
  readonly inspector: Pick<ImageInspector, 'sha256'>;
  /** Null: papers are not compared. */
  readonly papers: ScannedPapers | null;
}

/** An image by its hash, with the folder in which it arrived. */
export interface ImageAt {
  readonly folder: string;
  readonly endpoint: EndpointKey;
  readonly sha256: string;
}

export interface Looked {
  /** Finding to show to people; null if there is none. */
  readonly remark: Remark | null;
  /** Call it once the image is admitted: stores the print for later comparisons. */
  readonly remember: () => Promise<void>;
}

/** Checks the content of images before they are sent. Skips known ones, which are not sent again. */
export class Looks {
  readonly #deps: LooksDeps;

  constructor(deps: LooksDeps) {
    this.#deps = deps;
  }

  async atImage(bytes: Buffer, type: ImageType, at: Omit<ImageAt, 'sha256'>): Promise<Looked> {
    const { inspector, measure } = this.#deps;
    const sha256 = await inspector.sha256(bytes);
    return this.#look({ ...at, sha256 }, () => measure(bytes, type));
  }

  /** `seen`: the measurements taken when the page was drawn. */
  atPage(seen: Appearance | null, at: ImageAt): Promise<Looked> {
    return this.#look(at, async () => seen);
  }

  async #look(at: ImageAt, measure: () => Promise<Appearance | null>): Promise<Looked> {
    if ((await this.#document(at.endpoint, at.sha256)) !== null) return UNREMARKABLE;
    const seen = await measure();
    if (seen === null) return UNREMARKABLE;
    const flaw = remarkOn(seen);
    const { papers } = this.#deps;
    const { print } = seen;
    if (papers === null || print === null || flaw?.reason === 'BLANK')
      return { ...UNREMARKABLE, remark: flaw };
    const image = { sha256: at.sha256, print };
    return {
      remark: withRemark(flaw, await this.#scannedBefore(at, await papers.alike(at.folder, image))),
      remember: () => papers.remember(at.folder, image),
    };
  }

  async #scannedBefore(
    { endpoint }: ImageAt,
    scans: Awaited<ReturnType<ScannedPapers['alike']>>,
  ): Promise<Remark | null> {
    for (const { sha256, at } of scans) {
      const document = await this.#document(endpoint, sha256);
      if (document !== null && !isErased(document)) return scannedBefore(document.name, at);
    }
    return null;
  }

  /** The document with these bytes that was or will be sent. Not a failed or lost one: scanning that again is legitimate. */
  async #document(endpoint: EndpointKey, sha256: string): Promise<Document | null> {
    try {
      const document = await this.#deps.ledger.bySha256(endpoint, sha256);
      return document === null || document.state === 'failed' || document.state === 'lost' ? null : document;
    } catch (error) {
      // Unknown while a shared ledger is unreachable.
      if (isOfLedger(error)) return null;
      throw error;
    }
  }
}

const UNREMARKABLE: Looked = { remark: null, remember: async () => {} };
