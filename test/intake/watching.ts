/** Everything from a real folder to the ledger, on a virtual clock. */
import { RememberedFolders } from '../../src/intake/remembered.ts';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseTemplate } from '../../src/core/domain/nameTemplate.ts';
import { createImageInspector } from '../../src/intake/image/inspect.ts';
import { createFolderHints } from '../../src/intake/folder/hints.ts';
import { type WatchedFolderOptions } from '../../src/intake/folder/watchedFolder.ts';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { ByteBudget } from '../../src/keeper/byteBudget.ts';
import { OpenIncidents } from '../../src/daemon/openIncidents.ts';
import type { IntakeDeps } from '../../src/intake/intake.ts';
import { Intake } from '../../src/intake/intake.ts';
import type { FolderSettings } from '../../src/core/domain/settings.ts';
import { WatchLimit } from '../../src/intake/changes.ts';
import type { FolderHints, WatchedFolder } from '../../src/core/ports/folder.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import type { Admitted } from '../../src/core/ports/ledgerIntake.ts';
import type { ListRow } from '../../src/core/ports/ledgerReports.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { drawReceipt } from '../support/images.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { keeping } from '../keeper/keeping.ts';
import { OFFICE, temporary, type Place } from '../flow/sending.ts';
import { rowsOf, send } from '../contract/ledger/support.ts';
import { watched } from './folder/fixture.ts';

export interface WatchOptions {
  readonly settings?: Partial<FolderSettings>;
  /** What differs from the real folder. */
  readonly folder?: (real: WatchedFolder) => Partial<WatchedFolder>;
  /** Options for opening the folder. */
  readonly opened?: Partial<WatchedFolderOptions>;
  /** What differs from the real ledger. */
  readonly ledger?: (real: Ledger) => Partial<Ledger>;
  readonly deps?: Partial<IntakeDeps>;
}

/** Settings of an ordinary folder. */
export const FOLDER_SETTINGS: Omit<FolderSettings, 'path'> = {
  recursive: false,
  watch: 'auto',
  endpoint: OFFICE,
  alias: 'office',
  settle: { shortMs: 200, longMs: 5_000, patienceMs: 600_000 },
  template: parseTemplate('{stem}-{hash:12}'),
  nameMaxBytes: 300,
  accept: ['jpeg', 'png', 'tiff', 'webp', 'gif', 'bmp', 'heic'],
  maxFileSize: 10_000_000,
  existing: { kind: 'send' },
  afterUpload: 'keep',
  afterUploadOn: null,
};

/** Hints that the test gives itself. */
export function hintsByHand() {
  let onHint: Parameters<FolderHints['watch']>[2] = () => {};
  const hints: FolderHints = {
    watch: async (_path, _recursive, given) => {
      onHint = given;
      return { close: async () => {} };
    },
  };
  return { hints, hint: (...all: Parameters<typeof onHint>) => onHint(...all) };
}

/** A folder that counts how often its files are read. */
export function countingReads() {
  const count = { reads: 0 };
  const folder = (real: WatchedFolder) => ({
    ...real,
    read: (...all: Parameters<WatchedFolder['read']>) => {
      count.reads += 1;
      return real.read(...all);
    },
  });
  return { count, folder };
}

/** `shared`: what the delivery side uses, so that both work on the same. */
export async function watchingPlace(shared?: Pick<Place, 'dir' | 'scans' | 'clock' | 'log' | 'ledger'>) {
  const dir = shared?.dir ?? (await temporary());
  const scans = join(dir, 'scans');
  await mkdir(scans, { recursive: true });
  const clock = shared?.clock ?? new FakeClock();
  const log = shared?.log ?? new RecordedLog();
  const incidents = new OpenIncidents({ clock, log });
  const watchLimit = new WatchLimit(incidents);
  const ledger = shared?.ledger ?? (await openSqliteLedger({ path: join(dir, 'ledger.db'), clock }));
  if (!shared) onTestFinished(() => ledger.close());
  const { payloads } = await keeping({ dir, clock, ledger, log });

  function create(options: WatchOptions = {}) {
    const settings: FolderSettings = {
      path: scans,
      ...FOLDER_SETTINGS,
      ...options.settings,
    };
    const real = watched(settings.path, {
      recursive: settings.recursive,
      archiveTo: join(dir, 'archive'),
      ...options.opened,
    });
    const folder = { ...real, ...options.folder?.(real) };
    const used = { ...ledger, ...options.ledger?.(ledger) };
    const admitted: Admitted[] = [];
    const intake: Intake = new Intake({
      folder,
      settings,
      ledger: used,
      inspector: createImageInspector(),
      clock,
      log,
      host: 'scanner-pc',
      payloads,
      memory: new ByteBudget(50_000_000),
      hints: createFolderHints(),
      incidents,
      watchLimit,
      pollEveryMs: 5_000,
      reconcileEveryMs: 60_000,
      takeOverAfterMs: 600_000,
      // By default, no file is told to be new by its time: those of a test are made just before.
      watchedSince: Infinity,
      remembered: new RememberedFolders(clock, [settings]).of(settings.path),
      confirmAbove: 100,
      onAdmitted: (result) => {
        admitted.push(result);
        if (result.kind === 'duplicate' || result.kind === 'known') intake.disposeSoon();
      },
      ...options.deps,
    });
    return { intake, settings, folder, real, admitted };
  }

  function start(options: WatchOptions = {}) {
    const created = create(options);
    const stopping = new AbortController();
    const running = created.intake.run(stopping.signal);
    const stop = async (): Promise<void> => {
      stopping.abort(new Error('the test is over'));
      await running;
    };
    onTestFinished(stop);
    const watching = () => clock.advanceUntil(() => created.intake.status.state === 'watching');
    return { ...created, stop, watching };
  }

  /** Starts, and waits until the folder is watched. */
  async function watch(options: WatchOptions = {}) {
    const started = start(options);
    await started.watching();
    return started;
  }

  /** One listing, like `run --once`. */
  async function once(options: WatchOptions = {}) {
    const created = create(options);
    let done = false;
    const running = created.intake.runOnce(new AbortController().signal).finally(() => {
      done = true;
    });
    running.catch(() => undefined);
    await clock.advanceUntil(() => done, 500);
    return { ...created, present: await running };
  }

  const rows = (): Promise<ListRow[]> => rowsOf(ledger);

  /** States by path. */
  async function states(): Promise<Record<string, string>> {
    const all = await rows();
    return Object.fromEntries(all.map(({ path, state }) => [path.slice(scans.length + 1), state]));
  }

  async function drop(name: string, seed = name): Promise<Buffer> {
    const bytes = await drawReceipt({ type: 'jpeg', seed });
    await mkdir(join(scans, name, '..'), { recursive: true });
    await writeFile(join(scans, name), bytes);
    return bytes;
  }

  /** Accepts every queued document, like the service. */
  async function acceptAll(): Promise<void> {
    for (const row of await rows()) {
      if (row.state !== 'queued' || row.documentId === null) continue;
      const at = clock.now();
      await send(ledger, row.documentId, { from: at, at, bytes: row.size });
    }
  }

  return {
    dir,
    scans,
    clock,
    log,
    incidents,
    ledger,
    create,
    start,
    watch,
    once,
    rows,
    states,
    drop,
    acceptAll,
  };
}

export type WatchingPlace = Awaited<ReturnType<typeof watchingPlace>>;
