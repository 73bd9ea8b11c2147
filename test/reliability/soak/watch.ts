import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { callControl } from '../../../src/control/client.ts';
import type { Service } from '../support/service.ts';
import type { Jolt } from './limits.ts';
import type { Life, Lives } from './lives.ts';
import type { Office } from './office.ts';
import type { Place } from './place.ts';
import type { LogRecord } from './record.ts';
import { countDirs, processFigures, stateFigures, type Sample } from './samples.ts';
import type { Weather } from './weather.ts';

export const SAMPLE_MS = 1_000;

interface WatchParts {
  readonly place: Place;
  readonly office: Office;
  readonly log: LogRecord;
  readonly lives: Lives;
  readonly service: Service;
  readonly weather: Weather;
}

/** Samples the agent, and notes how late arrivals may have been noticed. */
export class Watch {
  readonly #parts: WatchParts;
  readonly #file: WriteStream | null;
  readonly #startedAt = performance.now();
  readonly #samples: Sample[] = [];
  readonly jolts: Jolt[] = [];

  /** `file`: destination of the samples, as JSON lines. */
  constructor(parts: WatchParts, file: string | null) {
    this.#parts = parts;
    this.#file = file === null ? null : createWriteStream(file);
  }

  async sample(): Promise<void> {
    const { now: life, count } = this.#parts.lives;
    const at = performance.now();
    this.#noteLateness(at);
    if (life === null) return;
    const figures = await processFigures(life.process.pid);
    const answer = await this.#askStatus(life);
    if (!figures || life.process.exited.aborted) return;
    const sample: Sample = {
      at: Math.round(at - this.#startedAt) / 1_000,
      life: count,
      weather: this.#parts.weather.now,
      ...figures,
      inside: life.inside,
      dirs: await this.#watchedDirs(),
      ...answer,
      ...(await stateFigures(this.#parts.place.stateDir)),
      accepted: this.#parts.log.acceptedCount,
      waiting: this.#parts.office.waiting,
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
    if (this.#file === null) return;
    this.#file.end();
    await finished(this.#file);
  }

  #noteLateness(at: number): void {
    const own = this.#parts.service.stallMs(true);
    const { now: life, frozen } = this.#parts.lives;
    const from = at - 2 * SAMPLE_MS - own;
    this.jolts.push({
      from,
      to: at,
      lateMs: own + (life?.inside?.loopMs ?? 0),
      frozen: life === null || frozen.some((each) => each.to >= from),
    });
  }

  /** An agent that is frozen or ending answers late or not at all. */
  async #askStatus({ process }: Life): Promise<Pick<Sample, 'statusMs' | 'spool'>> {
    if (process.exited.aborted) return { statusMs: null, spool: null };
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
