import { expect, it, describe } from 'vitest';
import { examineLedger } from '../../../src/ledger/postgres/examine.ts';
import { openPostgresLedger } from '../../../src/ledger/postgres/open.ts';
import { admission } from '../../contract/ledger/support.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { needsPgbouncer, pooled } from '../../support/pgbouncer.ts';
import { freshDatabase, needsPostgres } from '../../support/postgres.ts';
import { agentOptions, targetOf } from './place.ts';

describe.skipIf(!needsPostgres() || !needsPgbouncer())('a pooler before the database', () => {
  it('that pools transactions is refused with one sentence, by check and at startup', async () => {
    const database = await freshDatabase();
    cleanUp(() => database.remove());
    await (await openPostgresLedger(agentOptions(database.url))).close();
    const url = await pooled(database.url, 'transaction');
    const refused = {
      code: 'LEDGER_REFUSED',
      message: expect.stringContaining(
        'a pooler in between gives each transaction another session',
      ) as string,
    };
    await expect(examineLedger(targetOf(url), Date)).rejects.toMatchObject(refused);
    await expect(openPostgresLedger(agentOptions(url))).rejects.toMatchObject(refused);
  });

  it('that pools sessions makes no difference: agents work and notify each other', async () => {
    const database = await freshDatabase();
    cleanUp(() => database.remove());
    const url = await pooled(database.url, 'session');
    const shares = (path: string) => new Map([[path, 'scans']]);
    const [a, b] = await Promise.all([
      openPostgresLedger(agentOptions(url, 'a', { shares: shares('/a') })),
      openPostgresLedger(agentOptions(url, 'b', { shares: shares('/b') })),
    ]);
    cleanUp(() => Promise.all([a.close(), b.close()]));
    const heard = new Promise<string>((resolve) => b.fleet?.onSignal(resolve));
    await a.admit(admission('x.jpg', 'x', { file: { ...admission('x.jpg', 'x').file, folder: '/a' } }));
    expect(await heard).toBe('queue');
    expect(await b.counts()).toMatchObject([{ state: 'queued', count: 1 }]);
    expect(await examineLedger(targetOf(url), Date)).toMatchObject({ lacks: [] });
  });
});
