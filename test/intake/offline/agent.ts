/** The whole agent on a real folder, ledger, spool and journal. The ledger can be offline; the agent can be killed and restarted. */
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { composePipeline } from '../../../src/wiring/pipeline.ts';
import type { PipelineConfig } from '../../../src/wiring/world.ts';
import { systemClock } from '../../../src/system/systemClock.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import { parseTemplate } from '../../../src/core/domain/nameTemplate.ts';
import { createImageInspector } from '../../../src/intake/image/inspect.ts';
import { createFolderHints } from '../../../src/intake/folder/hints.ts';
import { createWatchedFolder } from '../../../src/intake/folder/watchedFolder.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { RememberedFolders } from '../../../src/intake/remembered.ts';
import { ImageBuffers } from '../../../src/keeper/imageBuffers.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import type { WatchedFolder } from '../../../src/core/ports/folder.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { ListRow } from '../../../src/core/ports/ledgerReports.ts';
import type { DeferredJournal } from '../../../src/core/ports/deferredJournal.ts';
import { openDeferredJournal } from '../../../src/keeper/spool/deferredJournal.ts';
import { openSpool } from '../../../src/keeper/spool/openSpool.ts';
import { awayLedger } from '../../support/awayLedger.ts';
import { drawReceipt } from '../../support/images.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { ScriptedService, ScriptedTokens } from '../../support/scriptedService.ts';
import { OFFICE, temporary, UNLIMITED } from '../../flow/sending.ts';
import { rowsOf } from '../../contract/ledger/support.ts';

type Folder = PipelineConfig['folders'][number];

const SPEED = 10;
/** Waits are shorter; dates are those of the file system. */
const clock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * SPEED,
  sleep: (ms, signal) => systemClock.sleep(ms / SPEED, signal),
};

export interface AgentOptions {
  readonly folder?: Partial<Folder>;
  /** Empty: the folder is no longer in the configuration. */
  readonly folders?: readonly Folder[];
  readonly spool?: PipelineConfig['spool'];
  readonly spoolLimit?: number;
  /** Wraps the folder. */
  readonly seen?: (real: WatchedFolder) => WatchedFolder;
  readonly deferred?: (real: DeferredJournal) => Partial<DeferredJournal>;
  readonly admit?: (real: Ledger['admit']) => Ledger['admit'];
  readonly reconcileEveryMs?: number;
  readonly pollEveryMs?: number;
  readonly isAway?: boolean;
  /** Called while the ledger is opened. */
  readonly opening?: () => Promise<unknown>;
  /** Taken from the previous agent, as when the configuration is reloaded in one process. */
  readonly remembered?: RememberedFolders;
}

