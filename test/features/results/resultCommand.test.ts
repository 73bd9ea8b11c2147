import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ResultCommand, type ResultCommandDeps } from '../../../src/features/results/resultCommand.ts';
import { openSqliteLedger } from '../../../src/ledger/open.ts';
import { OpenIncidents } from '../../../src/daemon/openIncidents.ts';
import { admission, OFFICE } from '../../contract/ledger/support.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { tempDir } from '../../support/tempDir.ts';

/** Writes its environment and its input to files, one line per result; fails while a file `broken` exists. */
const KEEP = [
  '/bin/sh',
  '-c',
  'test ! -e "$1/broken" || { echo out of paper >&2; exit 3; }; env > "$1/env"; cat >> "$1/out"',
  'sh',
];

async function handingPlace() {
  const dir = tempDir('handing');
  const clock = new FakeClock();
  const log = new RecordedLog();
  const incidents = new OpenIncidents({ clock, log });
  const ledger = await openSqliteLedger({ path: join(dir, 'ledger.db'), clock });
  onTestFinished(() => ledger.close());
  const { document } = await ledger.admit(admission('a', 'a'));
  const command = [...KEEP, dir];

  /** @returns its number */
  async function post(status: string, name = 'doc-a'): Promise<number> {
    const payload = Buffer.from(JSON.stringify({ name, status }));
    const result = { at: clock.now(), baseUrl: OFFICE.baseUrl, uid: OFFICE.uid, name, status, payload };
    return (await ledger.recordResult(result)).id;
  }

  function start(more: Partial<ResultCommandDeps> = {}) {
    const env = { PATH: process.env['PATH'], RECEIPTD_CLIENT_SECRET: 'secret' };
    const deps = { ledger, stateDir: dir, command, env, clock, random: () => 0.5, log, incidents };
    const handing = new ResultCommand({ ...deps, ...more });
    const ending = new AbortController();
    const ended = handing.run(ending.signal);
    const stop = async (): Promise<void> => {
      ending.abort(new Error('the test is over'));
      await ended;
    };
    onTestFinished(stop);
    return { handing, stop };
  }

  const position = (): number => {
    const file = join(dir, 'results-handed');
    return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : -1;
  };
  const handed = (): { id: number; status: string; document: unknown; payload: string }[] =>
    existsSync(join(dir, 'out'))
      ? readFileSync(join(dir, 'out'), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  return { dir, ledger, document, clock, log, incidents, post, start, position, handed, command };
}

describe.skipIf(process.platform === 'win32')('the program for results', () => {
  it('gets each new result with its document, in order, but no earlier results and no secret of the agent', async () => {
    const { dir, start, post, handed, position, document } = await handingPlace();
    const old = await post('OLD');
    const { handing } = start();
    await expect.poll(position).toBe(old);
    const id = await post('READ');
    const last = await post('DONE', 'who');
    handing.notify();
    await expect.poll(() => handed().length).toBe(2);
    expect(handed()).toEqual([
      {
        id,
        receivedAt: expect.stringMatching(/Z$/),
        document: {
          name: 'doc-a',
          endpointUid: OFFICE.uid,
          sha256: document.sha256,
          state: 'queued',
          path: '/scans/a',
        },
        status: 'READ',
        encoding: 'utf8',
        payload: '{"name":"doc-a","status":"READ"}',
      },
      expect.objectContaining({ document: null, status: 'DONE' }),
    ]);
    expect(readFileSync(join(dir, 'env'), 'utf8')).not.toContain('RECEIPTD_CLIENT_SECRET');
    await expect.poll(position).toBe(last);
  });

  it('continues after a stop where it left off, with results that arrived in the meantime', async () => {
    const { start, post, handed, position } = await handingPlace();
    const first = start();
    await expect.poll(position).toBe(0);
    await first.stop();
    await post('READ');
    const last = await post('DONE');
    start();
    await expect.poll(position).toBe(last);
    expect(handed().map(({ status }) => status)).toEqual(['READ', 'DONE']);
  });

  it('gets each new result of a ledger that went back, and none again', async () => {
    const { dir, clock, ledger, start, post, handed, position } = await handingPlace();
    const first = start();
    await expect.poll(position).toBe(0);
    let last = 0;
    for (const status of ['KEPT', 'LOST', 'LOST TOO']) {
      await clock.advance(1_000);
      last = await post(status);
    }
    first.handing.notify();
    await expect.poll(position).toBe(last);
    await first.stop();

    const older = await openSqliteLedger({ path: join(dir, 'older.db'), clock });
    onTestFinished(() => older.close());
    const [kept] = (await ledger.results({ of: 'all', order: 'oldest', after: null, limit: 1 })) ?? [];
    const again = async (at: number, status: string): Promise<number> => {
      const payload = Buffer.from(`{"status":"${status}"}`);
      return (await older.recordResult({ at, ...OFFICE, name: null, status, payload })).id;
    };
    await again(kept?.receivedAt ?? 0, 'KEPT');
    await clock.advance(1_000);
    const before = await again(clock.now(), 'BEFORE THE START');
    const { handing } = start({ ledger: older });
    await expect.poll(position).toBe(before);
    for (const status of ['LATER', 'LAST']) {
      const id = await again(clock.now(), status);
      handing.notify();
      await expect.poll(position).toBe(id);
    }
    const statuses = 'KEPT, LOST, LOST TOO, BEFORE THE START, LATER, LAST';
    expect(
      handed()
        .map(({ status }) => status)
        .join(', '),
    ).toBe(statuses);
  });

  it('gets the next result although the position, which an older version wrote, is beyond the ledger', async () => {
    const { dir, start, post, handed, position } = await handingPlace();
    const old = await post('OLD');
    await writeFile(join(dir, 'results-handed'), '99\n');
    const { handing } = start();
    await expect.poll(position).toBe(old);
    await post('NEW');
    handing.notify();
    await expect.poll(() => handed().map(({ status }) => status)).toEqual(['NEW']);
  });

  it('causes one incident if it fails, and gets the same result again after increasing waits', async () => {
    const { dir, start, post, handed, incidents, clock, log, position } = await handingPlace();
    await writeFile(join(dir, 'broken'), '');
    const { handing } = start();
    await expect.poll(position).toBe(0);
    await post('READ');
    await post('DONE');
    handing.notify();
    await expect
      .poll(() => incidents.list())
      .toMatchObject([
        {
          code: 'RESULTS_COMMAND_FAILED',
          params: { why: { is: 'programEnded', end: { how: 'exited', status: 3, said: '' } } },
        },
      ]);
    await expect.poll(() => clock.sleeping).toBe(1);
    expect(handed()).toEqual([]);
    await rm(join(dir, 'broken'));
    // More results do not shorten the wait.
    await post('MORE');
    handing.notify();
    await clock.advance(1_000);
    expect(handed()).toEqual([]);
    await clock.advance(1_000);
    await expect.poll(() => handed().map(({ status }) => status)).toEqual(['READ', 'DONE', 'MORE']);
    await expect.poll(() => incidents.list()).toEqual([]);
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(JSON.stringify(log.lines)).toContain('out of paper');
  });

  it('is ended if it takes too long, and a newly configured program takes over at once', async () => {
    const { start, post, handed, incidents, position, command } = await handingPlace();
    const { handing } = start({ command: ['/bin/sleep', '600'], timeoutMs: 300 });
    await expect.poll(position).toBe(0);
    await post('DONE');
    handing.notify();
    await expect
      .poll(() => incidents.list())
      .toMatchObject([{ params: { why: { end: { how: 'timedOut' } } } }]);
    handing.take(command);
    expect(incidents.list()).toEqual([]);
    await expect.poll(() => handed().map(({ status }) => status)).toEqual(['DONE']);
  });

  it('gets no results from a time without a program', async () => {
    const { start, post, handed, position, command } = await handingPlace();
    const { handing } = start();
    await expect.poll(position).toBe(0);
    handing.take(null);
    await expect.poll(position).toBe(-1);
    const missed = await post('MISSED');
    handing.take(command);
    await expect.poll(position).toBe(missed);
    await post('DONE');
    handing.notify();
    await expect.poll(() => handed().map(({ status }) => status)).toEqual(['DONE']);
  });
});
