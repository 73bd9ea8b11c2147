import { isWholeWebp } from '../core/domain/webp.ts';
import type { Unreadable } from '../core/ports/pages.ts';
import type { Picture, PictureMaker, PictureRequest } from '../core/ports/pictures.ts';
import type { Confinement } from './confinement.ts';
import { KeptProcess, type KeptFor } from './keptProcess.ts';
import { RendererProcess, type Limits } from './rendererProcess.ts';

export interface PicturesOptions {
  readonly confinement: () => Promise<Confinement>;
  readonly limits?: Partial<Limits>;
  readonly keptFor?: Partial<KeptFor>;
}

const LIMITS: Limits = {
  withinMs: 30_000,
  startWithinMs: 30_000,
  memoryBytes: 1024 * 1024 * 1024,
  imageBytes: 8 * 1024 * 1024,
};

/** One process draws several pictures, but a PDF has one to itself (decisions/0066). */
export class ProcessPictures implements PictureMaker {
  readonly #options: PicturesOptions;
  readonly #kept: KeptProcess;
  #running: RendererProcess | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: PicturesOptions) {
    this.#options = options;
    this.#kept = new KeptProcess(() => this.#start(), options.keptFor);
  }

  draw(request: PictureRequest): Promise<Picture | Unreadable> {
    const drawn = this.#turn.then(() => this.#draw(request));
    this.#turn = drawn.catch(() => {});
    return drawn;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running?.end();
  }

  async #draw(request: PictureRequest): Promise<Picture | Unreadable> {
    const isAlone = request.type === 'pdf';
    if (isAlone) await this.#kept.end();
    const first = await this.#ask(request);
    // What another image left behind in that process may have ended it.
    const drawn = first.ended && !isAlone && !this.#isClosed ? await this.#ask(request) : first;
    if (isAlone) await this.#kept.end();
    return drawn.answer;
  }

  async #ask({
    bytes,
    ...how
  }: PictureRequest): Promise<{ readonly answer: Picture | Unreadable; readonly ended: boolean }> {
    const frame = await this.#kept.ask({ kind: 'picture', ...how }, bytes);
    if (!('head' in frame)) return { answer: frame, ended: true };
    const { head, body } = frame;
    if (head.kind === 'refused') return { answer: head, ended: false };
    if (head.kind !== 'picture' || !isCount(head.pages) || !isWholeWebp(body)) {
      await this.#kept.end();
      return { answer: NONSENSE, ended: false };
    }
    return { answer: { kind: 'picture', bytes: Buffer.from(body), pages: head.pages }, ended: false };
  }

  async #start(): Promise<RendererProcess | Unreadable> {
    if (this.#isClosed) return STOPPED;
    const limits = { ...LIMITS, ...this.#options.limits };
    const started = await RendererProcess.start(await this.#options.confinement(), limits);
    if ('kind' in started) return started;
    this.#running = started;
    if (this.#isClosed) await started.end();
    return started;
  }
}

const STOPPED: Unreadable = { kind: 'refused', reason: 'TROUBLE', detail: 'the agent is stopping' };
const NONSENSE: Unreadable = { kind: 'refused', reason: 'DAMAGED', detail: 'what reads it gave no answer' };

function isCount(pages: unknown): boolean {
  return Number.isSafeInteger(pages) && Number(pages) > 0;
}
