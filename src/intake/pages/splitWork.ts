import type { EndpointKey } from '../../core/domain/document.ts';
import { isHeld, isLookedAt, pageKeptBack, remarkFact, type Remark } from '../../core/domain/look.ts';
import { isSplitType } from '../../core/domain/imageType.ts';
import { pagePath, type PageType } from '../../core/domain/pages.ts';
import { acceptPolicy, type FolderSettings } from '../../core/domain/settings.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ImageInspector } from '../../core/ports/image.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import type { Admission, Admitted } from '../../core/ports/ledgerIntake.ts';
import type { Split, SplitPage } from '../../core/ports/ledgerPages.ts';
import type { Log } from '../../core/ports/log.ts';
import type { OpenFile, PageImage, PageSplitter } from '../../core/ports/pages.ts';
import type { Spool } from '../../core/ports/spool.ts';
import { locateBytes, type OpenFolder } from '../../keeper/locateBytes.ts';
import type { ByteBudget } from '../../keeper/byteBudget.ts';
import type { PayloadStore } from '../../keeper/payloadStore.ts';
import { nameContext, namingFor, settingsFor } from '../nameContext.ts';
import type { Looked, Looks } from '../looks.ts';
import { pageForm } from './pageReading.ts';
import { endOf, REASON_OF, type GivenUp } from './splitEnd.ts';
import { toMessage, whyText, type WhyFact } from '../../core/domain/why.ts';

export interface SplitWorkDeps {
  readonly ledger: Ledger;
  readonly payloads: Pick<PayloadStore, 'copies'>;
  readonly spool: Pick<Spool, 'read'>;
  readonly open: OpenFolder;
  readonly splitter: PageSplitter;
  readonly inspector: ImageInspector;
  readonly looks: Looks;
  /** Budget for bytes being read. */
  readonly memory: ByteBudget;
  readonly folders: readonly FolderSettings[];
  readonly clock: Clock;
  readonly log: Log;
  readonly host: string;
  readonly onAdmitted: (folder: string, admitted: Admitted) => void;
}

/** Time spent on one file before others get a turn. */
const SLICE_MS = 30_000;
/** The file is given up after this many pages in a row that took too much time or memory. */
const DEAR_AT_MOST = 5;

/** `turn`: the slice is used up, other files go next. `later`: nothing more can be done now. */
export type SliceEnd = 'ended' | 'turn' | 'later';

/** Splits one file into pages, from its first undecided page to its last. */
export class SplitWork {
  readonly #split: Split;
  readonly #origin: { readonly folder: string; readonly endpoint: EndpointKey };
  readonly #deps: SplitWorkDeps;
  /** Pages that this process found unsendable: each is tried only once. */
  readonly #refused = new Set<number>();
  /** When the file says that it was photographed. */
  #captured: Date | null = null;
  #dearInARow = 0;
  /** A warning that the file has to wait was logged; repeats are logged as debug. */
  #isLate = false;

  constructor(split: Split, deps: SplitWorkDeps) {
    this.#split = split;
    this.#origin = { folder: split.file.folder, endpoint: split.endpoint };
    this.#deps = deps;
  }

