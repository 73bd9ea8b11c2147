import type { Unreadable } from '../core/ports/pages.ts';
import type { Frame, Reply, PageRequest } from './protocol.ts';
import type { RendererProcess } from './rendererProcess.ts';

export interface KeptFor {
  /** Requests before the process is replaced, which limits how long a hostile image can affect it. */
  readonly questions: number;
  readonly idleMs: number;
}

const KEPT_FOR: KeptFor = { questions: 50, idleMs: 5_000 };

/**
 * Reuses one renderer process for small requests about images, one at a time, which saves starting one for each:
 *
 *   none ──ask──▶ running ──idle, request limit, or ended──▶ none
 */
export class KeptProcess {
  readonly #start: () => Promise<RendererProcess | Unreadable>;
  readonly #keptFor: KeptFor;
  #process: RendererProcess | null = null;
  #asked = 0;
  #idle: NodeJS.Timeout | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(start: () => Promise<RendererProcess | Unreadable>, keptFor: Partial<KeptFor> = {}) {
    this.#start = start;
    this.#keptFor = { ...KEPT_FOR, ...keptFor };
  }

  /** Answers requests in order. Never rejects. */
  ask(request: PageRequest, body: Buffer): Promise<Frame<Reply> | Unreadable> {
    const answer = this.#turn.then(() => this.#ask(request, body)).catch(asRefusal);
    this.#turn = answer;
    return answer;
  }

  /** Ends the process; the next request starts a new one. */
  async end(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    const running = this.#process;
    this.#process = null;
    await running?.end();
  }

  async #ask(request: PageRequest, body: Buffer): Promise<Frame<Reply> | Unreadable> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#process !== null && (this.#process.isOver || this.#asked >= this.#keptFor.questions))
      await this.end();
    if (this.#process === null) {
      const started = await this.#start();
      if ('kind' in started) return started;
      this.#process = started;
      this.#asked = 0;
    }
    this.#asked += 1;
    const answer = await this.#process.ask(request, body);
    this.#idle = setTimeout(() => void this.end(), this.#keptFor.idleMs).unref();
    return answer;
  }
}

/** The process could not even be started; the next attempt may succeed. */
function asRefusal(error: unknown): Unreadable {
  return { kind: 'refused', reason: 'TROUBLE', detail: { is: 'notAsked', detail: String(error) } };
}
