import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Generations, type Generation } from '../../src/daemon/generations.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { FakeClock, eventually } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';

/** Reports what happens to it; drains on request. */
class Told implements Generation {
  readonly name: string;
  readonly #story: string[];
  readonly #drained: Promise<void>;
  fail: (error: Error) => void = () => {};

  constructor(name: string, story: string[], drained: Promise<void>) {
    this.name = name;
    this.#story = story;
    this.#drained = drained;
    story.push(`${name} composed`);
  }

  async run(stop: AbortSignal): Promise<void> {
    this.#story.push(`${this.name} runs`);
    await new Promise<void>((resolve, reject) => {
      this.fail = reject;
      if (stop.aborted) resolve();
      stop.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#story.push(`${this.name} drains`);
    await this.#drained;
  }

  async close(): Promise<void> {
    this.#story.push(`${this.name} closed`);
  }
}

async function begin(broken: Map<string, Error[]> = new Map()) {
  const story: string[] = [];
  const log = new RecordedLog();
  const clock = new FakeClock();
  let drain = (): void => {};
  let drained = Promise.resolve();
  const generations = await Generations.start<string, Told>('a', {
    compose: async (name: string) => {
      const error = broken.get(name)?.shift();
      if (error) throw error;
      return new Told(name, story, drained);
    },
    clock,
    log,
  });
  const stop = new AbortController();
  const running = generations.run(stop.signal);
  running.catch(() => {});
  return {
    generations,
    story,
    log,
    clock,
    stop: () => stop.abort(new Error('the test is over')),
    running,
    /** From the next generation on, draining lasts until the returned function is called. */
    slowly: (): (() => void) => {
      drained = new Promise((resolve) => {
        drain = resolve;
      });
      return () => drain();
    },
  };
}

describe('replacing a configuration', () => {
  it('is done one by one, however many are requested at once', async () => {
    const { generations, story, stop, running } = await begin();
    await Promise.all(['b', 'c', 'd'].map((name) => generations.replace(name)));
    const composed = story.filter((line) => line.endsWith('composed'));
    expect(composed).toEqual(['a composed', 'b composed', 'c composed', 'd composed']);
    let open = 0;
    for (const line of story) {
      if (line.endsWith('composed')) open += 1;
      if (line.endsWith('closed')) open -= 1;
      expect(open).toBeLessThanOrEqual(1);
    }
    stop();
    await running;
  });

  it('waits for acts in progress, and later acts wait for it', async () => {
    const { generations, story, stop, running } = await begin();
    let end = (): void => {};
    const early = generations.act(async ({ name }) => {
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      story.push(`act on ${name}`);
    });
    const replaced = generations.replace('b');
    await turn();
    const late = generations.act(async ({ name }) => story.push(`act on ${name}`));
    await turn();
    expect(story).toEqual(['a composed', 'a runs']);
    end();
    await Promise.all([early, replaced, late]);
    expect(story.indexOf('act on a')).toBeLessThan(story.indexOf('a drains'));
    expect(story.indexOf('act on b')).toBeGreaterThan(story.indexOf('b composed'));
    stop();
    await running;
  });

  it("leaves the previous one running if the new one can't be composed", async () => {
    const broken = new Map([['b', [new ReceiptdError({ code: 'CONFIG_INVALID', message: 'Not that.' })]]]);
    const { generations, log, stop, running } = await begin(broken);
    await expect(generations.replace('b')).rejects.toThrow('Not that.');
    expect(generations.current.name).toBe('a');
    expect(log.said('The new configuration could not be applied')).toHaveLength(1);
    await generations.replace('c');
    expect(await generations.act(async ({ name }) => name)).toBe('c');
    stop();
    await running;
  });

  it('keeps retrying if even the previous one can no longer be composed', async () => {
    const full = new ReceiptdError({ code: 'DISK_FULL', message: 'The disk is full.' });
    const broken = new Map([
      ['b', [full]],
      ['a', [] as Error[]],
    ]);
    const { generations, log, clock, stop, running } = await begin(broken);
    broken.set('a', [full, full]);
    const refused = generations.replace('b').catch((error: unknown) => error);
    await eventually(() => log.said('The old configuration').length === 1);
    await clock.advance(5_000);
    await eventually(() => log.said('The old configuration').length === 2);
    await clock.advance(5_000);
    expect(await refused).toBe(full);
    expect(generations.current.name).toBe('a');
    stop();
    await running;
  });
});

describe('at the end of the process', () => {
  it('waiting acts are refused', async () => {
    const { generations, story, slowly, stop, running } = await begin();
    const drain = slowly();
    await generations.replace('b');
    const wanted = generations.replace('c');
    wanted.catch(() => {});
    await turn();
    const act = generations.act(async () => 'done');
    act.catch(() => {});
    await eventually(() => story.includes('b drains'));
    stop();
    drain();
    await expect(wanted).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    await expect(act).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    await running;
    await expect(generations.replace('d')).rejects.toMatchObject({ code: 'NOT_RUNNING' });
    expect(story.filter((line) => line.startsWith('c'))).toEqual([]);
  });

  it('a defect of a generation is reported', async () => {
    const { generations, running } = await begin();
    generations.current.fail(new Error('a defect'));
    await expect(running).rejects.toThrow('a defect');
  });
});
