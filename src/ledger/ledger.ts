import { CHAIN, cleaned, folderIn, fromJournal, type Entry } from './entries.ts';
import type { Engine, Head, RecordedEntry } from './engine.ts';
import { fitting, fold, rowsOf, type FilePlace } from './fold.ts';
import type { RowFault } from '../core/messages.ts';
import { byTable, splitPath, TABLE_NAMES } from './schema.ts';
import { STEPS, type StepAnswer, type Item, type StepName } from './steps.ts';
import { lockEndpoints } from './steps/places.ts';
import { Work, type KnownPlaces } from './work.ts';

const REPLAYED_AT_ONCE = 2_000;
const TRIES = 3;

/** One step of a transaction: its name and what it is given. */
export type Step = {
  readonly [Name in StepName]: readonly [name: Name, items: readonly Item<Name>[]];
}[StepName];

interface Lenient {
  readonly count: number;
  /** Entries that do not fit those before them. */
  readonly misfits: readonly RecordedEntry[];
}

/**
 * Runs steps in transactions, one at a time as they come, and brings the tables forward from the journal.
 *
 *   run     lock and head ▶ steps decide, the fold changes rows ▶ rows are written ▶ entries are recorded ▶ commit ▶ answers
 *                                        └─ a row is at fault: undone, and done again by halves until it is alone
 *   start   the tables' head ▶ entries behind it ▶ fold ▶ rows are written ▶ commit, again and again
 *
 * A start after a clean stop finds nothing behind the head. After a crash it finds a transaction or two, with a restored database a day's, without a
 * database or with tables of an older schema everything, and so in a move to PostgreSQL.
 */
export class LedgerCore {
  readonly engine: Engine;
  #turn: Promise<unknown> = Promise.resolve();
  /** A commit failed after its entries were recorded. */
  #isBehind = false;
  /** As the last transaction left them. */
  #places: Partial<KnownPlaces> = {};

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** Brings the tables forward, between transactions. @returns how many entries that took */
  start(): Promise<number> {
    return this.between(async () => {
      const count = await this.#bringForward();
      await this.engine.finish();
      return count;
    });
  }

  /** @returns an answer for each item of each step */
  run<const Steps extends readonly Step[]>(
    steps: Steps,
  ): Promise<{ readonly [I in keyof Steps]: readonly (StepAnswer<Steps[I][0]> | RowFault)[] }> {
    // An answer for each item of each step, in their order.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return this.between(() => this.#run(cleaned(steps))) as never;
  }

  /** Runs `work` between two transactions. */
  between<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Resolves once everything asked so far is done. */
  async idle(): Promise<void> {
    await this.#turn;
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.engine.close();
  }

