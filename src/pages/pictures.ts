import { isWholeWebp } from '../core/domain/webp.ts';
import type { Unreadable } from '../core/ports/pages.ts';
import type { Picture, PictureMaker, PictureRequest } from '../core/ports/pictures.ts';
import { KeptProcess, type KeptFor } from './keptProcess.ts';
import { NONSENSE, Renderers, type RenderersOptions } from './renderers.ts';

const MOST_PICTURE_BYTES = 8 * 1024 * 1024;

/**
 * Draws several pictures with one process, since a start takes ten times as long as a picture, but each PDF with a process of
 * its own. A hostile image can at worst show wrong pictures until the process is replaced.
 */
export class ProcessPictures implements PictureMaker {
  readonly #renderers: Renderers;
  readonly #kept: KeptProcess;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: RenderersOptions, keptFor?: Partial<KeptFor>) {
    this.#renderers = new Renderers(options, MOST_PICTURE_BYTES);
    this.#kept = new KeptProcess(() => this.#renderers.start(), keptFor);
  }

  draw(request: PictureRequest): Promise<Picture | Unreadable> {
    const drawn = this.#turn.then(() => this.#draw(request));
    this.#turn = drawn.catch(() => {});
    return drawn;
  }

  close(): Promise<void> {
    return this.#renderers.close();
  }

  async #draw(request: PictureRequest): Promise<Picture | Unreadable> {
    const isAlone = request.type === 'pdf';
    if (isAlone) await this.#kept.end();
    const first = await this.#ask(request);
    // An earlier image in that process may have caused the failure.
    const drawn = first.ended && !isAlone && !this.#renderers.isClosed ? await this.#ask(request) : first;
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
}

function isCount(pages: unknown): boolean {
  return Number.isSafeInteger(pages) && Number(pages) > 0;
}
