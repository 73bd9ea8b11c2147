import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { isBad, parseLine } from '../../src/ledger/journal/line.ts';
import { compareWithJournal } from '../../src/ledger/sqlite/compare.ts';
import { CHAIN } from '../../src/ledger/entries.ts';
import { isFault } from '../../src/core/messages.ts';
import type { LedgerCore, Step } from '../../src/ledger/ledger.ts';
import { STEPS } from '../../src/ledger/steps.ts';
import { needsPostgres } from '../support/postgres.ts';
import { ask, databaseOfEachTest, openPostgres, openSqlite } from './support/agents.ts';
import { History } from './support/history.ts';
import { counted, stepsFor, stored, withIds } from './support/rows.ts';

const TRANSACTIONS = 150;

describe.skipIf(!needsPostgres())('one history', () => {
  const database = databaseOfEachTest();
  const used = new Set<string>();
  const endings: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) await end();
  });

  async function both(seed: number) {
    let history: History | null = null;
    const now = (): number => history?.now ?? 0;
    const sqlite = await openSqlite(now);
    endings.push(() => sqlite.close());
    const postgres = await openPostgres(database.url);
    endings.push(() => postgres.close());
    withClock(postgres.core, now);
    history = new History(seed, sqlite.core);
    return { history, sqlite, postgres, base: postgres.session.agent * CHAIN };
  }

  it.each([1, 2, 3])(
    'makes the same answers, rows and counts on both engines, which the journal and the chain make again (%i)',
    async (seed) => {
      const { url } = database;
      const { history, sqlite, postgres, base } = await both(seed);
      for (let i = 0; i < TRANSACTIONS; i += 1) {
        const steps = await history.steps();
        if (steps.length === 0) continue;
        for (const [name] of steps) used.add(name);
        const answers = await run(sqlite.core, steps);
        const others = await run(postgres.core, stepsFor(steps, base));
        const said = JSON.stringify(steps);
        expect(
          withIds(others, (id) => id % CHAIN),
          said,
        ).toEqual(answers);
        expect(answers.flat().filter(isFault)).toEqual([]);
        history.learn(steps, answers);
      }

      const one = await stored(sqlite.core);
      const other = await stored(postgres.core);
      for (const [table, rows] of Object.entries(one.tables)) expect(other.tables[table]).toEqual(rows);
      expect(other.counts).toEqual(one.counts);
      expect(counted(one)).toEqual(one.counts);

      await sqlite.core.settle();
      expect((await compareWithJournal(sqlite.path, sqlite.journal)).findings).toEqual([]);
      expect(linesIn(await chainOf(url))).toEqual(
        linesIn(readFileSync(sqlite.journal, 'utf8').split('\n').slice(0, -1)),
      );

      await ask(url, 'UPDATE tables SET version = 0');
      await postgres.close();
      const again = await openPostgres(url, 'two');
      endings.push(() => again.close());
      const anew = await stored(again.core);
      for (const [table, rows] of Object.entries(one.tables)) expect(anew.tables[table]).toEqual(rows);
      expect(anew.counts).toEqual(one.counts);
    },
    120_000,
  );

  it('has every step', () => {
    // A ledger merges where it is moved to (move.test.ts).
    expect([...used, 'merge'].sort()).toEqual(Object.keys(STEPS).sort());
  });
});

function run(core: LedgerCore, steps: readonly Step[]): Promise<readonly (readonly unknown[])[]> {
  return core.run(steps);
}

/** Decides by the history's time rather than the database's. */
function withClock({ engine }: LedgerCore, now: () => number): void {
  const begin = engine.begin.bind(engine);
  engine.begin = async () => ({ ...(await begin()), now: now() });
}

async function chainOf(url: string): Promise<readonly string[]> {
  const rows = await ask<{ entry: string; hash: string; personal: string }>(
    url,
    'SELECT entry, hash, personal FROM chain ORDER BY agent, seq',
  );
  return rows.map(({ entry, hash, personal }) => `${entry}\t${hash}\t${personal}`);
}

/** What the entries say, without the first, what follows from its salt, ranges, which may be told apart differently, and times of a fleet's clock; and what is left of personal data. */
function linesIn(lines: readonly string[]) {
  return lines.slice(1).map((text) => {
    const { entry, personal } = lineOf(text);
    const { hash: _, line: _____, facts, ...rest } = entry;
    const { entries: __, stays: ___, left: ____, ...alike } = facts;
    return { ...rest, facts: alike, state: personal };
  });
}

function lineOf(text: string) {
  const line = parseLine(Buffer.from(text));
  if (isBad(line)) throw new Error(line.flaw.is);
  return line;
}
