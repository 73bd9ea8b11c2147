/** Everything from ledger to wire as in the agent, on a virtual clock: a directory, a real ledger, the real client. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document, EndpointKey } from '../../../src/core/domain/document.ts';
import { createWatchedFolder } from '../../../src/intake/folder/watchedFolder.ts';
import { openSqliteLedger } from '../../../src/ledger/adapter/open.ts';
import { sha256 } from '../../../src/core/sha256.ts';
import { ByteBudget } from '../../../src/keeper/byteBudget.ts';
import { BytesSearch } from '../../../src/keeper/locateBytes.ts';
import { Flow } from '../../../src/flow/flow.ts';
import { Outcomes } from '../../../src/flow/outcomes.ts';
import { SendGate } from '../../../src/flow/sendGate.ts';
import { Holds } from '../../../src/flow/holds.ts';
import { ImageBuffers } from '../../../src/keeper/imageBuffers.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import { PayloadStore } from '../../../src/keeper/payloadStore.ts';
import type { OpenFolder } from '../../../src/keeper/locateBytes.ts';
import { Pacer } from '../../../src/flow/limits/pacer.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import type { Log } from '../../../src/core/ports/log.ts';
import type { ReceiptService, TokenSource } from '../../../src/core/ports/service.ts';
import { openSpool } from '../../../src/keeper/spool/openSpool.ts';

export interface Place {
  readonly dir: string;
  readonly ledger: Ledger;
  readonly open: OpenFolder;
  /** Writes a file to the folder and admits it as a document. */
  admit(endpoint: EndpointKey, name: string, bytes: Buffer): Promise<Document>;
  remove(): Promise<void>;
}

/** Creates a directory of its own under `root`. */
export async function makePlace(root: string, clock: Clock): Promise<Place> {
  const dir = await mkdtemp(join(root, 'place-'));
  const scans = join(dir, 'scans');
  await mkdir(scans);
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  const open: OpenFolder = (path) =>
    createWatchedFolder({
      path,
      recursive: false,
      include: [],
      ignore: [],
      exclude: [],
      archiveTo: join(path, 'archive'),
      random: () => 0.5,
    });
  let count = 0;
  return {
    dir,
    ledger,
    open,
    async admit(endpoint, name, bytes) {
      const path = `scan-${++count}.jpg`;
      await writeFile(join(scans, path), bytes);
      const found = await open(scans).stat(path);
      if (found?.kind !== 'file') throw new Error('the scan could not be written');
      const { document } = await ledger.admit({
        endpoint,
        file: { folder: scans, path, identity: found.identity },
        sha256: sha256(bytes),
        type: 'jpeg',
        lane: 'fresh',
        at: clock.now(),
        naming: [name],
      });
      return document;
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

export interface Parts {
  readonly place: Place;
  readonly endpoint: EndpointKey;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly service: ReceiptService;
  readonly tokens: TokenSource;
}

/** Starts sending. `stop` resolves once nothing is in flight. */
export async function startSending(parts: Parts): Promise<{ flow: Flow; stop(): Promise<void> }> {
  const { place, endpoint, concurrency, clock, log, service, tokens } = parts;
  const { ledger, open } = place;
  const random = (): number => 0.5;
  const limits = { concurrency, rate: null, perDay: null, perMonth: null };
  const endpoints = [{ key: endpoint, alias: 'office', limits }];
  const holds = new Holds({ ledger, clock, random, log });
  const pacer = await Pacer.create({ clock, ledger, overall: limits, endpoints });
  const outcomes = new Outcomes({ holds, pacer, clock, random, log, parkAfter: 5, onAccepted: () => {} });
  const gate = new SendGate({ storage: ledger.storage, fleet: null, holds, pacer, clock, hours: null });
  const spool = await openSpool({ dir: join(place.dir, 'spool'), limitBytes: 100_000_000, log });
  const payloads = new PayloadStore({
    mode: 'auto',
    spool,
    ledger,
    incidents: new OpenIncidents({ clock, log }),
    clock,
    log,
    keepFailedMs: 24 * 3_600_000,
    open,
    search: new BytesSearch({ ledger, spool, open, clock, log, lookedThrough: () => true }),
    memory: new ByteBudget(1_000_000),
    hash: async (bytes) => sha256(bytes),
    buffers: new ImageBuffers(),
    canSend: (waiting) => gate.sendsSoon(waiting),
  });
  const flow = new Flow({
    ledger,
    endpoints,
    concurrency,
    pacer,
    holds,
    gate,
    outcomes,
    service,
    tokens: () => tokens,
    payloads,
    memory: new ByteBudget(32_000_000),
    contentType: () => 'image/jpeg',
    clock,
    random,
    log,
  });
  const stopping = new AbortController();
  const abort = new AbortController();
  const running = flow.run(stopping.signal, abort.signal);
  return {
    flow,
    async stop() {
      stopping.abort();
      abort.abort(new Error('the trial is over'));
      await running;
      await payloads.close();
    },
  };
}
