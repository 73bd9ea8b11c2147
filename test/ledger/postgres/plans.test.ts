import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Connector, type Connection } from '../../../src/ledger/postgres/connection.ts';
import { openPostgresLedger } from '../../../src/ledger/adapter/openPostgres.ts';
import { CHAIN } from '../../../src/ledger/entries.ts';
import { BY_INDEX } from '../../../src/ledger/postgres/connection.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { ACCEPTANCE, admission, OFFICE, seen } from '../../contract/ledger/support.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { agentOptions, ask, openPostgres } from '../support/agents.ts';
import { EVERY_MS, fill, FIRST_AT, folderOf } from '../support/fill.ts';
import { targetOf } from './place.ts';
import { statementsOf } from './statements.ts';
import { begin, nextOf, finish } from '../../support/uploads.ts';

const DOCUMENTS = 10_000;
const NOW = FIRST_AT + DOCUMENTS * EVERY_MS;
const LARGE = /^(?:documents|files|attempts|requests|results|chain)$/;
/** Partial indexes of what is few, or is asked for as a whole. */
const WHOLE = new Set(['documents_uploading', 'files_splitting', 'files_disposing', 'holds_open']);

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

describe.skipIf(!needsPostgres())('on a ledger with many documents', () => {
  let database: FreshDatabase;
  let ledger: Ledger;
  let connection: Connection;
  let base = 0;
  beforeAll(async () => {
    database = await freshDatabase();
    const agent = await openPostgres(database.url);
    base = agent.session.agent * CHAIN;
    await fill(agent.core.engine, base, 'agent:one', 0, DOCUMENTS);
    await agent.close();
    // Behind the numbers that were filled in.
    await ask(database.url, 'UPDATE agents SET seq = 1000000');
    ledger = await openPostgresLedger(agentOptions(database.url));
    connection = await new Connector(targetOf(database.url)).connect('plans');
    await connection.exec(`${BY_INDEX}; ANALYZE`);
  });
  afterAll(async () => {
    await ledger?.close();
    await connection?.close();
    await database?.remove();
  });

  /** Statements that `work` sends, which go through a large table as a whole. */
  async function goingThroughAll(work: () => Promise<unknown>): Promise<string[]> {
    const asked = new Map((await statementsOf(work)).map((each) => [each.text, each]));
    const found: string[] = asked.size === 0 ? ['nothing was asked'] : [];
    for (const { text, values } of asked.values()) {
      if (!/\bFROM\b|\bUPDATE\b/.test(text) || /^\s*(?:SET|LISTEN|EXPLAIN)/.test(text)) continue;
      const named = text.replace(/\$(\d+)/g, ':v$1');
      const params = Object.fromEntries(values.map((value, i) => [`v${i + 1}`, value as string]));
      const rows = await connection.all<{ 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(
        `EXPLAIN (FORMAT JSON) ${named}`,
        params,
      );
      for (const node of rows.flatMap((row) =>
        row['QUERY PLAN'].flatMap(({ Plan: plan }) => nodesOf(plan)),
      )) {
        const { 'Relation Name': table = '', 'Index Name': index, 'Index Cond': condition } = node;
        const isWhole = node['Node Type'] === 'Seq Scan' || (index !== undefined && condition === undefined);
        if (isWhole && LARGE.test(table) && !WHOLE.has(index ?? '')) found.push(`${index ?? table}: ${text}`);
      }
    }
    return found;
  }

  it('goes along an index to admit, nextOf, begin and end documents', async () => {
    const query = {
      endpoint: OFFICE,
      limit: 10,
      now: NOW,
      exceptFolders: [],
      freshSince: 0,
      longestWaitMs: 3_600_000,
    };
    const folder = folderOf(7);
    expect(
      await goingThroughAll(async () => {
        const { document } = await ledger.admit(
          admission('', 'new', { file: seen('new.jpg', 1, folder), at: NOW }),
        );
        await ledger.admit(admission('', 'new', { file: seen('copy.jpg', 1, folderOf(8)), at: NOW }));
        for (const lane of ['fresh', 'backlog'] as const) await nextOf(ledger, { ...query, lane });
        const attempt = await begin(ledger, document.id, NOW, 1);
        await finish(ledger, attempt, { ...ACCEPTANCE, at: NOW });
        await ledger.recover(NOW);
        await ledger.gone(folder, ['new.jpg'], NOW);
      }),
    ).toEqual([]);
  });

  it('goes along an index to write results, retries and erasures', async () => {
    const payload = Buffer.from('{}');
    const result = { at: NOW, baseUrl: OFFICE.baseUrl, status: 'OTHER', payload };
    const ids = await ledger.retriable(0, 10, NOW);
    expect(ids.length).toBeGreaterThan(0);
    expect(
      await goingThroughAll(async () => {
        await ledger.recordResult({ ...result, uid: OFFICE.uid, name: 'doc-scan27' });
        await ledger.recordResult({ ...result, uid: null, name: 'doc-scan30' });
        await ledger.retry(ids, NOW);
        expect(await ledger.erase([base + 271, base + 281], NOW)).toBeGreaterThan(0);
      }),
    ).toEqual([]);
  });

  it('goes along an index for what agents decide together', async () => {
    const { fleet } = ledger;
    expect(
      await goingThroughAll(async () => {
        const limits = { rate: { count: 100, intervalMs: 60_000 }, perDay: 1_000, perMonth: 9_000 };
        const begins = [{ document: base + 271, bytes: 1, at: NOW, ...fleet?.limitsOf(limits, 'fresh') }];
        await ledger.record(() => ({ ends: [], begins }));
      }),
    ).toEqual([]);
  });
});
