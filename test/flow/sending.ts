/** Everything from the ledger to the service, on a temporary folder and a real ledger. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AccountOf } from '../../src/core/domain/account.ts';
import type { Attempt, Document, EndpointKey, Lane } from '../../src/core/domain/document.ts';
import { ReceiptdError } from '../../src/core/domain/errors.ts';
import { factsOf } from '../../src/core/domain/imageType.ts';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { sha256 } from '../../src/core/sha256.ts';
import { ByteBudget } from '../../src/keeper/byteBudget.ts';
import type { BytesSearchDeps, OpenFolder } from '../../src/keeper/locateBytes.ts';
import { Flow, type FlowDeps, type Idle } from '../../src/flow/flow.ts';
import { Outcomes } from '../../src/flow/outcomes.ts';
import { SendGate } from '../../src/flow/sendGate.ts';
import { Holds } from '../../src/flow/holds.ts';
import type { PayloadStoreDeps } from '../../src/keeper/payloadStore.ts';
import { Pacer } from '../../src/flow/limits/pacer.ts';
import { recover } from '../../src/flow/recover.ts';
import type { Uploads } from '../../src/core/messages.ts';
import type { Hours } from '../../src/core/domain/hours.ts';
import type { EndpointSettings, Limits } from '../../src/core/domain/settings.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import { FakeClock } from '../support/fakeClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';
import { ScriptedService, ScriptedTokens } from '../support/scriptedService.ts';
import { keeping, type KeepingOptions } from '../keeper/keeping.ts';
import { memoryDirectory } from '../support/memoryDirectory.ts';
import { watched } from '../intake/folder/fixture.ts';

export const OFFICE: EndpointKey = { baseUrl: 'http://127.0.0.1:9', uid: 'office' };
export const SHOP: EndpointKey = { baseUrl: 'http://127.0.0.1:9', uid: 'shop' };
export const UNLIMITED: Limits = { concurrency: 4, rate: null, perDay: null, perMonth: null };

export interface SendingOptions {
  readonly overall?: Partial<Limits>;
  readonly endpoints?: readonly { readonly key: EndpointKey; readonly limits?: Partial<Limits> }[];
  readonly parkAfter?: number;
  readonly hours?: Hours;
  readonly credentialsChanged?: (account: string | null) => Promise<boolean>;
  readonly accountOf?: AccountOf;
  /** Those of the place unless told. */
  readonly tokens?: FlowDeps['tokens'];
  /** That of the image unless told. */
  readonly contentType?: FlowDeps['contentType'];
  /** Always so unless told. */
  readonly lookedThrough?: BytesSearchDeps['lookedThrough'];
  /** No copies are kept unless told. */
  readonly keeping?: KeepingOptions;
  /** Always 0.5 unless told. */
  readonly random?: () => number;
  /** Wraps the ledger that the pipeline gets. */
  readonly wrap?: (ledger: Ledger) => Ledger;
  /** How folders are opened to find bytes in them. Those on the disk unless told. */
  readonly open?: OpenFolder;
}

