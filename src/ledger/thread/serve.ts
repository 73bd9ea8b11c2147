import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../core/ports/clock.ts';
import { Reserve } from '../sqlite/reserve.ts';
import {
  fromData,
  toData,
  END,
  IS_ENDED,
  type Answered,
  type ThreadCall,
  type Calls,
  type ThreadMessage,
} from './protocol.ts';
import { StoreFailed, withFaults } from '../runner.ts';
import { SqliteWriter } from '../writer.ts';

/** Call first. Requests are heard between two calls, so none is ended. */
export function endOnRequest(port: MessagePort, shared: Int32Array): void {
  process.once('exit', () => {
    Atomics.store(shared, IS_ENDED, 1);
    Atomics.notify(shared, IS_ENDED);
  });
  port.on('message', (said: unknown) => {
    if (said === END) process.exit();
  });
}

/** The thread's side: opens a ledger, and runs steps until it is asked to close. */
export function serveLedger(port: MessagePort, clock: Clock): void {
  const say = (said: ThreadMessage): void => port.postMessage(said);
  let writer: SqliteWriter | null = null;
  let synced: number[] = [];
  const underWay = new Set<Promise<void>>();
  const trouble = () => writer?.storage.trouble() ?? null;
  const open = (): SqliteWriter => {
    if (writer !== null) return writer;
    throw new Error('the thread was asked before it was to open a ledger');
  };

  const calls: Calls = {
    async open({ path, backupsDir, reserve }) {
      const mended: string[] = [];
      writer = await SqliteWriter.open({
        path,
        clock,
        backupsDir,
        reserve: reserve && new Reserve(reserve.path, reserve.bytes),
        onMended: (story) => void mended.push(story),
        onSynced: (ms) => void synced.push(ms),
      });
      // A caller that gets a rejection must already know about the trouble: a change is sent before the answers that result from it.
      writer.storage.onChange(() => say({ trouble: trouble() }));
      return { mended, backupsDir: writer.backupsDir };
    },
    run: async (steps, areOutcomes) => withFaults(await open().run(steps, areOutcomes), toData),
    backup: (target) => open().backup(target),
    blanked: () => open().blanked(),
    readFailed: (failure) => open().readFailed(fromData(failure)),
    looked: async (soundAt) => open().looked(soundAt),
    async close() {
      await Promise.all(underWay);
      await open().close();
    },
  };

  const answer = async ({ id, call, args }: ThreadCall): Promise<void> => {
    const said: { -readonly [Key in keyof Answered]?: Answered[Key] } = {};
    try {
      said.value = await (calls[call] as (...args: readonly unknown[]) => unknown)(...args);
    } catch (error) {
      said.error = toData(error instanceof StoreFailed ? error.failure : error);
      if (error instanceof StoreFailed) said.mayRecordOutcomes = error.mayRecordOutcomes;
    }
    say({ id, ...said, synced, trouble: trouble() });
    synced = [];
    // Else the thread has nothing more to do, and ends.
    if (writer === null || call === 'close') port.close();
  };

  port.on('message', (asked: ThreadCall | typeof END) => {
    if (asked === END) return;
    const answering = answer(asked);
    if (asked.call === 'close') return;
    underWay.add(answering);
    void answering.finally(() => underWay.delete(answering));
  });
}
