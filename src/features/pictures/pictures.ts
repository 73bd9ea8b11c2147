import type { Document } from '../../core/domain/document.ts';
import { describeError } from '../../core/domain/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import type { DocumentPictures, LocateImage, PictureMaker, ShownPicture } from '../../core/ports/pictures.ts';
import { DrawingQueue, type QueueLimits } from './drawingQueue.ts';
import type { ThumbnailCache } from './thumbnailCache.ts';

export interface PicturesDeps {
  /** Null if the image library is not installed. */
  readonly maker: PictureMaker | null;
  readonly cache: ThumbnailCache;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits?: QueueLimits;
}

const THUMBNAIL = { size: 320, mostBytes: 20_000 };
const PREVIEW = { size: 1600, mostBytes: 1_000_000 };
/** Largest image that is read for a picture. */
const MOST_BYTES = 100_000_000;
/** Short waits: a browser has six connections for everything the console requests. */
const QUEUE: QueueLimits = { most: 100, waitMs: 3_000 };
const MOST_UNDRAWABLE = 1_000;

interface ThumbnailRequest {
  readonly document: Document;
  readonly locate: LocateImage;
  readonly page: number;
  readonly how: typeof THUMBNAIL;
}

/** Draws thumbnails and previews; only thumbnails are stored. */
export class Pictures implements DocumentPictures {
  readonly #deps: PicturesDeps;
  readonly #queue: DrawingQueue<ShownPicture>;
  /** Images that could not be drawn, by hash and page. */
  readonly #undrawable = new Set<string>();
  /** The hash of the image being drawn; null if there is none, or it was forgotten meanwhile. */
  #drawing: string | null = null;
  #isWarned = false;

  constructor(deps: PicturesDeps) {
    this.#deps = deps;
    this.#queue = new DrawingQueue(deps.clock, deps.limits ?? QUEUE);
  }

  async thumbnail(document: Document, locate: LocateImage, signal: AbortSignal): Promise<ShownPicture> {
    if (this.#deps.cache.limitBytes === 0) return NONE;
    const kept = await this.#deps.cache.read(document.sha256).catch((error: unknown) => this.#warn(error));
    if (kept) return { kind: 'picture', bytes: kept, pages: 1 };
    return this.#ask({ document, locate, page: 1, how: THUMBNAIL }, signal);
  }

  preview(document: Document, page: number, locate: LocateImage, signal: AbortSignal): Promise<ShownPicture> {
    return this.#ask({ document, locate, page, how: PREVIEW }, signal);
  }

  async forget(sha256: string): Promise<void> {
    if (this.#drawing === sha256) this.#drawing = null;
    for (const key of this.#undrawable) if (key.startsWith(sha256)) this.#undrawable.delete(key);
    await this.#deps.cache.forget(sha256);
  }

  /** Applies `console.thumbnails`, in bytes; 0 turns thumbnails off. */
  async take(limitBytes: number): Promise<void> {
    await this.#deps.cache.take(limitBytes).catch((error: unknown) => this.#warn(error));
  }

  /** Hashes of all images with a thumbnail. @throws errors of the file system */
  hashes(): Promise<readonly string[]> {
    return this.#deps.cache.hashes();
  }

  async close(): Promise<void> {
    await this.#deps.maker?.close();
  }

  async #ask(wanted: ThumbnailRequest, signal: AbortSignal): Promise<ShownPicture> {
    const { document, how } = wanted;
    if (this.#deps.maker === null || document.size > MOST_BYTES) return NONE;
    if (this.#undrawable.has(keyOf(wanted))) return NONE;
    const isUrgent = how === PREVIEW;
    const key = `${keyOf(wanted)} ${how.size}`;
    return (await this.#queue.ask(key, () => this.#draw(wanted), { isUrgent, signal })) ?? BUSY;
  }

  async #draw(wanted: ThumbnailRequest): Promise<ShownPicture> {
    const { document, locate, page, how } = wanted;
    const { maker } = this.#deps;
    const { sha256, type } = document;
    this.#drawing = sha256;
    const bytes = await locate(document);
    if (bytes === null || maker === null) return NONE;
    const drawn = await maker.draw({ bytes, type, page, ...how });
    if (drawn.kind === 'refused') {
      if (drawn.reason !== 'TROUBLE') this.#giveUp(keyOf(wanted));
      return NONE;
    }
    if (how === THUMBNAIL && this.#drawing === sha256)
      await this.#deps.cache.put(sha256, drawn.bytes).catch((error: unknown) => this.#warn(error));
    return drawn;
  }

  #giveUp(key: string): void {
    this.#undrawable.add(key);
    const [oldest = ''] = this.#undrawable;
    if (this.#undrawable.size > MOST_UNDRAWABLE) this.#undrawable.delete(oldest);
  }

  /** Warns once, because every thumbnail may fail. */
  #warn(error: unknown): null {
    if (!this.#isWarned) this.#deps.log.warn('thumbnailsNotStored', describeError(error));
    this.#isWarned = true;
    return null;
  }
}

const NONE: ShownPicture = { kind: 'none' };
const BUSY: ShownPicture = { kind: 'busy' };

function keyOf({ document, page }: ThumbnailRequest): string {
  return `${document.sha256} ${page}`;
}
