import type { Unreadable } from '../core/ports/pages.ts';
import type { Confinement } from './confinement.ts';
import { RendererProcess, type RendererLimits } from './rendererProcess.ts';

export interface RenderersOptions {
  readonly confinement: () => Promise<Confinement>;
  readonly limits?: Partial<RendererLimits>;
}

const LIMITS: Omit<RendererLimits, 'imageBytes'> = {
  withinMs: 30_000,
  startWithinMs: 30_000,
  memoryBytes: 1024 * 1024 * 1024,
};

/** Starts renderer processes. Closing it ends them all, and no more are started. */
export class Renderers {
  readonly #confinement: () => Promise<Confinement>;
  readonly #limits: RendererLimits;
  readonly #running = new Set<RendererProcess>();
  #isClosed = false;

  /** `imageBytes`: size limit of an image in an answer. */
  constructor({ confinement, limits }: RenderersOptions, imageBytes: number) {
    this.#confinement = confinement;
    this.#limits = { ...LIMITS, imageBytes, ...limits };
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @returns the reason if it does not start */
  async start(): Promise<RendererProcess | Unreadable> {
    if (this.#isClosed) return STOPPED;
    const started = await RendererProcess.start(await this.#confinement(), this.#limits);
    if ('kind' in started) return started;
    for (const each of this.#running) if (each.isOver) this.#running.delete(each);
    this.#running.add(started);
    if (this.#isClosed) await started.end();
    return started;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map((each) => each.end()));
  }
}

export const STOPPED: Unreadable = { kind: 'refused', reason: 'TROUBLE', detail: { is: 'stopping' } };
export const NONSENSE: Unreadable = {
  kind: 'refused',
  reason: 'DAMAGED',
  detail: { is: 'noAnswer' },
};
