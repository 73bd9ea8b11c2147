import fs from 'node:fs/promises';
import path from 'node:path';
import { openSqliteLedger } from '../../../src/ledger/next/adapter/open.ts';
import { describeLedgerContract } from '../../contract/ledger/contract.ts';
import { describeListingContract } from '../../contract/ledger/listings.ts';
import type { LedgerPlace } from '../../contract/ledger/support.ts';
import { memoryDirectory } from '../../support/memoryDirectory.ts';
import { clock } from '../sqlite/place.ts';

async function createPlace(): Promise<LedgerPlace> {
  const dir = await fs.mkdtemp(path.join(memoryDirectory(), 'receiptd-ledger-'));
  return {
    open: (accountOf) =>
      openSqliteLedger({ path: path.join(dir, 'ledger.db'), clock, ...(accountOf && { accountOf }) }),
    async stored() {
      const files = (await fs.readdir(dir)).map((name) => fs.readFile(path.join(dir, name), 'latin1'));
      return (await Promise.all(files)).join('\n');
    },
    remove: () => fs.rm(dir, { recursive: true, force: true }),
  };
}

describeLedgerContract('the SQLite ledger in steps', createPlace);
describeListingContract('the SQLite ledger in steps', createPlace);
