import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { timestamp, type SandboxClock } from './clock.ts';
import type { SandboxEndpoints } from './endpoints.ts';
import type { DocumentEntry } from './store.ts';

/** What is posted to an endpoint's `outgoingUrl` after each stored upload. */
export interface ResultsPlan {
  /** Milliseconds from the upload to the first status, and between statuses. */
  readonly afterMs: number;
  /** One result per status, in this order. */
  readonly statuses: readonly string[];
}

/** A result to post now, valid or not. */
export const RESULT = z.strictObject({
  endpointUid: z.string(),
  /** Name of any document, received or not. */
  name: z.string().exactOptional(),
  status: z.string().exactOptional(),
  /** Posted instead of a result: any text, such as invalid JSON. */
  payload: z.string().exactOptional(),
  /** How often to post the same bytes. */
  times: z.int().min(1).max(100).exactOptional(),
});
export type ResultRequest = z.infer<typeof RESULT>;

const TRIES = 20;
const AGAIN_MS = 500;
const PATIENCE_MS = 10_000;

/**
 * Posts results. The interface (6) does not show what the service posts, and when: here, the documented fields of a document and
 * invented ones. A result without a 2xx answer is posted again later.
 */
export class ResultPoster {
  readonly #plan: ResultsPlan | null;
  readonly #endpoints: SandboxEndpoints;
  readonly #clock: SandboxClock;
  readonly #closed = new AbortController();
  readonly #underWay = new Set<Promise<void>>();

  constructor(plan: ResultsPlan | null, endpoints: SandboxEndpoints, clock: SandboxClock) {
    this.#plan = plan;
    this.#endpoints = endpoints;
    this.#clock = clock;
  }

  /** Call after an upload was stored. */
  stored(document: DocumentEntry): void {
    const url = this.#urlOf(document.endpointUid);
    if (this.#plan === null || this.#plan.statuses.length === 0 || url === null) return;
    const work = this.#postAll(url, document, this.#plan)
      .catch(() => undefined)
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Resolves the statuses of the answers, 0 for none; null if the endpoint has no `outgoingUrl`. */
  async post({ endpointUid, name, status, payload, times = 1 }: ResultRequest): Promise<number[] | null> {
    const url = this.#urlOf(endpointUid);
    if (url === null) return null;
    const body = payload ?? this.#record(endpointUid, name, status);
    const answers: number[] = [];
    for (let n = 0; n < times; n += 1) answers.push((await this.#send(url, body)).status);
    return answers;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all(this.#underWay);
  }

  async #postAll(url: string, { endpointUid, name }: DocumentEntry, plan: ResultsPlan): Promise<void> {
    for (const status of plan.statuses) {
      await sleep(plan.afterMs, undefined, { signal: this.#closed.signal });
      const body = this.#record(endpointUid, name, status);
      for (let left = TRIES; left > 0; left -= 1) {
        const answer = await this.#send(url, body);
        if (answer.status >= 200 && answer.status < 300) break;
        await sleep(answer.waitMs, undefined, { signal: this.#closed.signal });
      }
    }
  }

  async #send(url: string, body: string): Promise<{ status: number; waitMs: number }> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(PATIENCE_MS)]);
    try {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await response.arrayBuffer();
      const seconds = Number(response.headers.get('retry-after') ?? 0);
      return { status: response.status, waitMs: Math.max(AGAIN_MS, Math.min(seconds * 1_000, PATIENCE_MS)) };
    } catch {
      return { status: 0, waitMs: AGAIN_MS };
    }
  }

  #record(endpointUid: string, name: string | undefined, status: string | undefined): string {
    return JSON.stringify({
      ...(name !== undefined && { name }),
      endpointUid,
      ...(status !== undefined && { status }),
      updatedAt: timestamp(this.#clock.now()),
      analysis: { merchant: 'Bäckerei Sandkasten', total: { amount: '12.50', currency: 'EUR' } },
    });
  }

  #urlOf(endpointUid: string): string | null {
    return this.#endpoints.list().find(({ uid }) => uid === endpointUid)?.outgoingUrl ?? null;
  }
}
