import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Dice } from '../support/dice.ts';
import { TRACE } from '../../oracle/nothingLost.ts';
import { pause, runAgent, type Ended } from '../support/agentProcess.ts';
import type { Lives } from './lives.ts';
import type { Place } from './place.ts';

/** Commands that people run while the agent runs, with their weights. */
const CHORES = {
  status: 6,
  list: 3,
  show: 3,
  retryAll: 1,
  pauseEndpoint: 1,
  pauseFolder: 1,
  audit: 1,
  verify: 1,
  backup: 1,
  export: 1,
};

const NAMED = z.array(z.looseObject({ name: z.string().nullable() }));

interface OperatorParts {
  readonly place: Place;
  readonly dice: Dice;
  readonly lives: Lives;
}

/** A person at the command line. The agent is not replaced while a command runs. */
export class Operator {
  readonly #parts: OperatorParts;
  #serial = 0;
  readonly breaches: string[] = [];
  /** Commands, by name. */
  readonly counts = new Map<string, number>();

  constructor(parts: OperatorParts) {
    this.#parts = parts;
  }

  /** Runs one chore after another until aborted; leaves nothing paused. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#parts.dice.int(2_000, 9_000), signal);
      if (!signal.aborted) await this.#chore(this.#parts.dice.weighted(CHORES), signal);
    }
  }

  /** Retries everything, like a person who has resolved the problem. */
  async retryAll(): Promise<void> {
    await this.must('retry', '--all');
  }

  /** Runs a command that must succeed; returns its output. */
  async must(...args: string[]): Promise<string> {
    return (await this.ask([0], ...args)).stdout;
  }

  async ask(statuses: readonly number[], ...args: string[]): Promise<Ended> {
    return this.#parts.lives.gate.inside(async () => {
      const ended = await runAgent(this.#parts.place, ...args);
      const what = `receiptd ${args[0]}`;
      this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
      const said = `${ended.stdout.slice(0, 500)}${ended.stderr.slice(0, 1_500)}`;
      if (ended.status === null || !statuses.includes(ended.status))
        this.breaches.push(`receiptd ${args.join(' ')} ended with ${ended.status ?? ended.signal}: ${said}`);
      else if (TRACE.test(ended.stderr))
        this.breaches.push(`receiptd ${args.join(' ')} printed a stack trace: ${said}`);
      return ended;
    });
  }

  async #chore(chore: keyof typeof CHORES, signal: AbortSignal): Promise<void> {
    const dice = this.#parts.dice;
    switch (chore) {
      case 'status':
        await this.must('status');
        return;
      case 'list':
        await this.must('list', '--limit', '200');
        return;
      case 'show': {
        const rows = await this.must('list', '--json', '--state', 'accepted', '--limit', '20');
        const names = NAMED.parse(JSON.parse(rows)).flatMap(({ name }) => (name === null ? [] : [name]));
        if (names.length > 0) await this.must('show', dice.pick(names));
        return;
      }
      case 'retryAll':
        return this.retryAll();
      case 'pauseEndpoint':
        return this.#pause(dice.pick(['office', 'depot']), signal);
      case 'pauseFolder':
        return this.#pause(dice.pick(this.#parts.place.inboxes).dir, signal);
      case 'audit':
        // New or absent files are correctly reported as not accounted for, or not checked.
        await this.ask([0, 3, 4], 'audit', '--wait', '3s');
        return;
      case 'verify':
        await this.must('ledger', 'verify');
        return;
      case 'backup':
        return this.#toFile((file) => this.must('backup', file));
      case 'export':
        return this.#toFile((file) => this.must('export', '--format', 'csv', '--output', file));
    }
  }

  async #pause(target: string, signal: AbortSignal): Promise<void> {
    await this.must('pause', target);
    await pause(this.#parts.dice.int(1_000, 5_000), signal);
    await this.must('resume', target);
  }

  async #toFile(write: (file: string) => Promise<string>): Promise<void> {
    this.#serial += 1;
    const file = join(this.#parts.place.dir, `output ${this.#serial}`);
    await write(file);
    for (const each of [file, `${file}.head.json`]) await rm(each, { force: true });
  }
}
