/** What the command adds to the move itself (`test/ledger/move.test.ts`): a move that differs, and two that compete. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { acquireInstanceLock } from '../../../src/state-dir/instanceLock.ts';
import { prepareStateDir } from '../../../src/state-dir/stateDir.ts';
import { openLedger, openOwn } from '../../../src/wiring/ledger.ts';
import { moveLedger } from '../../../src/wiring/sharedLedger/moveLedger.ts';
import { configIn } from '../../config/support.ts';
import { admission, send } from '../../contract/ledger/support.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { freshDatabase, needsPostgres } from '../../support/postgres.ts';
import { RecordedLog } from '../../support/recordedLog.ts';

describe.skipIf(!needsPostgres())('moving a ledger into a shared one', () => {
  it('names a difference, leaves the old ledger in use, and refuses another name or command meanwhile', async () => {
    const database = await freshDatabase();
    onTestFinished(() => database.remove());
    const dir = await mkdtemp(join(memoryDirectory(), 'receiptd-move-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const config = configIn(dir, {});
    await prepareStateDir(config);
    const ask = async (text: string): Promise<void> => {
      const client = new Client({ connectionString: database.url, options: '-c search_path=receiptd' });
      await client.connect();
      try {
        await client.query(text);
      } finally {
        await client.end();
      }
    };
    const command = (agent: string, onAgentRuns: () => unknown = () => {}) =>
      moveLedger(config, {
        target: { url: database.url, passwordFile: null, caFile: null },
        agent,
        version: '1.0.0',
        onProgress: () => {},
        onAgentRuns,
        signal: AbortSignal.timeout(60_000),
      });
    /** `during` runs while the agent does, before the end. */
    const move = async (ledger: Ledger, during: () => Promise<unknown>): Promise<unknown> => {
      const lock = await acquireInstanceLock(config.stateDir);
      return command('scan-pc', async () => {
        await during();
        await ledger.close();
        await lock.release();
      });
    };

    const first = await openOwn(config, { onMended: () => {} });
    for (let n = 0; n < 30; n += 1) {
      const { document } = await first.admit(admission(`${n}.jpg`, `${n}`));
      await send(first, document.id);
    }
    const moved = move(first, async () => {
      await ask(`UPDATE documents SET name = 'other' WHERE id = (SELECT min(id) FROM documents)`);
      await ask(`DELETE FROM attempts WHERE id = (SELECT max(id) FROM attempts)`);
    });
    await expect(moved).rejects.toMatchObject({
      code: 'MOVE_DIFFERS',
      message: expect.stringMatching(
        /Document \d+ in the ledger does not match the journal\. Upload request \d+ is in the journal but missing/,
      ) as string,
    });

    await expect(command('other')).rejects.toMatchObject({ key: 'MOVE_REFUSED.asAnotherAgent' });
    const options = { version: '1.0.0', log: new RecordedLog(), onMended: () => {}, onWentBack: () => {} };
    const again = await openLedger(config, options);
    let refused: unknown;
    const second = move(again, async () => {
      refused = await command('scan-pc').catch((error: unknown) => error);
    });
    await expect(second).rejects.toMatchObject({ code: 'MOVE_DIFFERS' });
    expect(refused).toMatchObject({ key: 'MOVE_REFUSED.underWay' });
  });
});
