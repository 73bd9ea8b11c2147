import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { requirement } from '../../support/requires.ts';
import { killAgents } from '../support/agentProcess.ts';
import { flatness } from './flatness.ts';
import { UIDS } from '../support/office.ts';
import { tooFast } from './limits.ts';
import { LIMITS } from './place.ts';
import type { Sample } from './samples.ts';
import { soak } from './soak.ts';

const binary = fileURLToPath(new URL('../../../dist/receiptd.cjs', import.meta.url));
const hasParts =
  requirement(
    '/proc',
    existsSync('/proc/self/fdinfo'),
    'the figures of a process come from it; Linux only',
  ) && requirement('The built binary', existsSync(binary), 'npm run build');

afterAll(killAgents);

describe.skipIf(!hasParts)('a short soak', () => {
  it('loses nothing, sends nothing twice, and leaves nothing behind', async () => {
    const outcome = await soak({
      seconds: 4,
      seed: 1,
      rate: 20,
      samplesFile: null,
      tell: () => {},
    });
    expect(outcome.breaches).toEqual([]);
    expect(outcome.figures['ledger: accepted']).toBeGreaterThan(30);
    // Four lives, or two on a slow machine.
    expect(outcome.figures['agent: lives']).toBeGreaterThan(1);
  });
});

describe('the verdict on flatness', () => {
  /** Samples of ten minutes of an agent, modified by `change`. */
  function life(change: (at: number) => Partial<Sample>): Sample[] {
    return Array.from({ length: 600 }, (_, at) => ({
      at,
      life: 1,
      weather: 'fair',
      rss: 120e6 + (at % 7) * 1e6,
      inside: { heapUsed: 40e6, heapLive: 25e6, external: 4e6, loopMs: 20, resources: { Timeout: 9 } },
      fds: { file: 12, other: 6, socket: at % 5, pipe: 9 },
      threads: 23,
      watches: 9,
      dirs: 9,
      cpuSeconds: at * 0.3,
      statusMs: 3,
      ledger: at * 30 * 1_500,
      wal: 16e6,
      journal: at * 30 * 3_400,
      spool: 0,
      logs: 1e6,
      state: 7,
      accepted: at * 30,
      waiting: 0,
      ...change(at),
    }));
  }
  const growing = (change: (at: number) => Partial<Sample>): string[] =>
    (flatness(life(change)) ?? []).filter(({ flat }) => !flat).map(({ what }) => what);

  it('is flat for every figure if nothing grows', () => {
    expect(growing(() => ({}))).toEqual([]);
  });

  it('allows memory to grow while the ledger still fits into its cache', () => {
    expect(growing((at) => ({ rss: 120e6 + 2 * Math.min(at * 45e3, 16e6) }))).toEqual([]);
  });

  it.each([
    ['resident memory', (at: number) => ({ rss: 120e6 + at * 120e3 })],
    ['files open', (at: number) => ({ fds: { file: 12 + at / 60 } })],
    ['watches beyond directories', (at: number) => ({ watches: 9 + at / 60 })],
    ['ledger for each accepted', (at: number) => ({ ledger: at * 30 * (1_500 + at) })],
    ['processor for each accepted', (at: number) => ({ cpuSeconds: at * 0.3 + at * at * 0.001 })],
    ['write-ahead log', () => ({ wal: 200e6 })],
  ])('reports that %s grows', (what, change) => {
    expect(growing(change)).toEqual([what]);
  });

  it('is withheld if there are too few samples', () => {
    expect(flatness(life(() => ({})).slice(0, 30))).toBeNull();
  });
});

describe('the rate of arrivals', () => {
  it('is too high unless a delay explains it', () => {
    const { count } = LIMITS.depot;
    const uploads = Array.from({ length: count + 1 }, (_, index) => ({
      arrivedAt: (index * 900) / count,
      uid: UIDS.depot,
      name: '',
      status: 200,
      fault: null,
    }));
    expect(tooFast(uploads, [])).toHaveLength(1);
    expect(tooFast(uploads, [{ from: 0, to: 1_000, lateMs: 120, frozen: false }])).toEqual([]);
  });
});
