/** Defers images, as an agent does whose shared ledger is away, and prints a line each time that a caller may rely on what was done. */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../../src/core/ports/log.ts';
import { openDeferredJournal } from '../../../src/keeper/spool/deferredJournal.ts';

const [root = ''] = process.argv.slice(2);
const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const path = join(root, 'deferred.journal');
const done = (what: string): void => void writeSync(1, `${what}\n`);

const images = ['a.jpg', 'b.jpg', 'c.jpg'].map((name, index) => ({
  folder: '/scans',
  path: name,
  identity: { size: 100, mtimeNs: 5n, ctimeNs: 5n, inode: 7n },
  endpoint: { baseUrl: 'https://service.example', uid: 'office' },
  sha256: String(index).repeat(64),
  type: 'jpeg' as const,
  lane: 'fresh' as const,
  at: 1_000,
  mark: null,
  capturedAt: null,
}));
const journal = await openDeferredJournal({ path, log });
for (const each of images) {
  await journal.defer(each);
  done('deferred');
}
await journal.admitted(images[0]!);
done('admitted');
await journal.close();
// Made anew from the images that wait.
const again = await openDeferredJournal({ path, log });
done('made anew');
await again.close();
