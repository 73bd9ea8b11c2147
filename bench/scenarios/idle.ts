import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../scenario.ts';
import { furnish } from '../world/agent.ts';
import { startDaemon } from '../world/daemon.ts';
import { knowFolder } from '../world/knownFolder.ts';
import { memory } from '../world/measure.ts';
import { ioBytes, processorSeconds, tellsOfProcesses } from '../world/proc.ts';
import { startSink } from '../world/sinkProcess.ts';

/** The agent backs up and checks its ledger a minute after its start and then daily; measurements start after this. */
const UPKEEP_OVER_S = 75;

/** An agent with nothing to do but watch. */
export const idle: Scenario = {
  name: 'idle',
  title: 'An agent at rest',
  async run({ quick, scratch, say }) {
    if (!tellsOfProcesses()) return { figures: [], skipped: ['idle: this machine has no /proc.'] };
    // The window always contains one full comparison: with this many files, one runs every 500 s.
    const count = quick ? 2_500 : 100_000;
    const windowS = quick ? 9 : 510;
    const reconcileEvery = quick ? '8s' : '60s';
    const dir = join(scratch, 'idle');
    await mkdir(dir, { recursive: true });
    const sink = await startSink();
    try {
      const settings = { intake: { reconcileEvery } };
      const receiptd = await furnish({ dir, baseUrl: sink.url, settings });
      await knowFolder({ dir, baseUrl: sink.url, receiptd, count, queued: null });
      say(`created ${count} known files`);
      const daemon = await startDaemon(dir, receiptd('run'));
      const { reconciled } = await daemon.reconciled();
      await sleep(quick ? 1_000 : Math.max(0, UPKEEP_OVER_S - reconciled) * 1_000);

      const { pid } = daemon;
      const before = { processor: await processorSeconds(pid), written: await ioBytes(pid, 'write_bytes') };
      await sleep(windowS * 1_000);
      const processor = (await processorSeconds(pid)) - before.processor;
      const written = (await ioBytes(pid, 'write_bytes')) - before.written;
      const resident = await memory(pid, 'VmRSS');
      const peak = await memory(pid, 'VmHWM');
      await daemon.stop();
      const { requests } = await sink.report();
      if (requests > 0) throw new Error(`An agent at rest sent ${requests} requests`);
      return {
        figures: [
          { name: 'watched files', value: count, unit: 'count', better: null },
          {
            name: 'processor',
            value: (100 * processor) / windowS,
            unit: '%',
            better: 'less',
            target: 0.5,
            note: `Of one processor, over ${windowS} s with one comparison of every file.`,
          },
          {
            name: 'written',
            value: written / 1e3,
            unit: 'kB',
            better: 'less',
            target: 0,
            note: 'In the same time, without the daily backup.',
          },
          { name: 'resident memory', value: resident / 1e6, unit: 'MB', better: 'less', target: 120 },
          { name: 'peak memory', value: peak / 1e6, unit: 'MB', better: 'less', note: 'Since its start.' },
        ],
        skipped: [],
      };
    } finally {
      await sink.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
};