  /** Brings the tables forward if they are behind, and blanks what was erased. False if that could not be done now. */
  settle(): Promise<boolean> {
    return this.between(async () => {
      if (this.#isBehind) await this.#bringForward();
      return this.engine.finish();
    });
  }

  /** Again, if another transaction was in the way. */
  async #retry<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        if (tries >= TRIES || this.engine.faultOf(error) !== 'again') throw error;
      }
    }
  }

  async #run(steps: readonly Step[]): Promise<readonly (readonly unknown[])[]> {
    // An erasure looks for entries where they are recorded: those of its own transaction are not there yet.
    if (steps.length > 1 && steps.some(([name]) => name === 'erase'))
      return this.#apart(steps.map((step) => [step]));
    try {
      return await this.#retry(async () => {
        if (this.#isBehind) await this.#bringForward();
        return this.#transaction(steps);
      });
    } catch (error) {
      if (this.engine.faultOf(error) !== 'row') throw error;
      return this.#byHalves(steps, error);
    }
  }

  /** Each of these is a transaction. Once one was committed, a failure of the store is the answer of the others. */
  async #apart(parts: readonly (readonly Step[])[]): Promise<readonly (readonly unknown[])[]> {
    const answers: (readonly unknown[])[] = [];
    for (const steps of parts) {
      try {
        answers.push(...(await this.#run(steps)));
      } catch (error) {
        if (answers.length === 0) throw error;
        for (const [, items] of steps) answers.push(items.map((): RowFault => ({ fault: error })));
      }
    }
    return answers;
  }

  /** The steps, then the halves of a step, are transactions of their own until the row at fault is alone. */
  async #byHalves(steps: readonly Step[], error: unknown): Promise<readonly (readonly unknown[])[]> {
    const [first, ...others] = steps;
    if (first === undefined) return [];
    if (others.length > 0) return this.#apart(steps.map((step) => [step]));
    const [name, items] = first;
    if (items.length <= 1) return [items.map((): RowFault => ({ fault: error }))];
    const middle = items.length >> 1;
    const halves = [items.slice(0, middle), items.slice(middle)];
    const answers = await this.#apart(halves.map((half) => [[name, half] as unknown as Step]));
    return [answers.flat()];
  }

  async #transaction(steps: readonly Step[]): Promise<readonly (readonly unknown[])[]> {
    const { engine } = this;
    const answers: (readonly unknown[])[] = [];
    let isRecording = false;
    try {
      const work = new Work(engine, await engine.begin(), this.#places);
      if (steps.length > 1 && !work.isAlone)
        await lockEndpoints(
          work,
          steps.flatMap(([, items]) => items as readonly object[]),
        );
      for (const [name, items] of steps) {
        answers.push(
          await (STEPS[name] as (work: Work, items: readonly unknown[]) => Promise<readonly unknown[]>)(
            work,
            items,
          ),
        );
        // What a step finds in sets must be in the tables.
        if (steps.length > 1) await work.flush(false);
      }
      await work.flush();
      if (work.entries.length > 0) {
        isRecording = true;
        await engine.record(work.entries);
      }
      await engine.commit();
      if (work.isAlone) this.#places = { endpoints: work.rows.endpoints, folders: work.rows.folders };
    } catch (error) {
      this.#places = {};
      const isDone = isRecording && (await engine.isRecorded(error));
      this.#isBehind ||= isDone;
      await engine.rollback();
      if (!isDone) throw error;
      // Reads lack what was answered until this succeeds: now, or before the next transaction.
      await this.#bringForward().catch(() => {});
    }
    return answers;
  }

  async #bringForward(): Promise<number> {
    this.#places = {};
    let count = 0;
    let batch: RecordedEntry[] = [];
    for await (const entries of this.engine.behind()) {
      batch.push(...entries);
      if (batch.length < REPLAYED_AT_ONCE && entries.length > 0) continue;
      count += await this.#replay(batch);
      batch = [];
    }
    count += await this.#replay(batch);
    this.#isBehind = false;
    return count;
  }

  /** Folds entries that the engine records as they are: a move. @returns how many */
  follow(parts: Iterable<readonly RecordedEntry[]>): Promise<number> {
    return this.between(async () => {
      let count = 0;
      for (const entries of parts) count += await this.#retry(() => this.#replay(entries));
      return count;
    });
  }

  /** Folds entries, of which some may be missing or changed. */
  async foldLeniently(
    parts: Iterable<readonly RecordedEntry[]> | AsyncIterable<readonly RecordedEntry[]>,
  ): Promise<Lenient> {
    let count = 0;
    const misfits: RecordedEntry[] = [];
    const replay = async (entries: readonly RecordedEntry[]): Promise<void> => {
      try {
        count += await this.#replay(entries);
      } catch (error) {
        if (this.engine.faultOf(error) !== 'row') throw error;
        const middle = entries.length >> 1;
        if (middle === 0) return void misfits.push(...entries);
        await replay(entries.slice(0, middle));
        await replay(entries.slice(middle));
      }
    };
    for await (const entries of parts) await replay(entries);
    return { count, misfits };
  }

  async #replay(entries: readonly RecordedEntry[]): Promise<number> {
    if (entries.length === 0) return 0;
    const { engine } = this;
    const head = await engine.begin();
    try {
      for (const part of partsOf(entries, head)) {
        const work = new Work(engine, { ...head, base: part.base, name: part.name });
        await lookUp(work, part.entries);
        for (const { seq, at, entry } of part.entries) {
          const fits = work.isAlone ? entry : fitting(work, entry);
          if (fits !== null) fold(work, fits, at, part.base + seq);
        }
        await work.flush();
      }
      await engine.replayed(entries);
      await engine.commit();
    } catch (error) {
      await engine.rollback();
      throw error;
    }
    return entries.length;
  }
}

interface Part {
  readonly base: number;
  readonly name: string;
  readonly entries: { readonly seq: number; readonly at: number; readonly entry: Entry }[];
}

/** Loads the rows that the entries change and an earlier entry made. */
async function lookUp(work: Work, entries: Part['entries']): Promise<void> {
  const first = work.base + (entries[0]?.seq ?? 0);
  const isMadeHere = (id: number): boolean => id >= first && id < work.base + CHAIN;
  const ids = byTable((): number[] => []);
  for (const { entry } of entries) {
    const rows = rowsOf(work, entry);
    for (const table of TABLE_NAMES) {
      const isMade = table === 'documents' || table === 'files' || table === 'attempts';
      for (const id of rows[table] ?? []) if (!isMade || !isMadeHere(id)) ids[table].push(id);
    }
  }
  await work.loadAll(ids);
  // One agent's own chain never names bytes or names twice.
  if (!work.isAlone) await work.look(wantedBy(work, entries));
}

/** What the entries take for themselves. */
function wantedBy(work: Work, entries: Part['entries']): Parameters<Work['look']>[0] {
  const admitted: { endpoint: number; sha256: string; name: string }[] = [];
  const files: FilePlace[] = [];
  const results: { document: number; sha256: string }[] = [];
  for (const { entry } of entries) {
    if (entry.kind === 'admitted') admitted.push(entry);
    if (entry.kind === 'admitted' || entry.kind === 'file')
      files.push({ folder: folderIn(entry.folder, work.name), ...splitPath(entry.path) });
    if (entry.kind === 'result')
      results.push({
        document: entry.document === undefined ? 0 : work.id(entry.document),
        sha256: entry.sha256,
      });
    if (entry.kind === 'row' && entry.table === 'documents') {
      const { endpoint_id, sha256, name } = entry.row;
      admitted.push({ endpoint: Number(endpoint_id), sha256: String(sha256), name: String(name) });
    }
  }
  return { admitted, files, results };
}

/** Entries of the same chain in a row. */
function partsOf(entries: readonly RecordedEntry[], head: Pick<Head, 'base' | 'name'>): readonly Part[] {
  const parts: Part[] = [];
  for (const { base = head.base, name = head.name, seq, at, ...recorded } of entries) {
    const entry = { seq, at, entry: fromJournal(recorded) };
    const last = parts.at(-1);
    if (last?.base === base) last.entries.push(entry);
    else parts.push({ base, name, entries: [entry] });
  }
  return parts;
}
