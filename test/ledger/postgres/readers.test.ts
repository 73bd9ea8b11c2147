import { describe, expect, it } from 'vitest';
import { Connector } from '../../../src/ledger/postgres/connection.ts';
import { Readers } from '../../../src/ledger/postgres/readers.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { freshDatabase, needsPostgres } from '../../support/postgres.ts';
import { ask } from './place.ts';

describe.skipIf(!needsPostgres())('connections for reading', () => {
  it('are closed after an idle time, every time', async () => {
    const database = await freshDatabase();
    cleanUp(() => database.remove());
    const { url } = database;
    const readers = new Readers(new Connector({ url, passwordFile: null, caFile: null }), 'test', {
      idleMs: 200,
    });
    cleanUp(() => readers.close());
    const open = async () =>
      (await ask(url, `SELECT 1 FROM pg_stat_activity WHERE application_name = 'receiptd test reading'`))
        .length;
    for (let turn = 0; turn < 2; turn += 1) {
      await Promise.all([1, 2].map((n) => readers.use((sql) => sql.get('SELECT :n::integer', { n }))));
      expect(await open()).toBe(2);
      await expect.poll(open).toBe(0);
    }
  });
});
