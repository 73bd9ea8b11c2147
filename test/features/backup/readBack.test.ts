import { mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type * as Write from '../../../src/system/tar/write.ts';
import { makeBackup } from '../../../src/features/backup/makeBackup.ts';
import { copyLedger } from '../../../src/wiring/ledger.ts';
import { movedAway } from '../../../src/state-dir/stateMarks.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { clock } from '../../ledger/sqlite/place.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { tempDir } from '../../support/tempDir.ts';
import { configIn, textIn } from '../../config/support.ts';

/** Acts like a USB stick that stores wrong bytes in the middle of the file. */
vi.mock('../../../src/system/tar/write.ts', async (original) => {
  const real = await original<typeof Write>();
  return {
    writeArchive: async (...args: Parameters<typeof real.writeArchive>) => {
      await real.writeArchive(...args);
      const handle = await open(args[0], 'r+');
      const { size } = await handle.stat();
      await handle.write(Buffer.alloc(16, 0x55), 0, 16, Math.floor(size / 2));
      await handle.close();
    },
  };
});

test('an archive that reads back differently is removed, and leaves the machine open', async () => {
  const dir = tempDir('read-back', memoryDirectory());
  const config = configIn(dir);
  const { stateDir } = config;
  await mkdir(stateDir, { mode: 0o700 });
  await writeFile(config.file, textIn(dir, {}));
  await (await openSqliteLedger({ path: join(stateDir, 'ledger.db'), clock })).close();
  const made = makeBackup(config, {
    file: join(dir, 'office.receiptd'),
    version: '0.0.0',
    final: true,
    copyLedger: (target) => copyLedger(config, target),
    onWithoutImage: async () => {},
  });
  await expect(made).rejects.toMatchObject({
    code: 'BACKUP_FAILED',
    message: expect.stringContaining('verifying it failed'),
  });
  expect(await movedAway(stateDir)).toBe(null);
  expect((await readdir(dir)).toSorted()).toEqual(['receiptd.yaml', 'state']);
  expect((await readdir(stateDir)).filter((name) => name.startsWith('backing-up'))).toEqual([]);
  expect((await stat(join(stateDir, 'ledger.db'))).isFile()).toBe(true);
});
