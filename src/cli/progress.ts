import { systemClock as clock } from '../system/systemClock.ts';
import type { ProgressSource, RunProgress } from '../wiring/progress.ts';
import { leftOf } from '../core/domain/note.ts';
import { countIn } from '../control/queries/overview.ts';
import { rateForecasts } from '../control/queries/rateNotes.ts';
import { endpointId, type Document } from '../core/domain/document.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { isElsewhere } from '../core/domain/elsewhere.ts';
import type { CliTexts } from '../texts/cli.ts';
import type { StateCount } from '../core/ports/ledgerReports.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { ProgressLine } from './progressLine.ts';
import { Throughput } from './throughput.ts';

const EVERY_MS = 500;

/** Progress line of a run on a terminal: documents done and waiting, pace, and time left. */
export class Progress implements RunProgress {
  /** For the log: text written to it appears above the progress line. */
  readonly line: ProgressLine;
  readonly #texts: Pick<CliTexts, 'run' | 'progress'>;
  readonly #opening: string | null;
  #throughput = new Throughput();
  #accepted = 0;
  #last = '';
  #waiting = 0;

  /** `opening`: a permanent line, printed when the run begins. */
  constructor(
    terminal: NodeJS.WriteStream,
    texts: Pick<CliTexts, 'run' | 'progress'>,
    opening: string | null,
  ) {
    this.#texts = texts;
    this.#opening = opening;
    this.line = new ProgressLine(terminal);
  }

  accepted({ name }: Document): void {
    this.#accepted += 1;
    this.#last = escapeUnsafe(name);
  }

  /** Draws until the returned function is called or `stop` aborts. A failure to draw never ends the run. */
  begin(source: ProgressSource, stop: AbortSignal): () => Promise<void> {
    if (this.#opening !== null) this.say(this.#opening);
    const over = new AbortController();
    const until = AbortSignal.any([stop, over.signal]);
    const stopping = (): void => {
      const underWay = source.inFlight();
      this.line.show('');
      // A permanent line, because a second Ctrl-C ends the program at once and the prompt then follows it.
      if (underWay > 0) this.say(this.#texts.run.stopping(underWay));
    };
    stop.addEventListener('abort', stopping, { once: true });
    const drawn = this.#draw(source, until);
    return async () => {
      stop.removeEventListener('abort', stopping);
      over.abort();
      await drawn;
      await this.#look(source);
      this.line.show('');
    };
  }

  /** Prints a permanent line. */
  say(sentence: string): void {
    this.line.write(`${sentence}\n`);
  }

  close(): void {
    this.line.close();
  }

  /** Summary of the run, in one sentence. */
  get summary(): string {
    return this.#texts.run.stopped(this.#accepted, this.#waiting);
  }

  async #draw(source: ProgressSource, until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      const text = await this.#look(source);
      if (!until.aborted) this.line.show(text);
      await clock.sleep(EVERY_MS, until).catch(() => {});
    }
  }

  async #look(source: ProgressSource): Promise<string> {
    try {
      return this.#text(await source.counts(), source);
    } catch (error) {
      const away = error instanceof ReceiptdError && error.code === 'LEDGER_UNREACHABLE';
      return away ? this.#texts.run.ledgerUnreachable : this.#texts.run.ledgerUnreadable;
    }
  }

  #text(counts: readonly StateCount[], source: ProgressSource): string {
    const endpoints = source.endpoints();
    const own = new Set(endpoints.map(({ key }) => endpointId(key)));
    const here = counts.filter(
      ({ endpoint, folder }) => endpoint !== null && own.has(endpointId(endpoint)) && !isElsewhere(folder),
    );
    const [moving, held] = [countIn(here, ['queued', 'uploading']), countIn(here, ['held'])];
    this.#waiting = moving + held;
    // A pace measured over idle hours would not predict the next backlog.
    if (moving === 0) this.#throughput = new Throughput();
    this.#throughput.add(clock.monotonic(), this.#accepted);
    const [slowest] = rateForecasts(source.limitedBy(), counts, endpoints).toSorted(
      (a, b) => b.leftMs - a.leftMs,
    );
    const { progress } = this.#texts;
    return [
      progress.accepted(this.#accepted),
      progress.waiting(this.#waiting),
      ...(held > 0 ? [progress.held(held)] : []),
      ...(slowest
        ? [progress.limited({ rate: slowest.rate, left: leftOf(slowest.leftMs) })]
        : this.#pace(moving)),
      ...(this.#last === '' ? [] : [progress.last(this.#last)]),
    ].join(', ');
  }

  #pace(moving: number): string[] {
    const perMinute = this.#throughput.perMinute();
    const leftMs = this.#throughput.forecast(moving);
    if (moving === 0 || perMinute === null || leftMs === null) return [];
    const { progress } = this.#texts;
    return [progress.perMinute(Math.max(1, Math.round(perMinute))), progress.left(leftMs)];
  }
}
