import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CURL } from '../peers/peers.ts';
import type { Bench } from '../scenario.ts';
import { furnish } from './agent.ts';
import { measure, type Command } from './measure.ts';
import { startSink } from './sinkProcess.ts';
import { startSlowLink } from './slowLinkProcess.ts';

export const BYTES_PER_SECOND = 1_000_000;
export const ROUND_TRIP_MS = 200;

export interface Load {
  readonly name: string;
  readonly folder: string;
  readonly count: number;
  readonly bytes: number;
}

export interface Contender {
  readonly name: string;
  readonly kind: 'peer' | 'fixed' | 'adaptive';
  readonly load: Load;
  readonly command: (url: string, dir: string) => Promise<Command>;
}

export interface Sent {
  readonly contender: Contender;
  /** Share of the link's capacity that was used between the first and the last byte. */
  readonly share: number;
  readonly seconds: number;
  /** Requests in addition to one per receipt. */
  readonly again: number;
}

/** curl with a fixed concurrency. */
export function curl(load: Load, atOnce: number): Contender {
  return {
    name: `${load.name}: ${CURL.name}, ${atOnce} at once`,
    kind: 'peer',
    load,
    command: (url, scratch) => CURL.command({ folder: load.folder, url, scratch, atOnce }),
  };
}

/** `limitSeconds`: value of all timeouts. */
export function receiptd(
  load: Load,
  kind: 'fixed' | 'adaptive',
  { concurrency, limitSeconds }: { readonly concurrency: number; readonly limitSeconds?: number },
): Contender {
  const limit = `${limitSeconds}s`;
  const limited = limitSeconds === undefined ? '' : `, timeouts of ${limitSeconds} s`;
  const pace = kind === 'adaptive' ? 'adaptive up to' : 'at most';
  const timeouts = { progress: limit, headers: limit, body: limit };
  return {
    name: `${load.name}: receiptd, ${pace} ${concurrency} at once${limited}`,
    kind,
    load,
    async command(baseUrl, dir) {
      const settings = limitSeconds === undefined ? {} : { settings: { service: { baseUrl, timeouts } } };
      const agent = await furnish({ dir, baseUrl, folder: load.folder, concurrency, ...settings });
      return agent('run', '--once');
    },
  };
}

export async function inTurn(contenders: readonly Contender[], bench: Bench): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const contender of contenders) sent.push(await send(contender, bench));
  return sent;
}

/** Runs all at once, each over its own link, since the machine has little to do. Waits for all before it reports a failure. */
export async function together(contenders: readonly Contender[], bench: Bench): Promise<Sent[]> {
  const sending = contenders.map((each) => send(each, bench));
  await Promise.allSettled(sending);
  return Promise.all(sending);
}

async function send(contender: Contender, { scratch, say }: Bench): Promise<Sent> {
  const { name, load, command } = contender;
  const dir = join(scratch, name.replaceAll(/\W+/g, '-'));
  await mkdir(dir, { recursive: true });
  const sink = await startSink();
  const line = await startSlowLink({
    port: sink.port,
    bytesPerSecond: BYTES_PER_SECOND,
    roundTripMs: ROUND_TRIP_MS,
  });
  try {
    await measure(await command(line.url, dir));
    const { requests, truncated, names, answeredAt } = await sink.report();
    const different = new Set(names.map(([each]) => each)).size;
    if (different !== load.count || truncated > 0)
      throw new Error(`${name} sent ${different} of ${load.count}, ${truncated} of them truncated`);
    const seconds = (answeredAt - (names[0]?.[1] ?? NaN)) / 1_000;
    const share = load.bytes / (seconds * BYTES_PER_SECOND);
    say(`${name}: ${(share * 100).toFixed(1)} % of the link, ${seconds.toFixed(2)} s`);
    return { contender, share, seconds, again: requests - load.count };
  } finally {
    await line.close();
    await sink.close();
    await rm(dir, { recursive: true, force: true });
  }
}