/** What stays on disk between runs of the agent. */
export async function offlinePlace() {
  const dir = await temporary();
  const scans = join(dir, 'scans');
  await mkdir(scans);
  const log = new RecordedLog();
  const service = new ScriptedService(clock);
  const real = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  onTestFinished(() => real.close());

  async function start(options: AgentOptions = {}) {
    const admit: Ledger['admit'] = (admission) => real.admit(admission);
    const folders = options.folders ?? [{ path: options.folder?.path ?? scans }];
    const remembered = options.remembered ?? new RememberedFolders(clock, folders);
    await options.opening?.();
    const away = awayLedger({ ...real, admit: options.admit?.(admit) ?? admit }, options.isAway);
    const folder: Folder = {
      path: scans,
      endpoint: OFFICE,
      alias: 'office',
      share: null,
      recursive: true,
      watch: 'auto',
      include: [],
      ignore: [],
      settle: { shortMs: 500, longMs: 3_000, patienceMs: 600_000 },
      template: parseTemplate('{stem}-{hash:12}'),
      nameMaxBytes: 200,
      pages: 'split',
      pageResolution: 200,
      qualityCheck: 'off',
      upright: false,
      accept: ['jpeg'],
      maxFileSize: 10_000_000,
      existing: { kind: 'send' },
      afterUpload: 'keep',
      afterUploadExisting: 'auto',
      silentAfter: 'never',
      archiveTo: join(dir, 'archive'),
      afterUploadOn: null,
      needsAttention: null,
      ...options.folder,
    };
    const config: PipelineConfig = {
      service: { uploadContentType: 'auto' },
      endpoints: [{ alias: 'office', key: OFFICE, account: null, limits: UNLIMITED }],
      folders: options.folders ? [...options.folders] : [folder],
      delivery: { ...configSchema.shape.delivery.parse({}), ...UNLIMITED, grace: 100, parkAfter: 3 },
      intake: {
        ...configSchema.shape.intake.parse({}),
        reconcileEvery: options.reconcileEveryMs ?? 1_000,
        pollEvery: options.pollEveryMs ?? 1_000,
      },
      spool: options.spool ?? 'auto',
      storage: { keepFailed: 24 * 3_600_000 },
    };
    const opened = await openDeferredJournal({ path: join(dir, 'deferred.journal'), log });
    const deferred: DeferredJournal = {
      defer: (image) => opened.defer(image),
      waiting: () => opened.waiting(),
      needs: (sha256) => opened.needs(sha256),
      admitted: (image) => opened.admitted(image),
      close: () => opened.close(),
      ...options.deferred?.(opened),
    };
    const limitBytes = options.spoolLimit ?? 100_000_000;
    const spool = await openSpool({ dir: join(dir, 'spool'), limitBytes, log });
    const incidents = new OpenIncidents({ clock, log });
    const tokens = new ScriptedTokens();
    const reads: string[] = [];
    const looks: string[] = [];
    const open = (path: string): WatchedFolder => {
      const { recursive, include, ignore, archiveTo } = folder;
      const plain = { recursive, include, ignore, archiveTo, exclude: [], random: Math.random };
      const there = createWatchedFolder({ ...plain, path });
      const counted: WatchedFolder = {
        ...there,
        statEach: async (at, names) => {
          const found = await there.statEach(at, names);
          looks.push(...names);
          return found;
        },
        read: (file, limit, how) => {
          reads.push(file);
          return there.read(file, limit, how);
        },
      };
      return options.seen?.(counted) ?? counted;
    };
    const pipeline = await composePipeline(
      config,
      {
        clock,
        random: Math.random,
        log,
        incidents,
        ledger: away.ledger,
        deferred,
        remembered,
        spool,
        service,
        tokens: () => tokens,
        credentialsChanged: async () => false,
        folders: open,
        buffers: new ImageBuffers(() => {}),
        hints: createFolderHints(),
        inspector: createImageInspector(),
        host: 'scanner-pc',
        background: [],
      },
      { once: false },
    );
    const stopping = new AbortController();
    const running = pipeline.agent.run(stopping.signal);
    let isOver = false;
    const stop = async (): Promise<void> => {
      if (isOver) return;
      isOver = true;
      stopping.abort(new Error('the test is over'));
      await running;
      await pipeline.close();
      await opened.close();
    };
    onTestFinished(stop);
    return { ...pipeline, ...away, away, deferred, remembered, spool, incidents, reads, looks, stop, folder };
  }

  const rows = (): Promise<ListRow[]> => rowsOf(real);

  return {
    dir,
    scans,
    log,
    service,
    real,
    start,
    rows,
    /** States of all files, by path. */
    states: async (): Promise<Record<string, string>> =>
      Object.fromEntries((await rows()).map(({ path, state }) => [path.slice(scans.length + 1), state])),
    /** Writes aside and renames, as some scanners do. */
    async drop(name: string, seed = name): Promise<Buffer> {
      const bytes = await drawReceipt({ type: 'jpeg', seed, width: 48, height: 64 });
      await mkdir(join(scans, name, '..'), { recursive: true });
      await writeFile(join(dir, 'aside'), bytes);
      await rename(join(dir, 'aside'), join(scans, name));
      return bytes;
    },
    /** What the service received, sorted by content. */
    received: (): string[] => service.asked.map(({ text }) => text).toSorted(),
    copies: async (): Promise<string[]> =>
      (await readdir(join(dir, 'spool'), { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map(({ name }) => name),
  };
}

export function texts(images: readonly Buffer[]): string[] {
  return images.map((bytes) => bytes.toString('latin1')).toSorted();
}
