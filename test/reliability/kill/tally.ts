import { basename } from 'node:path';
import type { Kill } from './plan.ts';
import type { Round } from './round.ts';

/** Statistics of a campaign. */
export class Tally {
  readonly #counts = new Map<string, number>();
  /** Calls at which the binary killed itself, by kind. */
  readonly #calls = new Map<string, number>();
  /** Call numbers at which first runs were killed, by kind of call. */
  readonly #first = new Map<string, Set<number>>();
  rounds = 0;
  kills = 0;

  add({ plan, power, world }: Round): void {
    this.rounds += 1;
    if (world === null) return;
    if (!power) this.#count('ledgers damaged', plan.runs.filter(({ damage }) => damage !== null).length);
    for (const [index, { kind, kill, ended }] of world.runs.entries()) {
      if (kill === null) continue;
      if (ended.signal !== 'SIGKILL') {
        this.#count('runs that ended before their kill');
        continue;
      }
      this.kills += 1;
      const how = kind === 'restore' ? 'kills: in a restore' : `kills: ${kindOf(kill)}`;
      this.#count(ended.asPlanned ? how : 'kills: late, while idle');
      if (index === 0 && ended.asPlanned) this.#visit(kill);
      if (ended.killedAt !== null) this.#countCall(ended.killedAt);
    }
    const { books, scans } = world.observations.at(-1)!;
    this.#count('scans', scans.length);
    this.#count('documents', books.documents.size);
    for (const { state } of world.rows) this.#count(`rows ${state}`);
    this.#count('ledgers rebuilt', books.rebuilt);
    this.#count('requests', world.site.service.uploads.length);
    this.#count('stored', world.stored.length);
    this.#count(
      'stored again after a lost answer',
      world.stored.reduce((sum, { tries }) => sum + tries - 1, 0),
    );
  }

  lines(): string[] {
    const sorted = (counts: ReadonlyMap<string, number>): string =>
      [...counts]
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([what, count]) => `${what} ${count}`)
        .join(', ');
    const first = [...this.#first].map(
      ([what, calls]) => `${what} ${[...calls].sort((a, b) => a - b).join(' ')}`,
    );
    return [
      `${this.rounds} rounds, ${this.kills} kills`,
      sorted(this.#counts),
      `killed at: ${sorted(this.#calls)}`,
      `calls of first runs: ${first.join('; ')}`,
    ];
  }

  #count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }

  #visit(kill: Kill): void {
    if (kill.kind !== 'write' && kill.kind !== 'sqlite') return;
    const isWrite = kill.kind === 'write';
    const what = isWrite ? `${kill.when} ${kill.place}` : kill.system;
    this.#first.set(what, (this.#first.get(what) ?? new Set()).add(isWrite ? kill.call : kill.nth));
  }

  #countCall(report: string): void {
    const { name, path }: { name: string; path: string } = JSON.parse(report);
    // The journal was linked to its final name, but the descriptor shows the first one.
    const file = path
      .replace('.new (deleted)', '')
      .replaceAll(/[0-9a-f]{8,}(-[0-9a-f]{4,})*/g, '*')
      .replaceAll(/\d{4,}/g, '*');
    const what = `${name} ${basename(file)}`;
    this.#calls.set(what, (this.#calls.get(what) ?? 0) + 1);
  }
}

function kindOf(kill: Kill): string {
  return kill.kind === 'write' ? `${kill.when} a write of ${kill.place}` : kill.kind;
}
