import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/open.ts';
import { openSqliteLedgerBeside } from '../../../src/ledger/sqlite/thread/open.ts';

/**
 * Writes until it is killed, and prints each acknowledgement on stdout as a JSON array in a line.
 * Arguments: the ledger's path, a word that makes the images of this run unique, and `thread` if a thread is to write.
 */
const [path, run, where] = process.argv.slice(2);
if (path === undefined || run === undefined) throw new Error('usage: killedWriter PATH RUN [thread]');

const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: async () => {} };
const thread = fileURLToPath(new URL('../../../src/wiring/ledgerThread.js', import.meta.url));
const ledger =
  where === 'thread'
    ? await openSqliteLedgerBeside({ path, clock, thread })
    : await openSqliteLedger({ path, clock });

/** Blocks until everything is written, however slowly the parent reads. */
function say(...what: readonly (string | number)[]): void {
  let left = Buffer.from(`${JSON.stringify(what)}\n`);
  while (left.length > 0) {
    try {
      left = left.subarray(fs.writeSync(1, left));
    } catch (error) {
      // The pipe is full.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

say('recovered', await ledger.recover(Date.now()));

const date = new Date(0);
const NUMBERED = parseTemplate('n{seq}').naming({
  folder: '/scans',
  path: 'scan',
  host: 'host',
  endpoint: 'office',
  date,
  captured: date,
  hash: '0'.repeat(64),
  maxBytes: 255,
});

async function work(worker: number): Promise<never> {
  for (let n = 0; ; n += 1) {
    const content = `${run}-${worker}-${n}`;
    const { document } = await ledger.admit({
      endpoint: { baseUrl: 'http://127.0.0.1:9', uid: 'office' },
      file: { folder: '/scans', path: content, identity: { size: 1, mtimeNs: 1n, ctimeNs: 1n, inode: 1n } },
      sha256: createHash('sha256').update(content).digest('hex'),
      type: 'jpeg',
      lane: 'fresh',
      at: Date.now(),
      naming: worker % 2 === 0 ? NUMBERED : ['same', `same-${content}`],
    });
    say('admitted', document.id, document.name, document.sha256);
    const attempt = await ledger.begin(document.id, Date.now(), 1);
    say('begun', document.id, attempt);
    await ledger.finish(attempt, {
      at: Date.now(),
      outcome: 'accepted',
      httpStatus: 200,
      message: null,
      transition: { state: 'accepted', serviceStatus: 'PROCESSING', response: '{}' },
    });
    say('accepted', document.id);
  }
}

await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(work));