  /** Works on the file until the slice ends. Never rejects because of its content. */
  async slice(signal: AbortSignal): Promise<SliceEnd> {
    const { memory } = this.#deps;
    const opened = await memory.with(this.#split.file.identity.size, () => this.#open(signal));
    if (opened === 'later') return 'later';
    if (opened.kind === 'refused') {
      if (opened.reason === 'TROUBLE') return this.#later({ is: 'pages', flaw: opened.detail });
      return this.#end(NOTHING, opened);
    }
    try {
      return await this.#pages(opened, signal);
    } finally {
      await opened.close();
    }
  }

  async #pages(file: OpenFile, signal: AbortSignal): Promise<SliceEnd> {
    const { ledger, clock } = this.#deps;
    const { id } = this.#split;
    const decided = byPage(await ledger.splitPages(id));
    const twins = await this.#twins();
    const until = clock.monotonic() + SLICE_MS;
    for (let page = 1; page <= file.pages; page += 1) {
      const before = decided.get(page);
      if (this.#refused.has(page) || (before && before.verdict !== 'rejected' && before.state !== 'lost'))
        continue;
      if (signal.aborted) return 'later';
      if (clock.monotonic() > until) return 'turn';
      const end = await this.#page(file, page, twins.get(page));
      if (end !== null) return end;
      if (this.#dearInARow >= DEAR_AT_MOST) return this.#end(file, GIVEN_UP);
    }
    return this.#end(file, null);
  }

  /** Null: the page is decided. */
  async #page(file: OpenFile, page: number, twin: SplitPage | undefined): Promise<SliceEnd | null> {
    const { ledger, clock, memory } = this.#deps;
    if (await this.#admitAs(twin, file, page)) return null;
    const image = await file.page(page);
    if (image.kind === 'image') {
      this.#dearInARow = 0;
      // Reserved only now: the size of a page is unknown until it is drawn.
      return memory.with(image.bytes.length, async () => {
        // A failed twin may have been queued again since the slice began.
        if (twin && (await this.#admitAs((await this.#twins()).get(page), file, page))) return null;
        return this.#image(file, page, image);
      });
    }
    if (image.reason === 'TROUBLE') return this.#later({ is: 'pages', flaw: image.detail });
    const message = toMessage({ is: 'pageNotDrawn', page, flaw: image.detail });
    await ledger.notePage(this.#split, page, { reason: REASON_OF[image.reason], message, at: clock.now() });
    // Only after the note: otherwise, if noting failed, the page would be skipped without a trace.
    this.#refused.add(page);
    this.#dearInARow = image.reason === 'TOO_DEAR' ? this.#dearInARow + 1 : 0;
    return null;
  }

  /** Documents from earlier splits of the same bytes, by page, even if the pages would be drawn differently now. */
  async #twins(): Promise<Map<number, SplitPage>> {
    const { endpoint, sha256 } = this.#split;
    return byPage(await this.#deps.ledger.pagesOfBytes(endpoint, sha256));
  }

  /** Admits the page as its twin. False if it has none, or if the twin must be sent again and needs the page's bytes. */
  async #admitAs(twin: SplitPage | undefined, file: OpenFile, page: number): Promise<boolean> {
    if (!twin?.sha256 || twin.state === 'failed' || twin.state === 'lost') return false;
    await this.#admit(file, page, { sha256: twin.sha256, type: 'jpeg', bytes: null, remark: null });
    return true;
  }

  /** Admits or rejects a page that could be drawn. Null: it is decided. */
  async #image(file: OpenFile, page: number, image: PageImage): Promise<SliceEnd | null> {
    const { ledger, clock, inspector, looks } = this.#deps;
    const sha256 = await inspector.sha256(image.bytes);
    const looked = await looks.atPage(image.appearance, { ...this.#origin, sha256 });
    const { remark } = looked;
    const why = remark && this.#whyNotSent(file, page, remark);
    if (!remark || why === null) return this.#keep(file, page, { ...image, sha256 }, looked);
    await ledger.notePage(this.#split, page, {
      reason: remark.reason,
      message: toMessage(why),
      at: clock.now(),
    });
    this.#refused.add(page);
    return null;
  }

  /** Why the page is not sent; null if it is sent despite the remark. */
  #whyNotSent({ pages }: OpenFile, page: number, remark: Remark): WhyFact | null {
    if (isBackOfSheet(remark, pages)) return { is: 'pageBlank', page };
    return isHeld(remark, this.#settings() ?? {}) ? pageKeptBack(page, remark) : null;
  }

  async #keep(
    file: OpenFile,
    page: number,
    { bytes, type, sha256 }: PageImage & { readonly sha256: string },
    { remark, remember }: Looked,
  ): Promise<SliceEnd | null> {
    const kept = await this.#deps.payloads.copies.whileKept(sha256, bytes, () =>
      this.#admit(file, page, { sha256, type, bytes, remark }),
    );
    if (typeof kept === 'string') return 'later';
    await remember();
    return null;
  }

  async #admit(
    { pages }: OpenFile,
    page: number,
    {
      sha256,
      type,
      bytes,
      remark,
    }: { sha256: string; type: PageType; bytes: Buffer | null; remark: Remark | null },
  ): Promise<void> {
    const { ledger, clock, log, host, onAdmitted } = this.#deps;
    const { id, endpoint } = this.#split;
    const { folder, path, identity } = this.#split.file;
    const of = namingFor(this.#origin, this.#deps.folders);
    const { template } = of;
    const captured = template.usesCaptured ? await this.#capturedAt(bytes, type) : null;
    const at = clock.now();
    const admission: Admission = {
      endpoint,
      file: { folder, path: pagePath(path, page), identity: { ...identity, size: bytes?.length ?? 0 } },
      sha256,
      type,
      lane: 'fresh',
      at,
      naming: template.naming(
        nameContext(path, identity, sha256, captured, of, { now: at, host, page, pages }),
      ),
      page: { split: id, page },
      remark: remark && { reason: remark.reason, message: toMessage(remarkFact(remark)) },
    };
    const admitted = await ledger.admit(admission);
    const { id: documentId, name } = admitted.document;
    log.info('pageAdmitted', { kind: admitted.kind, documentId, name, folder, path, page, pages, sha256 });
    if (remark) {
      const { reason } = remark;
      log.warn('sentWithRemark', { folder, path, page, reason, detail: whyText(remarkFact(remark)) });
    }
    onAdmitted(folder, admitted);
  }

  /** When the page was photographed: as the file says, or else the image in it. What was drawn says nothing. */
  async #capturedAt(bytes: Buffer | null, type: PageType): Promise<Date | null> {
    const { inspector } = this.#deps;
    return this.#captured ?? (bytes && (await inspector.capturedAt(bytes, type)));
  }

  async #open(signal: AbortSignal): Promise<OpenFile | GivenUp | 'later'> {
    const { inspector, splitter } = this.#deps;
    const first = await this.#bytes();
    if (first.kind !== 'bytes' && (first.kind === 'away' || first.elsewhere === true))
      return this.#later(first.why);
    if (first.kind !== 'bytes') return GONE;
    let read: typeof first | null = first;
    const { type } = await inspector.inspect(first.bytes);
    if (type !== null && namingFor(this.#origin, this.#deps.folders).template.usesCaptured)
      this.#captured = await inspector.capturedAt(first.bytes, type);
    if (!isSplitType(type)) return { kind: 'refused', reason: 'DAMAGED', detail: { is: 'notOfPages' } };
    const settings = this.#settings();
    return splitter.open({
      type,
      ...pageForm(settings),
      isLookedAt: settings !== undefined && isLookedAt(settings),
      signal,
      bytes: async () => {
        const again = read ?? (await this.#bytes());
        read = null;
        return again.kind === 'bytes' ? again.bytes : null;
      },
    });
  }

  #bytes(): ReturnType<typeof locateBytes> {
    const { ledger, spool, open } = this.#deps;
    const { sha256, file } = this.#split;
    const { folder, path, identity } = file;
    return locateBytes({ sha256, folder, path, size: identity.size }, { ledger, spool, open });
  }

  async #end(contents: Pick<OpenFile, 'pages' | 'attachments'>, why: GivenUp | null): Promise<SliceEnd> {
    const { pages } = contents;
    const { ledger, payloads, clock, log } = this.#deps;
    const settings = this.#settings();
    const end = endOf(await ledger.splitPages(this.#split.id), contents, why);
    const policy = end.reason === null || !settings ? null : acceptPolicy(settings);
    await ledger.endSplit(this.#split, { ...end, pages, policy, at: clock.now() });
    const { folder, path } = this.#split.file;
    if (end.reason === null)
      log.info('fileSplit', { folder, path, pages, ...(end.message && { detail: whyText(end.message) }) });
    else
      log.warn('pagesNotSent', {
        folder,
        path,
        pages,
        reason: end.reason,
        detail: end.message && whyText(end.message),
      });
    await payloads.copies.tryDropping(this.#split.sha256);
    return 'ended';
  }

  #later(why: WhyFact): 'later' {
    const { folder, path } = this.#split.file;
    const fields = { folder, path, detail: whyText(why) };
    if (this.#isLate) this.#deps.log.debug('splitStillDelayed', fields);
    else this.#deps.log.warn('splitDelayed', fields);
    this.#isLate = true;
    return 'later';
  }

  #settings(): FolderSettings | undefined {
    return settingsFor(this.#origin, this.#deps.folders);
  }
}

function isBackOfSheet({ reason }: Remark, pages: number): boolean {
  return reason === 'BLANK' && pages > 1;
}

const NOTHING = { pages: 0, attachments: 0 };
const GONE: GivenUp = {
  kind: 'refused',
  reason: 'GONE',
  detail: { is: 'gone' },
};
const GIVEN_UP: GivenUp = {
  kind: 'refused',
  reason: 'TOO_DEAR',
  detail: { is: 'givenUp', pages: DEAR_AT_MOST },
};

function byPage(pages: readonly SplitPage[]): Map<number, SplitPage> {
  return new Map(pages.map((page) => [page.page, page]));
}
