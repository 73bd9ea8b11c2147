/** A real agent in the messy office: its ledger covers several weeks, and its folders contain what people leave there. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../src/system/systemClock.ts';
import { openSqliteLedger } from '../../../src/ledger/adapter/open.ts';
import { MAX_FILE_SIZE } from '../../support/messyOffice/contents.ts';
import { layOut } from '../../support/messyOffice/layOut.ts';
import { messyOffice, UIDS, type Office } from '../../support/messyOffice/plan.ts';
import { recordOffice } from '../../support/messyOffice/record.ts';
import { prepare, until, type Running, type Site } from './agent.ts';

export interface AtWork {
  readonly site: Site;
  readonly agent: Running;
  readonly office: Office;
}

/** The service refuses everything for `warehouse`, the account `agency` has a wrong secret, and some requests are never answered. */
export async function officeAtWork(size: number): Promise<AtWork> {
  const site = await prepare({}, { owners: { [UIDS.warehouse]: 'somebody else' } });
  const office = messyOffice({
    size,
    baseUrl: site.sandbox.url,
    root: site.file('office'),
    until: Date.now(),
  });
  const { folders } = office;
  await site.configure({
    accounts: { agency: {} },
    endpoints: {
      office: { uid: UIDS.office, rate: '6/min' },
      warehouse: { uid: UIDS.warehouse },
      agency: { uid: UIDS.agency, account: 'agency' },
    },
    results: { columns: { total: '/total', merchant: '/receipt/merchant' } },
    folders: Object.entries(folders).map(([name, path]) => ({
      path,
      endpoint: name === 'agency' ? 'agency' : name.startsWith('share') ? 'warehouse' : 'office',
      recursive: true,
      maxFileSize: `${MAX_FILE_SIZE}B`,
      existing: 'skip',
    })),
  });
  site.env = { ...site.env, RECEIPTD_CLIENT_ID_AGENCY: 'agency', RECEIPTD_CLIENT_SECRET_AGENCY: 'wrong' };
  await mkdir(site.stateDir, { recursive: true, mode: 0o700 });
  const ledger = await openSqliteLedger({ path: join(site.stateDir, 'ledger.db'), clock: systemClock });
  await recordOffice(ledger, office, layOut);
  await ledger.close();
  // This folder was removed.
  await rm(folders.former, { recursive: true, force: true });
  await addInvalidName(folders['front desk']);
  site.sandbox.misbehave({
    kind: 'stall',
    route: 'upload',
    times: 2,
    delayMs: 0,
    at: 'beforeAnswer',
    store: false,
  });
  const agent = await site.start();
  await until(async () => (await site.list('--state', 'uploading')).length > 0, 'a request under way');
  return { site, agent, office };
}

/** Writes a file whose name is invalid UTF-8, and one whose name is the replacement shown for it. */
async function addInvalidName(folder: string): Promise<void> {
  const name = Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9]), Buffer.from('.jpg')]);
  await writeFile(name, 'text');
  await writeFile(`${folder}/caf\ufffd.jpg`, 'text');
}
