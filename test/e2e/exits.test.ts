/** Each way out while the thread that writes the ledger is in a call of SQLite's binding, which answers to its end with a core dump. */
import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { prepare, until, type Ended, type Site } from './support/agent.ts';

const BUSY = fileURLToPath(new URL('support/busyLedgerThread.mjs', import.meta.url));
const TIMES = Number(process.env['RECEIPTD_EXITS'] ?? 1);

async function meeting(site: Site, code: string): Promise<Ended> {
  const agent = await site.start();
  await writeFile(site.file('met'), code);
  await rename(site.file('met'), site.file('meets'));
  return agent.ended;
}

const WAYS: Record<string, { status: number | null; end: (site: Site) => Promise<Ended> }> = {
  'a defect': { status: 1, end: (site) => meeting(site, 'EDEFECT') },
  'a reader that has seen enough': { status: 0, end: (site) => meeting(site, 'EPIPE') },
  'a second signal': {
    status: null,
    async end(site) {
      site.sandbox.misbehave({ kind: 'stall', at: 'beforeAnswer', store: true });
      const agent = await site.start();
      await until(() => site.sandbox.stats().stored > 0);
      agent.signal('SIGTERM');
      await agent.logged('Stopping');
      agent.signal('SIGTERM');
      return agent.ended;
    },
  },
  'the end of a single run': { status: 0, end: (site) => site.once() },
  'a configuration that is refused': {
    status: 2,
    async end(site) {
      await writeFile(site.config, 'folders: 1\n');
      return site.run('run');
    },
  },
};

test.each(Object.entries(WAYS))('%s', async (_, { status, end }) => {
  for (let n = 0; n < TIMES; n += 1) {
    const site = await prepare();
    site.env = { ...site.env, NODE_OPTIONS: `--import=${BUSY}`, E2E_MEETS: site.file('meets') };
    for (let each = 0; each < 3; each += 1)
      await writeFile(
        site.file('inbox', `${each}.jpg`),
        await drawReceipt({ type: 'jpeg', seed: `${each}` }),
      );
    const ended = await end(site);
    expect(ended.stderr).not.toContain('Napi::Error');
    expect([ended.status, ended.signal]).toEqual(status === null ? [null, 'SIGTERM'] : [status, null]);
  }
});
