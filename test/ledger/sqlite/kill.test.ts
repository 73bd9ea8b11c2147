import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteReports } from '../../../src/ledger/sqlite/open.ts';
import type { Ledger } from '../../../src/core/ports/ledger.ts';
import { OFFICE } from '../../contract/ledger/support.ts';
import { compiledSources } from '../../support/compiled.ts';
import { createPlace } from './place.ts';

type Acknowledged = readonly [string, ...(string | number)[]];

interface Writer {
  /** The acknowledgements so far; a line that the kill truncated does not count. */
  readonly acknowledged: Acknowledged[];
  until(count: number): Promise<void>;
  kill(): Promise<void>;
}

function start(script: string, ...args: readonly string[]): Writer {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const acknowledged: Acknowledged[] = [];
  let rest = '';
  let errors = '';
  let onProgress: () => void = () => {};
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors += chunk;
  });
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const said: Acknowledged = JSON.parse(line);
      acknowledged.push(said);
    }
    onProgress();
  });
  // 'close' rather than 'exit', because all output has been read by then.
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  return {
    acknowledged,
    until: (count) =>
      Promise.race([
        new Promise<void>((resolve) => {
          onProgress = () => {
            if (acknowledged.length >= count) resolve();
          };
          onProgress();
        }),
        closed.then(() => {
          throw new Error(`the writer ended by itself: ${errors}`);
        }),
      ]),
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

describe.each([
  ['a writer', '', [50, 333]],
  ['a process whose thread writes', 'thread', [50, 333, 1_001]],
])('%s, killed with SIGKILL', (_, where, counts) => {
  let place: Awaited<ReturnType<typeof createPlace>>;
  let script: string;

  beforeAll(async () => {
    place = await createPlace();
    script = path.join(await compiledSources(), 'test/ledger/sqlite/killedWriter.js');
  });
  afterAll(() => place.remove());

  it('loses nothing that was acknowledged, and gives no image two names', async () => {
    const acknowledged: Acknowledged[] = [];
    for (const [run, count] of counts.entries()) {
      const writer = start(script, place.path, `run${run}`, where);
      await writer.until(count);
      const beside = await openSqliteReports({ path: place.path });
      const [, , , sha256] = writer.acknowledged.find(([what]) => what === 'admitted') ?? [];
      expect(await beside.bySha256(OFFICE, String(sha256))).not.toBeNull();
      await writer.kill();
      acknowledged.push(...writer.acknowledged);
      // Nobody has recovered the log yet.
      expect((await beside.counts()).reduce((sum, { count: n }) => sum + n, 0)).toBeGreaterThan(0);
      await beside.close();
    }

    const ledger = await place.open();
    try {
      const wanted = acknowledged.filter(([what]) => what !== 'recovered');
      const recorded: Acknowledged[] = [];
      for (const [what, id] of wanted) recorded.push(await asRecorded(ledger, what, Number(id)));
      expect(recorded).toEqual(wanted);

      const admitted = wanted.filter(([what]) => what === 'admitted');
      expect(admitted.length).toBeGreaterThan(100);
      expect(new Set(admitted.map(([, , name]) => name)).size).toBe(admitted.length);

      await ledger.recover(1);
      expect((await ledger.counts()).map((count) => count.state)).not.toContain('uploading');
    } finally {
      await ledger.close();
    }
  });
});

/** What the ledger knows about an acknowledgement, in the same form. */
async function asRecorded(ledger: Ledger, what: string, id: number): Promise<Acknowledged> {
  const detail = await ledger.detail(id);
  if (!detail) return ['missing', id];
  const { document, attempts } = detail;
  switch (what) {
    case 'admitted':
      return [what, id, document.name, document.sha256];
    case 'begun':
      return [what, id, ...attempts.map((attempt) => attempt.id)];
    case 'accepted':
      return [document.state, id];
    default:
      throw new Error(`nobody says ${what}`);
  }
}
