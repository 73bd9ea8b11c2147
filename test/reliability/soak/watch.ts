import { createWriteStream, type WriteStream } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { finished } from 'node:stream/promises';
import { callControl } from '../../../src/control/client.ts';
import type { Life } from './agent.ts';
import type { Book } from './book.ts';
import type { Lives } from './lives.ts';
import type { Place } from './place.ts';
import { countDirs, processFigures, stateFigures, type Sample } from './samples.ts';
import type { Service } from './service.ts';
import type { Weather } from './weather.ts';

export const SAMPLE_MS = 1_000;

interface WatchParts {
  readonly place: Place;
  readonly book: Book;
  readonly lives: Lives;
  readonly service: Service;
  readonly weather: Weather;
}

/** Samples the agent, and tells the service how late arrivals may have been noticed. */
export class Watch {
  readonly #parts: WatchParts;
  readonly #file: WriteStream | null;
  readonly #startedAt = performance.now();
  readonly #samples: Sample[] = [];
  readonly #stalls = monitorEventLoopDelay({ resolution: 5 });

  /** `file`: destination of the samples, as JSON lines. */
  constructor(parts: WatchParts, file: string | null) {
    this.#parts = parts;
    this.#file = file === null ? null : createWriteStream(file);
    this.#stalls.enable();
  }

  async sample(): Promise<void> {
    const { now: life, count } = this.#parts.lives;
    const at = performance.now();
    this.#tellLateness(at);
    if (life === null) return;
    const figures = await processFigures(life.pid);
    const answer = await this.#askStatus(life);
    if (!figures || !life.isAlive) return;
    const sample: Sample = {
      at: Math.round(at - this.#startedAt) / 1_000,
      life: count,
      weather: this.#parts.weather.now,
      ...figures,
      inside: life.inside,
      dirs: await this.#watchedDirs(),
      ...answer,
      ...(await stateFigures(this.#parts.place.stateDir)),
      accepted: this.#parts.book.acceptedCount,
      waiting: this.#parts.book.waiting,
    };
    this.#samples.push(sample);
    this.#file?.write(`${JSON.stringify(sample)}\n`);
  }

  /** Samples of the life that has most of them. */
  longestLife(): readonly Sample[] {
    let longest: Sample[] = [];
    for (let life = 1; life <= this.#parts.lives.count; life += 1) {
      const samples = this.#samples.filter((sample) => sample.life === life);
      if (samples.length > longest.length) longest = samples;
    }
    return longest;
  }

  async close(): Promise<void> {
    this.#stalls.disable();
    if (this.#file === null) return;
    this.#file.end();
    await finished(this.#file);
  }

  #tellLateness(at: number): void {
    const own = this.#stalls.max / 1e6;
    this.#stalls.reset();
    const { now: life, frozen } = this.#parts.lives;
    const from = at - 2 * SAMPLE_MS - own;
    this.#parts.service.rate.jolt({
      from,
      to: at,
      lateMs: own + (life?.inside?.loopMs ?? 0),
      frozen: life === null || frozen.some((each) => each.to >= from),
    });
  }

  /** An agent that is frozen or ending answers late or not at all. */
  async #askStatus({ isAlive }: Life): Promise<Pick<Sample, 'statusMs' | 'spool'>> {
    if (!isAlive) return { statusMs: null, spool: null };
    const asked = performance.now();
    try {
      const { spool } = await callControl(this.#parts.place.stateDir, 'status', {}, { timeoutMs: 5_000 });
      return { statusMs: performance.now() - asked, spool: spool.used };
    } catch {
      return { statusMs: null, spool: null };
    }
  }

  async #watchedDirs(): Promise<number> {
    let count = 0;
    for (const { dir, polled, recursive } of this.#parts.place.inboxes) {
      if (!polled) count += recursive ? await countDirs(dir) : 1;
    }
    return count;
  }
}
