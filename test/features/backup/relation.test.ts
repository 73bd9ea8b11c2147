import { mkdir, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { acceptedHere, newerHere } from '../../../src/features/backup/relation.ts';
import { journalPathOf } from '../../../src/ledger/sqlite/files.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { ledgerPath } from '../../../src/state-dir/stateFiles.ts';
import { admission, hold, OFFICE, send } from '../../contract/ledger/support.ts';
import { clock } from '../../ledger/sqlite/place.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { tempDir } from '../../support/tempDir.ts';
import { configIn, textIn } from '../../config/support.ts';

test('what a restore would forget counts what is about documents, also in a journal that was restarted', async () => {
  const dir = tempDir('relation', memoryDirectory());
  const config = configIn(dir);
  const path = ledgerPath(config);
  await mkdir(config.stateDir, { mode: 0o700 });
  await writeFile(config.file, textIn(dir, {}));
  const using = async <T>(work: (ledger: Ledger) => Promise<T>): Promise<T> => {
    const ledger = await openSqliteLedger({ path, clock });
    const value = await work(ledger);
    await ledger.close();
    return value;
  };
  const head = (await using((ledger) => ledger.head()))!;
  await using(async (ledger) => {
    await ledger.markWatched('/scans', [], { reason: 'R', message: 'M', sha256: null, policy: 'p', at: 1 });
    await ledger.setFolderMark('/scans', 'the share', 1);
    await ledger.recordEndpoint(OFFICE, 'Office', '{"uid":"office"}', 1);
    await ledger.putHold(hold());
    await ledger.clearHold('endpoint', hold().key, hold().reason);
    await ledger.recordAct({ at: 1, kind: 'pause', by: 'ann', detail: '' });
  });
  expect(newerHere(config, head, null)).toEqual({ entries: 0, accepted: 0 });
  await using(async (ledger) => {
    for (const content of ['a', 'b']) await ledger.admit(admission(content, content));
    await send(ledger, (await ledger.admit(admission('c', 'c'))).document.id);
  });
  // The admissions, the request, and its answer.
  expect(newerHere(config, head, null)).toEqual({ entries: 5, accepted: 1 });
  await rm(journalPathOf(path));
  await using(async () => {});
  expect(acceptedHere(config)).toBe(1);
});
