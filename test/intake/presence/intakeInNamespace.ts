/** Complete intakes in namespaces of their own, where file systems can be mounted and limited. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceUrls } from '../../support/compiled.ts';
import { runInNamespace } from '../../support/namespace.ts';
import { temporary } from '../../flow/sending.ts';

export const SPEED = 50;

/**
 * `code` may use `say(value)`, `shell(command)`, `until(condition)`, `start(path, statfs)` (resolves an intake with what it `admitted` and
 * how often it `read`), `incidents`, `log` and `current(path)`. Time is sped up.
 */
export async function runIntakes(
  sources: SourceUrls,
  prepare: (dir: string) => Promise<string>,
  code: string,
): Promise<unknown[]> {
  const dir = await temporary();
  await mkdir(join(dir, 'state'));
  return runInNamespace(
    `export UV_THREADPOOL_SIZE=16; ${await prepare(dir)}`,
    `import { execFileSync } from 'node:child_process';
    import { setTimeout as sleep } from 'node:timers/promises';
    const from = (source) => import(new URL(source, '${sources.url('main.ts')}'));
    const { createWatchedFolder } = await from('intake/folder/watchedFolder.js');
    const { createFolderGuard } = await from('intake/folder/guarded.js');
    const { createFolderHints } = await from('intake/folder/hints.js');
    const { openSqliteLedger } = await from('ledger/adapter/open.js');
    const { openSpool } = await from('keeper/spool/openSpool.js');
    const { createImageInspector } = await from('intake/image/inspect.js');
    const { parseTemplate } = await from('core/domain/nameTemplate.js');
    const { PayloadStore } = await from('keeper/payloadStore.js');
    const { BytesSearch } = await from('keeper/locateBytes.js');
    const { ByteBudget } = await from('keeper/byteBudget.js');
    const { OpenIncidents } = await from('daemon/openIncidents.js');
    const { WatchLimit } = await from('intake/changes.js');
    const { Intake } = await from('intake/intake.js');
    const dir = '${dir}';
    const clock = {
      now: () => Math.floor(Date.now() * ${SPEED}),
      monotonic: () => performance.now() * ${SPEED},
      sleep: (ms, signal) => sleep(ms / ${SPEED}, undefined, { signal }),
    };
    const lines = [];
    const write = (level) => (message, fields) => lines.push({ level, message, fields });
    const log = { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
    const incidents = new OpenIncidents({ clock, log });
    const watchLimit = new WatchLimit(incidents);
    const ledger = await openSqliteLedger({ path: dir + '/state/ledger.db', clock });
    const spool = await openSpool({ dir: dir + '/state/spool', limitBytes: 1e8, log });
    const open = (path) => { throw new Error('nothing is sent'); };
    const payloads = new PayloadStore({
      mode: 'never', spool, open, memory: new ByteBudget(1e7), hash: async () => '',
      search: new BytesSearch({ ledger, spool, open, clock, log, lookedThrough: () => true }),
      buffers: { giveBack() {} }, ledger, incidents, clock, log, keepFailedMs: 1e9, canSend: () => true,
    });
    const say = (value) => console.log(JSON.stringify(value));
    const shell = (command) => execFileSync('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] }).toString();
    async function until(condition, ms = 10_000) {
      const end = performance.now() + ms;
      while (!(await condition())) {
        if (performance.now() > end)
          throw new Error('waited in vain for ' + condition + JSON.stringify(lines.slice(-10)) + JSON.stringify(incidents.list()));
        await sleep(5);
      }
    }
    async function current(path) {
      const found = [];
      for (const sub of await ledger.dirs(path, ''))
        for await (const batch of ledger.namesIn(path, sub)) found.push(...batch);
      return found.sort();
    }
    function start(path) {
      const real = createWatchedFolder({
        path, recursive: true, include: [], ignore: [], exclude: [dir + '/share/archive'], archiveTo: dir + '/archive',
        random: Math.random, guard: createFolderGuard(path, path.endsWith('share') ? 300 : 5_000),
      });
      const count = { admitted: [], reads: 0, paths: new Set() };
      const folder = { ...real, read: (...all) => ((count.reads += 1), count.paths.add(all[0]), real.read(...all)) };
      const intake = new Intake({
        folder, ledger, payloads, clock, log, incidents, watchLimit,
        inspector: createImageInspector(), host: 'host', memory: new ByteBudget(5e7),
        hints: createFolderHints(), reconcileEveryMs: 600_000, pollEveryMs: 5_000, takeOverAfterMs: 600_000, confirmAbove: 1e6,
        onAdmitted: ({ document }) => count.admitted.push(document.path),
        settings: {
          path, recursive: true, watch: 'auto', endpoint: { baseUrl: 'https://example.org', uid: 'office' }, alias: 'office',
          settle: { shortMs: 200, longMs: 5_000, patienceMs: 600_000 }, template: parseTemplate('{stem}-{hash:12}'),
          nameMaxBytes: 300, accept: ['jpeg'], maxFileSize: 1e7, existing: { kind: 'send' }, afterUpload: 'keep', afterUploadOn: null,
        },
      });
      void intake.run(new AbortController().signal);
      return { intake, count };
    }
    ${code}
    process.exit(0);`,
    60_000,
  );
}
