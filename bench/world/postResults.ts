import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENDPOINT } from './agent.ts';

export interface Posted {
  /** Milliseconds until each answer. */
  readonly tookMs: readonly number[];
  /** Number of answers other than 204. */
  readonly refused: number;
  readonly perSecond: number;
}

const TICK_MS = 10;

/**
 * Posts results at a fixed rate until it is aborted, without waiting for earlier answers. Resolves once all are
 * answered.
 */
export async function postResults(
  url: string,
  names: readonly string[],
  perSecond: number,
  over: AbortSignal,
): Promise<Posted> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const tookMs: number[] = [];
  let refused = 0;
  const post = async (number: number): Promise<void> => {
    const startedAt = performance.now();
    const status = await send(url, agent, bodyOf(number, names[number % names.length] ?? ''));
    tookMs.push(performance.now() - startedAt);
    if (status !== 204) refused += 1;
  };
  const all: Promise<void>[] = [];
  const startedAt = performance.now();
  while (!over.aborted) {
    const due = Math.floor(((performance.now() - startedAt) * perSecond) / 1_000);
    while (all.length < due) all.push(post(all.length));
    await sleep(TICK_MS);
  }
  await Promise.all(all);
  const seconds = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  return { tookMs, refused, perSecond: all.length / seconds };
}

function bodyOf(number: number, name: string): string {
  const total = { amount: `${number}.00`, currency: 'EUR' };
  const lines = Array.from({ length: 8 }, (_, line) => ({ text: `item ${line}`, amount: '1.00' }));
  return JSON.stringify({ name, endpointUid: ENDPOINT, status: 'DONE', number, analysis: { total, lines } });
}

function send(url: string, agent: Agent, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', agent, headers: { 'content-length': Buffer.byteLength(body) } },
      (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.once('error', reject).end(body);
  });
}
