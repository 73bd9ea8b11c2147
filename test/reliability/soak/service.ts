import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  startSandbox,
  type FaultRule,
  type Sandbox,
  type StoredDocument,
} from '../../../src/sandbox/server.ts';
import type { Dice } from '../support/dice.ts';
import { sha256 } from '../support/digest.ts';
import { ALIASES, CLIENT, ENDPOINTS, UIDS } from '../support/office.ts';
import { RateWatch } from './limits.ts';
import { LIMITS } from './place.ts';

/**
 * The sandbox, restarted on the same port. Checks stored files and then deletes them, keeping name and hash, so that an hour fits on the
 * disk.
 */
export class Service {
  readonly #dir: string;
  readonly #random: () => number;
  #sandbox: Sandbox;
  readonly rate = new RateWatch();
  readonly breaches: string[] = [];
  /** Number of files that were checked and deleted. */
  checked = 0;
  uploads = 0;

  private constructor(dir: string, random: () => number, sandbox: Sandbox) {
    this.#dir = dir;
    this.#random = random;
    this.#sandbox = sandbox;
  }

  static async start(dir: string, dice: Dice): Promise<Service> {
    const random = (): number => dice.next();
    return new Service(dir, random, await open(dir, random, 0));
  }

  get url(): string {
    return this.#sandbox.url;
  }

  /** Replaces all faults. */
  misbehave(rules: readonly FaultRule[]): void {
    this.#sandbox.behave();
    this.#sandbox.misbehave(...rules);
  }

  revokeTokens(): void {
    this.#sandbox.revokeTokens();
  }

  /** Refuses every connection for this long. */
  async away(ms: number, signal: AbortSignal): Promise<void> {
    const { port } = this.#sandbox;
    await this.close();
    await sleep(ms, undefined, { signal }).catch(() => {});
    this.#sandbox = await open(this.#dir, this.#random, port);
  }

  received(): StoredDocument[] {
    return this.#sandbox.received();
  }

  /** Judges the rate of new arrivals. */
  watchRate(): void {
    for (const alias of ALIASES)
      this.rate.look(alias, this.#sandbox.arrivals(UIDS[alias]), performance.now());
  }

  /** Reports files whose bytes do not match their hash, and removes all files. */
  async dropBytes(): Promise<void> {
    for (const uid of Object.values(UIDS)) {
      const dir = join(this.#dir, uid);
      for (const file of await readdir(dir).catch(() => [])) {
        const bytes = await readFile(join(dir, file));
        if (`${sha256(bytes)}.bin` !== file)
          this.breaches.push(`the service stored different bytes as ${file}`);
        await rm(join(dir, file));
        this.checked += 1;
      }
    }
  }

  async close(): Promise<void> {
    this.watchRate();
    await this.#sandbox.close();
    const { requests, maxConcurrentUploads, maxConcurrentUploadsByEndpoint } = this.#sandbox.stats();
    this.uploads += Object.values(requests['upload'] ?? {}).reduce((sum, count) => sum + count, 0);
    const most: Record<string, number> = { ...maxConcurrentUploadsByEndpoint, all: maxConcurrentUploads };
    const allowed = {
      [UIDS.office]: LIMITS.office.concurrency,
      [UIDS.depot]: LIMITS.depot.concurrency,
      all: LIMITS.concurrency,
    };
    for (const [who, limit] of Object.entries(allowed)) {
      const seen = most[who] ?? 0;
      if (seen > limit) this.breaches.push(`${seen} uploads at once (${who}); the limit is ${limit}`);
    }
  }
}

function open(dir: string, random: () => number, port: number): Promise<Sandbox> {
  return startSandbox({ dir, port, random, credentials: CLIENT, endpoints: ENDPOINTS });
}
