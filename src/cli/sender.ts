import { noteFact } from '../core/domain/note.ts';
import { noteWords } from '../texts/explain.ts';
import { phrase } from '../texts/phrase.ts';
import { fromHoldJson } from '../control/protocol/holdJson.ts';
import type { Config } from '../config/config.ts';
import type { Request, Response } from '../control/protocol/protocol.ts';
import type { Document } from '../core/domain/document.ts';
import type { Hold } from '../core/domain/hold.ts';
import type { Io } from './io.ts';
import { textsOf } from './language.ts';
import { agentAnswers, openLog, underLock } from './session.ts';
import { VERSION } from './version.ts';

export type SenderStanding = Pick<Document, 'state' | 'message' | 'endpoint' | 'folder'>;

/** Takes in and sends files: through the running agent, or else in this process. */
export interface Sender {
  take(request: Request<'send'>): Promise<Response<'send'>>;
  standing(documentId: number): Promise<SenderStanding>;
  holds(): Promise<readonly Hold[]>;
  /** Why documents without a hold are waiting, in plain sentences. */
  notes(): Promise<readonly string[]>;
  /** Runs `wait`; without a running agent, sends meanwhile. */
  while<T>(wait: (stop: AbortSignal) => Promise<T>): Promise<T>;
}

/** Runs `work` with the running agent, or alone under the instance lock. */
export async function withSender<T>(
  io: Io,
  config: Config,
  work: (sender: Sender) => Promise<T>,
): Promise<T> {
  return (await agentAnswers(config)) ? work(await asking(io, config)) : alone(io, config, work);
}

async function asking(io: Io, { stateDir }: Config): Promise<Sender> {
  const { callControl } = await import('../control/client.ts');
  const texts = await textsOf(io);
  const signal = io.stop;
  return {
    take: (request) => callControl(stateDir, 'send', request, { signal }),
    async standing(id) {
      const [found] = (await callControl(stateDir, 'document', { id }, { signal })).documents;
      if (found === undefined) throw new Error('a document that was just taken in is unknown');
      const { state, message, fact, folder, baseUrl, endpointUid: uid } = found;
      return {
        state,
        message: fact === null ? message : JSON.stringify(fact),
        folder,
        endpoint: { baseUrl, uid },
      };
    },
    async holds() {
      const { holds } = await callControl(stateDir, 'overview', {}, { signal });
      return holds.map(fromHoldJson);
    },
    notes: async () =>
      (await callControl(stateDir, 'overview', {}, { signal })).status.notes.map((note) =>
        noteWords(texts, note),
      ),
    while: (wait) => wait(signal),
  };
}

/** Sends like `run --once`, without listing the folders. */
async function alone<T>(io: Io, config: Config, work: (sender: Sender) => Promise<T>): Promise<T> {
  const { withSingleRun } = await import('./singleRun.ts');
  const texts = await textsOf(io);
  return underLock(config, async () => {
    const { log, secrets } = await openLog(io, config, { toFile: true, level: 'warn' });
    try {
      const surroundings = { env: io.env, log, secrets, version: VERSION };
      return await withSingleRun(config, surroundings, ({ ledger, generation, whileWritable }) =>
        work({
          take: (request) => generation.send(request),
          async standing(id) {
            const detail = await ledger.detail(id);
            if (detail === null) throw new Error('a document that was just taken in is unknown');
            return detail.document;
          },
          holds: () => ledger.holds(),
          notes: async () =>
            generation.status().notes.map((note) => phrase(texts.agentNotes, noteFact(note))),
          while: (wait) =>
            whileWritable(io.stop, async (stop) => {
              const done = new AbortController();
              const sending = generation.deliver(AbortSignal.any([stop, done.signal]));
              try {
                return await wait(stop);
              } finally {
                done.abort();
                await sending;
              }
            }),
        }),
      );
    } finally {
      await log.close();
    }
  });
}
