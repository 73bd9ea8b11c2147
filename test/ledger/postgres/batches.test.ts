import { Client, escapeLiteral } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostgresLedger } from '../../../src/ledger/postgres/open.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { freshDatabase, needsPostgres, type FreshDatabase } from '../../support/postgres.ts';
import { ACCEPTANCE, admission, naming, seen } from '../../contract/ledger/support.ts';
import { agentOptions, ask, UNUSED } from './place.ts';
import { statementsOf, type Statement, type Value } from './statements.ts';

/** Leaves out heartbeats, and numbers that are taken in blocks. */
const OF_DOCUMENTS = /\b(?:documents|sightings|attempts|history|results)\b(?!_id_seq)/;

/** Statements about documents that `work` sends. */
async function aboutDocuments(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent = await statementsOf(work);
  return sent.filter(({ text }) => OF_DOCUMENTS.test(text) && !text.includes('nextval'));
}

function literal(value: Value | readonly Value[]): string {
  if (value === null) return 'NULL';
  if (typeof value !== 'object') return escapeLiteral(String(value));
  const each = value.map((one) => (one === null ? 'NULL' : JSON.stringify(String(one))));
  return escapeLiteral(`{${each.join(',')}}`);
}

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

function indexSteps(plan: Plan): string[] {
  const own =
    plan['Index Name'] === undefined ? [] : [`${plan['Index Name']} by ${plan['Index Cond'] ?? 'nothing'}`];
  return [...own, ...(plan.Plans ?? []).flatMap(indexSteps)];
}

