import { describe, expect, it } from 'vitest';
import type { EndpointKey } from '../../src/core/domain/document.ts';
import { Agent, type AgentDeps } from '../../src/daemon/agent.ts';
import type { Idle } from '../../src/flow/flow.ts';
import { systemClock } from '../../src/system/systemClock.ts';
import { RecordedLog } from '../support/recordedLog.ts';

const OFFICE: EndpointKey = { baseUrl: 'http://127.0.0.1:1', uid: 'office' };

/** An agent without folders, whose flow reports these one after another. */
function agentOver(
  idles: Idle[],
  onAsked: () => void = () => {},
  { background = [], tidy = async () => {} }: Partial<Pick<AgentDeps, 'background' | 'tidy'>> = {},
  openSplits: readonly { endpoint: EndpointKey; file: { folder: string } }[] = [],
): Agent {
  const flow = {
    inFlight: 0,
    run: (stopping: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (stopping.aborted) resolve();
        stopping.addEventListener('abort', () => resolve());
      }),
    onIdle(listener: (idle: Idle) => void) {
      onAsked();
      const next = idles.shift();
      if (next) queueMicrotask(() => listener(next));
      return () => {};
    },
  };
  const deps = {
    ledger: {
      counts: async () => [],
      holds: async () => [],
      list: async function* () {},
      openSplits: async () => openSplits,
    },
    intakes: [],
    flow,
    endpoints: [{ key: OFFICE }],
    clock: systemClock,
    log: new RecordedLog(),
    graceMs: 0,
    background,
    tidy,
  };
  return new Agent(deps as unknown as AgentDeps);
}

describe('a run that ends by itself', () => {
  it('ends if it is stopped before it waits for the flow', async () => {
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    expect(await agentOver([]).once(stop.signal, 0)).toMatchObject({ accepted: 0 });
  });

  it('cleans up after an earlier run once everything is sent', async () => {
    const done: string[] = [];
    const agent = agentOver([{ why: 'done', waitMs: null }], () => done.push('sent'), {
      tidy: async () => void done.push('tidy'),
    });
    await agent.once(new AbortController().signal, 0);
    expect(done).toEqual(['sent', 'tidy']);
  });

  it('counts a file with pages not yet taken in as waiting, for its own endpoint', async () => {
    const open = ['office', 'office', 'elsewhere'].map((uid) => ({
      endpoint: { ...OFFICE, uid },
      file: { folder: '/scans' },
    }));
    const agent = agentOver([{ why: 'done', waitMs: null }], () => {}, {}, open);
    expect(await agent.once(new AbortController().signal, 0)).toMatchObject({ waiting: 2 });
  });
});

describe('a run that continues', () => {
  it('stops all its parts if one fails, and reports the error', async () => {
    const ended: string[] = [];
    const agent = agentOver([], () => {}, {
      background: [
        () => Promise.reject(new Error('a defect')),
        async (signal) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          ended.push('the other');
        },
      ],
    });
    await expect(agent.run(new AbortController().signal)).rejects.toThrow('a defect');
    expect(ended).toEqual(['the other']);
  });
});
