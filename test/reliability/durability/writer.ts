/** Writes everything that the agent must not lose, and reports each time what a caller may rely on from then on. */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDurably, writeDurably } from '../../../src/system/durableFile.ts';
import { parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import { createWatchedFolder } from '../../../src/intake/folder/watchedFolder.ts';
import { openSqliteLedger } from '../../../src/ledger/sqlite/open.ts';
import type { Log } from '../../../src/core/ports/log.ts';
import { openDeferredJournal } from '../../../src/delivery/spool/deferredJournal.ts';
import { openSpool } from '../../../src/delivery/spool/openSpool.ts';
import { MARKS } from './trace.ts';

const [root = '', what = ''] = process.argv.slice(2);
const log: Log = { debug() {}, info() {}, warn() {}, error() {} };
const endpoint = { baseUrl: 'https://service.example', uid: 'office' };
const clock = { now: Date.now, monotonic: () => performance.now(), sleep: async () => {} };

function durable(path: string, when: string): void {
  appendFileSync(join(root, MARKS), `durable ${path} ${when}\n`);
}

const image = (text: string) => {
  const bytes = Buffer.from(text.repeat(2_000));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const identity = { size: bytes.length, mtimeNs: 5n, ctimeNs: 5n, inode: 7n };
  return { bytes, sha256, identity };
};

const PARTS: Record<string, () => Promise<void>> = {
  async spool() {
    const dir = join(root, 'spool');
    const spool = await openSpool({ dir, limitBytes: 1e9 });
    for (const text of ['one', 'two']) {
      const { bytes, sha256 } = image(text);
      await spool.put(sha256, bytes);
      durable(join(dir, sha256.slice(0, 2), sha256), 'a copy was put into the spool');
    }
  },

  async deferred() {
    const path = join(root, 'deferred.journal');
    const journal = await openDeferredJournal({ path, log });
    const { identity } = image('one');
    const images = ['a.jpg', 'b.jpg', 'c.jpg'].map((name, index) => ({
      folder: '/scans',
      path: name,
      identity,
      endpoint,
      sha256: String(index).repeat(64),
      type: 'jpeg' as const,
      lane: 'fresh' as const,
      at: 1_000,
      mark: null,
      capturedAt: null,
    }));
    for (const each of images) {
      await journal.defer(each);
      durable(path, 'an image was deferred');
    }
    await journal.admitted(images[0]!);
    durable(path, 'a deferred image was admitted');
    await journal.close();
    // Recreated from the waiting images.
    const again = await openDeferredJournal({ path, log });
    durable(path, 'the journal was made anew');
    await again.close();
  },

  async ledger() {
    const path = join(root, 'ledger.db');
    const ledger = await openSqliteLedger({ path, clock });
    const file = (name: string, identity: ReturnType<typeof image>['identity']) => ({
      folder: '/scans',
      path: name,
      identity,
    });
    const template = parseTemplate('{stem}-{hash:12}');
    for (const name of ['a.jpg', 'b.jpg']) {
      const { sha256, identity } = image(name);
      const naming = template.naming({
        folder: '/scans',
        path: name,
        hash: sha256,
        host: 'here',
        endpoint: 'office',
        date: new Date(0),
        captured: new Date(0),
        maxBytes: 200,
      });
      const { document } = await ledger.admit({
        endpoint,
        file: file(name, identity),
        sha256,
        type: 'jpeg',
        lane: 'fresh',
        at: clock.now(),
        naming,
      });
      durable(join(root, 'ledger.journal'), 'a document was named');
      await ledger.begin(document.id, clock.now(), 100);
      durable(join(root, 'ledger.journal'), 'a request was recorded');
    }
    await ledger.close();
  },

  async files() {
    const path = join(root, 'alerts.json');
    await writeDurably(path, '{"first":1}');
    durable(path, 'a small file was written');
    await writeDurably(path, '{"second":2}');
    durable(path, 'a small file was replaced');
    await createDurably(join(root, 'results-secret'), 'secret');
    durable(join(root, 'results-secret'), 'a small file was made');
  },

  async archive() {
    const scans = join(root, 'scans');
    mkdirSync(scans);
    const folder = createWatchedFolder({
      path: scans,
      recursive: false,
      include: [],
      ignore: [],
      exclude: [],
      archiveTo: join(root, 'archive'),
      random: () => 0.5,
    });
    // Not synced, like a file from a scanner.
    writeFileSync(join(scans, 'a.jpg'), image('a').bytes);
    const aside = await folder.setAside('a.jpg');
    durable(await folder.archive(aside, 'a.jpg'), 'an original was archived');
  },
};

await PARTS[what]?.();