describe.skipIf(!needsPostgres())('documents in one group', () => {
  let database: FreshDatabase;
  let ledger: Ledger;

  beforeEach(async () => {
    database = await freshDatabase(UNUSED);
    ledger = await openPostgresLedger(agentOptions(database.url));
    // This creates the rows of folder and endpoint.
    await ledger.admit(admission('first.jpg', 'first'));
  });
  afterEach(async () => {
    await ledger.close();
    await database.remove();
  });

  const admitMany = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, n) => ledger.admit(admission(`many-${n}.jpg`, `many ${n}`))),
    );

  it('take as many statements as one document', async () => {
    const one = await aboutDocuments(() => ledger.admit(admission('one.jpg', 'one')));
    let ids: number[] = [];
    const many = await aboutDocuments(async () => {
      ids = (await admitMany(40)).map(({ document }) => document.id);
    });
    expect(many.map(({ text }) => text).sort()).toEqual(one.map(({ text }) => text).sort());

    let attempts: number[] = [];
    const begun = await aboutDocuments(async () => {
      attempts = await Promise.all(ids.map((id) => ledger.begin(id, 1_500, 100)));
    });
    expect(begun.length).toBeLessThan(15);
    const finished = await aboutDocuments(() =>
      Promise.all(attempts.map((attempt) => ledger.finish(attempt, ACCEPTANCE))),
    );
    expect(finished.length).toBeLessThan(15);
    const rows = await ask<{ state: string; count: number }>(
      database.url,
      `SELECT d.state, count(*)::integer AS count FROM documents d JOIN attempts a ON a.document_id = d.id
        WHERE a.finished_at = 3000 AND a.http_status = 200 AND a.bytes = 100 AND d.service_status = 'PROCESSING' GROUP BY d.state`,
    );
    expect(rows).toEqual([{ state: 'accepted', count: 40 }]);
  });

  it('get one name for the same bytes, and a number each', async () => {
    const of = (path: string, content: string) =>
      ledger.admit(admission(path, content, { naming: naming('n{seq}', content) }));
    const [a, same, b, again] = await Promise.all([
      of('a.jpg', 'a'),
      of('copy of a.jpg', 'a'),
      of('b.jpg', 'b'),
      // Another image at a path in the same group.
      of('a.jpg', 'c'),
    ]);
    expect([a.kind, same.kind, b.kind, again.kind]).toEqual(['queued', 'duplicate', 'queued', 'queued']);
    expect(same.document.id).toBe(a.document.id);
    expect([a, b, again].map(({ document }) => document.name)).toEqual(['n1', 'n2', 'n3']);
    const current = await ask<{ name: string; verdict: string; document: string }>(
      database.url,
      `SELECT s.name, s.verdict, d.name AS document FROM sightings s JOIN documents d ON d.id = s.document_id
        WHERE s.gone_at IS NULL AND d.name LIKE 'n%' ORDER BY s.name`,
    );
    expect(current).toEqual([
      { name: 'a.jpg', verdict: 'document', document: 'n3' },
      { name: 'b.jpg', verdict: 'document', document: 'n2' },
      { name: 'copy of a.jpg', verdict: 'duplicate', document: 'n1' },
    ]);
  });

  it('are refused alone if faulty', async () => {
    const { document } = await ledger.admit(admission('taken.jpg', 'taken', { naming: ['taken'] }));
    const admitted = await Promise.allSettled([
      ledger.admit(admission('x.jpg', 'x')),
      ledger.admit(admission('y.jpg', 'y', { naming: ['taken'] })),
      ledger.admit(admission('z.jpg', 'z')),
    ]);
    expect(admitted.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);

    const begun = await Promise.allSettled([
      ledger.begin(document.id, 1_500, 1),
      ledger.begin(99_999, 1_500, 1),
    ]);
    expect(begun.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const attempt = begun[0].status === 'fulfilled' ? begun[0].value : 0;
    const finished = await Promise.allSettled([
      ledger.finish(99_999, ACCEPTANCE),
      ledger.finish(attempt, ACCEPTANCE),
    ]);
    expect(finished.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect((await ledger.document(document.id))?.state).toBe('accepted');
  });

  it('keep their order relative to other operations on their files', async () => {
    const [, , seenAgain] = await Promise.all([
      ledger.admit(admission('p.jpg', 'p')),
      ledger.gone('/scans', ['p.jpg'], 1_100),
      ledger.admit(admission('p.jpg', 'q', { file: seen('p.jpg', 2) })),
    ]);
    expect(seenAgain.kind).toBe('queued');
    const rows = await ask<{ sha: boolean; gone: string | null }>(
      database.url,
      `SELECT gone_at AS gone FROM sightings WHERE name = 'p.jpg' ORDER BY id`,
    );
    expect(rows.map(({ gone }) => gone === null)).toEqual([false, true]);
  });

  it('are each found by one index lookup, even with plans made while the tables were small', async () => {
    const sent = await aboutDocuments(async () => {
      await admitMany(3);
      const { document } = await ledger.admit(admission('last.jpg', 'last'));
      const attempt = await ledger.begin(document.id, 1_500, 1);
      await ledger.finish(attempt, ACCEPTANCE);
      await ledger.wanted([document.sha256], 0);
    });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const steps: string[] = [];
    try {
      await client.query(`SET search_path = receiptd; SET plan_cache_mode = force_generic_plan;
        SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`);
      for (const { text, values } of sent.filter(({ text: each }) => /\bFROM\b|\bUPDATE\b/.test(each))) {
        await client.query(`PREPARE asked AS ${text}`);
        const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
        const { rows } = await client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
          `EXPLAIN (FORMAT JSON) EXECUTE asked${given}`,
        );
        await client.query('DEALLOCATE asked');
        steps.push(...rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan: plan }) => indexSteps(plan))));
      }
    } finally {
      await client.end();
    }
    const large = steps.filter((step) => /^(?:documents|sightings|attempts)_/.test(step));
    expect(large.length).toBeGreaterThan(8);
    // A folder or an endpoint alone would match everything that it ever had. Few files are being split at a time.
    expect(
      large
        .filter((step) => !step.startsWith('sightings_splitting '))
        .filter(
          (step) =>
            !/\b(?:id|document_id|sha256|name)\b/.test(
              step.replace(/\w*(?:folder|endpoint)_id|\b(?:e|f)\.id\b/g, ''),
            ),
        ),
    ).toEqual([]);
  });
});
