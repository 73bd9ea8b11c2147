import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../core/ports/clock.ts';
import { Reserve } from '../sqlite/reserve.ts';
import { fromData, toData } from './errorData.ts';
import { isFault } from '../ledger.ts';
import { StoreFailed } from '../runner.ts';
import { SqliteWriter } from '../writer.ts';
import { END, IS_ENDED, type Asked, type Said, type ThreadData } from './protocol.ts';

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

/** The thread's side: waits for the path, opens the ledger, reports that, and runs steps until it is asked to close. */
export function serveLedger(port: MessagePort, clock: Clock): void {
  port.once('message', (data: ThreadData) => void open(port, data, clock));
}

async function open(port: MessagePort, data: ThreadData, clock: Clock): Promise<void> {
  const say = (what: Said): void => port.postMessage(what);
  const mended: string[] = [];
  let synced: number[] = [];
  let writer: SqliteWriter;
  try {
    writer = await SqliteWriter.open({
      path: data.path,
      clock,
      backupsDir: data.backupsDir,
      reserve: data.reserve && new Reserve(data.reserve.path, data.reserve.bytes),
      onMended: (story) => void mended.push(story),
      onSynced: (ms) => void synced.push(ms),
    });
  } catch (error) {
    say({ kind: 'refused', error: toData(error) });
    port.close();
    return;
  }
  const { storage } = writer;
  // A caller that gets a rejection must already know about the trouble: a change is sent before the answers that result from it.
  storage.onChange(() => say({ kind: 'trouble', trouble: storage.trouble() }));
  const answer = async (id: number, work: () => Promise<unknown>): Promise<void> => {
    const said: { value?: unknown; error?: ReturnType<typeof toData>; mayRecordOutcomes?: boolean } = {};
    try {
      said.value = await work();
    } catch (error) {
      said.error = toData(error instanceof StoreFailed ? error.failure : error);
      if (error instanceof StoreFailed) said.mayRecordOutcomes = error.mayRecordOutcomes;
    }
    say({ kind: 'answered', id, ...said, synced, trouble: storage.trouble() });
    synced = [];
  };
  const open = new Set<Promise<void>>();
  port.on('message', (asked: Asked) => {
    if (asked.kind === 'looked') return writer.looked(asked.soundAt);
    if (asked.kind === 'close') {
      void Promise.all(open)
        .then(() => writer.close())
        .then(() => say({ kind: 'closed' }))
        .finally(() => port.close());
      return;
    }
    const answering = answer(asked.id, () => workOf(writer, asked));
    open.add(answering);
    void answering.finally(() => open.delete(answering));
  });
  say({ kind: 'opened', mended, backupsDir: writer.backupsDir, trouble: storage.trouble() });
}

async function workOf(
  writer: SqliteWriter,
  asked: Extract<Asked, { readonly id: number }>,
): Promise<unknown> {
  if (asked.kind === 'backup') return writer.backup(asked.target);
  if (asked.kind === 'blanked') return writer.blanked();
  if (asked.kind === 'readFailed') return writer.readFailed(fromData(asked.failure));
  const answers = await writer.run(asked.steps, asked.areOutcomes);
  // Messages between threads lose prototypes.
  return answers.map((each) => each.map((one) => (isFault(one) ? { fault: toData(one.fault) } : one)));
}
