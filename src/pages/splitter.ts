import { MOST_PAGES } from '../core/domain/pages.ts';
import type { OpenFile, PageImage, PageSplitter, SplitRequest, Unreadable } from '../core/ports/pages.ts';
import { factsOf, type ImageType } from '../core/domain/imageType.ts';
import type { Appearance } from '../core/domain/look.ts';
import { jpegGap } from '../intake/image/structure/jpeg.ts';
import { pngGap } from '../intake/image/structure/png.ts';
import { KeptProcess } from './keptProcess.ts';
import type { Frame, Reply } from './protocol.ts';
import type { RendererProcess } from './rendererProcess.ts';
import { NONSENSE, Renderers, STOPPED, type RenderersOptions } from './renderers.ts';

const MOST_IMAGE_BYTES = 100 * 1024 * 1024;

/** Splits files in renderer processes. One file is open at a time, since each may take more memory than the agent. */
export class ProcessSplitter implements PageSplitter {
  readonly #renderers: Renderers;
  readonly #looking: KeptProcess;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: RenderersOptions) {
    this.#renderers = new Renderers(options, MOST_IMAGE_BYTES);
    this.#looking = new KeptProcess(() => this.#renderers.start());
  }

  async open(request: SplitRequest): Promise<OpenFile | Unreadable> {
    const release = await this.#takeTurn();
    const file = new SplitFile(request, () => this.#renderers.start(), release);
    const opened = await file.begin();
    if (opened.kind === 'refused') await file.close();
    return opened;
  }

  async look(bytes: Buffer, type: ImageType): Promise<Appearance | null> {
    if (!factsOf(type).isDrawn) return null;
    const answer = await this.#looking.ask({ kind: 'look', type }, bytes);
    return 'head' in answer && answer.head.kind === 'look' ? asAppearance(answer.head.appearance) : null;
  }

  async isWhole(bytes: Buffer, type: ImageType): Promise<boolean | null> {
    const answer = await this.#looking.ask({ kind: 'whole', type }, bytes);
    if (!('head' in answer)) return null;
    const { head } = answer;
    if (head.kind === 'whole') return true;
    return head.kind === 'refused' && head.reason === 'DAMAGED' ? false : null;
  }

  close(): Promise<void> {
    return this.#renderers.close();
  }

  async #takeTurn(): Promise<() => void> {
    const before = this.#turn;
    let release = (): void => {};
    this.#turn = new Promise((done) => {
      release = done;
    });
    await before;
    return release;
  }
}

/** A file that is reopened in a new process when a page crashes the old one, so that other pages are not affected. */
class SplitFile implements OpenFile {
  readonly kind = 'open';
  readonly #request: SplitRequest;
  readonly #start: () => Promise<RendererProcess | Unreadable>;
  readonly #release: () => void;
  readonly #onAbort = (): void => void this.close();
  #process: RendererProcess | null = null;
  #isClosed = false;
  pages = 0;
  attachments = 0;

  constructor(
    request: SplitRequest,
    start: () => Promise<RendererProcess | Unreadable>,
    release: () => void,
  ) {
    this.#request = request;
    this.#start = start;
    this.#release = release;
    const { signal } = request;
    if (signal.aborted) this.#isClosed = true;
    else signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  async begin(): Promise<OpenFile | Unreadable> {
    const opened = await this.#begin();
    return this.#isClosed ? STOPPED : opened;
  }

  async #begin(): Promise<OpenFile | Unreadable> {
    if (this.#isClosed) return STOPPED;
    const started = await this.#start();
    if ('kind' in started) return started;
    this.#process = started;
    if (this.#isClosed) await started.end();
    const { type, into, resolution, isLookedAt } = this.#request;
    const bytes = await this.#request.bytes();
    if (bytes === null) return { kind: 'refused', reason: 'TROUBLE', detail: { is: 'bytesUnreadable' } };
    const asked = { kind: 'open', type, into, resolution, mostPages: MOST_PAGES, isLookedAt } as const;
    const answer = await started.ask(asked, bytes);
    if (!('head' in answer)) return answer;
    if (answer.head.kind === 'refused') return answer.head;
    if (answer.head.kind !== 'open' || !isCount(answer.head.pages)) return NONSENSE;
    this.pages = answer.head.pages;
    this.attachments = Number.isSafeInteger(answer.head.attachments) ? answer.head.attachments : 0;
    return this;
  }

  async page(page: number): Promise<PageImage | Unreadable> {
    const image = await this.#page(page);
    return this.#isClosed ? STOPPED : image;
  }

  async #page(page: number): Promise<PageImage | Unreadable> {
    if (this.#isClosed) return STOPPED;
    if (this.#process === null || this.#process.isOver) {
      await this.#process?.end();
      const again = await this.begin();
      if (again.kind === 'refused') return again;
    }
    const answer = await (this.#process as RendererProcess).ask({ kind: 'page', page });
    return 'head' in answer ? imageOf(answer, this.#request) : answer;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    await this.#process?.end();
    this.#release();
  }
}

function isCount(pages: unknown): pages is number {
  return Number.isSafeInteger(pages) && Number(pages) > 0 && Number(pages) <= MOST_PAGES;
}

function asAppearance(appearance: Appearance | null): Appearance | null {
  const { width, height, paper, light, ink, detail, sharpness } = appearance ?? {};
  return [width, height, paper, light, ink, detail, sharpness].every((each) => Number.isFinite(each))
    ? appearance
    : null;
}

/** Validates an answer: output of the process is as untrusted as the file. */
function imageOf({ head, body }: Frame<Reply>, { into }: SplitRequest): PageImage | Unreadable {
  if (head.kind === 'refused') return head;
  if (head.kind !== 'image' || !into.includes(head.type)) return NONSENSE;
  const gap = head.type === 'jpeg' ? jpegGap(body) : pngGap(body);
  if (gap !== null || !isOfType(body, head.type)) return NONSENSE;
  const { type, isOriginal } = head;
  return {
    kind: 'image',
    type,
    isOriginal,
    bytes: Buffer.from(body),
    appearance: asAppearance(head.appearance),
  };
}

function isOfType(bytes: Buffer, type: 'jpeg' | 'png'): boolean {
  return type === 'jpeg'
    ? bytes.readUInt16BE(0) === 0xffd8
    : bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n';
}
