/**
 * A process of the crowd (fleetCrowd.ts): a hundred agents reduced to ledger sessions and made-up images. The service is a
 * delay; no bytes are sent.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isOfLedger } from '../../src/core/domain/errors.ts';
import type { Ledger } from '../../src/core/ports/ledger.ts';
import type { Admission } from '../../src/core/ports/ledgerIntake.ts';
import { openLedgerAgent } from './ledgerAgent.ts';
import { begin, finish } from '../../test/support/uploads.ts';
import { nextOf } from '../../test/support/uploads.ts';

export interface CrowdOptions {
  readonly url: string;
  readonly first: number;
  readonly count: number;
  /** Number of offices, each with an endpoint and a shared folder; agents are distributed among them. */
  readonly offices: number;
}

export type Order =
  /** Each agent admits `each` images at once and sends them. */
  | { readonly kind: 'scan'; readonly each: number; readonly serviceMs: number }
  /** Each agent begins a request for an image in the shared folder, and the request never ends. */
  | { readonly kind: 'hold' };

export type Told =
  | { readonly kind: 'opened' }
  | { readonly kind: 'held' }
  | {
      readonly kind: 'sent';
      readonly admitMs: readonly number[];
      readonly finishMs: readonly number[];
      /** Number of calls that were repeated because the ledger was not reachable in time. */
      readonly repeated: number;
    };

/** Signals in a burst are merged, as in an agent. */
const GATHER_MS = 100;
const AT_ONCE = 4;
const AGAIN_MS = 1_000;

const { url, first, count, offices } = JSON.parse(process.argv[2] ?? '{}') as CrowdOptions;
const tell = (told: Told): void => void process.send?.(told);

let repeated = 0;

async function untilDone<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOfLedger(error)) throw error;
      repeated += 1;
      await sleep(AGAIN_MS);
    }
  }
}

class CrowdAgent {
  readonly #ledger: Ledger;
  readonly #number: number;
  readonly #share: string;
  #scanned = 0;
  #isSending = false;
  /** Null: requests never end. */
  serviceMs: number | null = 100;
  readonly finishMs: number[] = [];

  constructor(ledger: Ledger, number: number, share: string) {
    this.#ledger = ledger;
    this.#number = number;
    this.#share = share;
    ledger.fleet?.onSignal((signal) => signal === 'queue' && setTimeout(() => void this.send(), GATHER_MS));
  }

  static async open(number: number): Promise<CrowdAgent> {
    const share = `/mnt/office-${number % offices}`;
    const shares = new Map([[share, share.slice(5)]]);
    const name = `agent-${String(number).padStart(4, '0')}`;
    return new CrowdAgent(await openLedgerAgent(url, name, shares), number, share);
  }

  get #endpoint() {
    const n = String(this.#number % offices).padStart(12, '0');
    return { baseUrl: 'https://service.example/api/v1', uid: `11111111-2222-4333-8444-${n}` };
  }

  /** Admits an image. @returns milliseconds until it has its name */
  async scan(isShared: boolean): Promise<number> {
    const startedAt = performance.now();
    const path = `Scan_${this.#number}_${(this.#scanned += 1)}.jpg`;
    const sha256 = createHash('sha256').update(path).digest('hex');
    const image: Admission = {
      endpoint: this.#endpoint,
      file: {
        folder: isShared ? this.#share : '/srv/scans',
        path,
        identity: { size: 345_678, mtimeNs: BigInt(Date.now()) * 1_000_000n, ctimeNs: 0n, inode: 1n },
      },
      sha256,
      type: 'jpeg',
      lane: 'fresh',
      at: Date.now(),
      naming: [`${path}-${sha256.slice(0, 12)}`],
    };
    await untilDone(() => this.#ledger.admit(image));
    return performance.now() - startedAt;
  }

  /** Sends documents until none is left for this agent. */
  async send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (;;) {
        const due = await untilDone(() =>
          nextOf(this.#ledger, {
            endpoint: this.#endpoint,
            lane: 'fresh',
            exceptFolders: [],
            freshSince: 0,
            longestWaitMs: 86_400_000,
            limit: AT_ONCE,
            now: Date.now(),
          }),
        );
        if (due.length === 0) return;
        await Promise.all(due.map(({ id }) => this.#upload(id)));
      }
    } finally {
      this.#isSending = false;
    }
  }

  async #upload(id: number): Promise<void> {
    const startedAt = performance.now();
    const attempt = await untilDone(() => begin(this.#ledger, id, Date.now(), 345_678));
    const { serviceMs } = this;
    if (serviceMs === null) return;
    await sleep(serviceMs);
    await untilDone(() =>
      finish(this.#ledger, attempt, {
        at: Date.now(),
        outcome: 'accepted',
        httpStatus: 200,
        message: null,
        transition: { state: 'accepted', serviceStatus: 'PROCESSING', response: '{"status":"PROCESSING"}' },
      }),
    );
    this.finishMs.push(performance.now() - startedAt - serviceMs);
  }
}

const agents: CrowdAgent[] = await Promise.all(
  Array.from({ length: count }, (_, n) => CrowdAgent.open(first + n)),
);

process.on('message', (order: Order) => {
  void (async () => {
    if (order.kind === 'hold') {
      for (const agent of agents) agent.serviceMs = null;
      await Promise.all(agents.map((agent) => agent.scan(true).then(() => agent.send())));
      return tell({ kind: 'held' });
    }
    const admitMs: number[] = [];
    await Promise.all(
      agents.map(async (agent) => {
        agent.serviceMs = order.serviceMs;
        for (let n = 0; n < order.each; n += 1) admitMs.push(await agent.scan(false));
        await agent.send();
      }),
    );
    tell({ kind: 'sent', admitMs, finishMs: agents.flatMap(({ finishMs }) => finishMs.splice(0)), repeated });
    repeated = 0;
  })();
});
tell({ kind: 'opened' });