export async function temporary(): Promise<string> {
  const dir = await mkdtemp(join(memoryDirectory(), 'receiptd-pipeline-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** A place that outlives several runs of the sending half. `files`: admitted at first; a number of them is `0.jpg`, `1.jpg`, … */
export async function sendingPlace(files: number | readonly string[] = []) {
  const dir = await temporary();
  const scans = join(dir, 'scans');
  await mkdir(scans);
  const clock = new FakeClock();
  const log = new RecordedLog();
  const service = new ScriptedService(clock);
  const tokens = new ScriptedTokens();
  const path = join(dir, 'ledger.db');
  const ledger = await openSqliteLedger({ path, clock });
  onTestFinished(() => ledger.close());
  const open: OpenFolder = (folder) => watched(folder, { recursive: false, random: () => 0.5 });

  /** A file in the folder, and the document that it became. */
  async function admit(
    name: string,
    more: { endpoint?: EndpointKey; lane?: Lane; folder?: string; text?: string } = {},
  ): Promise<Document> {
    const { endpoint = OFFICE, lane = 'fresh', folder = scans, text = `the text of ${name}` } = more;
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), text);
    const found = await open(folder).stat(name);
    if (found?.kind !== 'file') throw new Error('not written');
    const admitted = await ledger.admit({
      endpoint,
      file: { folder, path: name, identity: found.identity },
      sha256: sha256(Buffer.from(text)),
      type: 'jpeg',
      lane,
      at: clock.now(),
      naming: [`doc-${name}`],
    });
    return admitted.document;
  }

  const names = typeof files === 'number' ? Array.from({ length: files }, (_, n) => `${n}.jpg`) : files;
  for (const name of names) await admit(name);

  async function document(name: string): Promise<Document> {
    const [found] = await ledger.find(name);
    if (!found) throw new Error(`no document ${name}`);
    return found;
  }

  async function attempts(name: string): Promise<readonly Attempt[]> {
    const { id } = await document(name);
    return (await ledger.detail(id))?.attempts ?? [];
  }

  async function start(options: SendingOptions = {}) {
    const { random = () => 0.5 } = options;
    const overall = { ...UNLIMITED, ...options.overall };
    const endpoints: EndpointSettings[] = (options.endpoints ?? [{ key: OFFICE }]).map((each) => ({
      key: each.key,
      alias: each.key.uid,
      limits: { ...UNLIMITED, ...each.limits },
    }));
    const used = options.wrap ? options.wrap(ledger) : ledger;
    const { credentialsChanged, accountOf } = options;
    const holds = new Holds({
      ledger: used,
      clock,
      random,
      log,
      ...(credentialsChanged ? { credentialsChanged } : {}),
      ...(accountOf ? { accountOf } : {}),
    });
    await recover({ ledger: used, holds, clock, log });
    const pacer = await Pacer.create({ clock, ledger: used, overall, endpoints });
    const accepted: string[] = [];
    const missing: string[] = [];
    const outcomes = new Outcomes({
      holds,
      pacer,
      clock,
      random,
      log,
      parkAfter: options.parkAfter ?? 5,
      onAccepted: ({ name }) => accepted.push(name),
    });
    const hours = options.hours ?? null;
    const gate = new SendGate({ storage: used.storage, fleet: used.fleet, holds, pacer, clock, hours });
    const canSend: PayloadStoreDeps['canSend'] = (waiting) => gate.sendsSoon(waiting);
    const lookedThrough: BytesSearchDeps['lookedThrough'] = (folder, since) => {
      missing.push(folder);
      return options.lookedThrough?.(folder, since) ?? true;
    };
    const kept = await keeping(
      { dir, clock, ledger: used, log },
      { canSend, open: options.open ?? open, lookedThrough, ...options.keeping },
    );
    const { payloads } = kept;
    const flow = new Flow({
      ledger: used,
      endpoints,
      concurrency: overall.concurrency,
      pacer,
      holds,
      gate,
      outcomes,
      service,
      tokens: (endpoint) => options.tokens?.(endpoint) ?? tokens,
      payloads,
      memory: new ByteBudget(1_000_000),
      contentType: options.contentType ?? ((type) => factsOf(type).mediaType),
      clock,
      random,
      log,
    });
    const stopping = new AbortController();
    const abort = new AbortController();
    const idles: Idle[] = [];
    flow.onIdle((idle) => idles.push(idle));
    const running = flow.run(stopping.signal, abort.signal);
    const stop = async (): Promise<void> => {
      stopping.abort();
      abort.abort(new Error('the test is over'));
      await running;
    };
    onTestFinished(stop);
    return {
      ...kept,
      flow,
      gate,
      holds,
      pacer,
      accepted,
      missing,
      idles,
      stopping,
      stop,
      running,
    };
  }

  return { dir, scans, path, clock, log, service, tokens, ledger, open, admit, document, attempts, start };
}

export type Place = Awaited<ReturnType<typeof sendingPlace>>;
export type Sending = Awaited<ReturnType<Place['start']>>;

/** A ledger that records uploads only after this. */
export function recording(before: (uploads: Uploads) => unknown) {
  return (ledger: Ledger): Ledger => ({
    ...ledger,
    record: async (take) => {
      const uploads = take();
      await before(uploads);
      return ledger.record(() => uploads);
    },
  });
}

/** A ledger that can't record uploads while `isBroken`; asked with what is to be recorded. */
export function unrecorded(
  isBroken: (uploads: Uploads) => boolean,
  error: Error = new ReceiptdError({ code: 'LEDGER_WRITE_FAILED', message: 'The disk is full.' }),
) {
  return recording((uploads) => {
    if (isBroken(uploads)) throw error;
  });
}

/** A ledger whose `methods` reject while `isBroken`, called with their arguments. */
export function failing(
  methods: readonly (keyof Ledger)[],
  isBroken: (...args: unknown[]) => boolean,
  error: Error = new ReceiptdError({ code: 'LEDGER_WRITE_FAILED', message: 'The disk is full.' }),
) {
  return (ledger: Ledger): Ledger => {
    const guarded =
      (method: keyof Ledger) =>
      async (...args: unknown[]) => {
        if (isBroken(...args)) throw error;
        return (ledger[method] as (...all: unknown[]) => unknown)(...args);
      };
    return { ...ledger, ...Object.fromEntries(methods.map((method) => [method, guarded(method)])) };
  };
}

/** True the first `times` times. */
export function forTimes(times: number): () => boolean {
  let left = times;
  return () => (left -= 1) >= 0;
}

/** One request as a delivery makes it: with a place that was taken, in an upload slot. */
export function inSlot(
  pacer: Pacer,
  endpoint: EndpointKey,
  request: (onStart: () => void) => Promise<void>,
): Promise<void> {
  return pacer.inSlot(endpoint, 'fresh', () => pacer.run(endpoint, request));
}
