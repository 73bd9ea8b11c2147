import { randomBytes } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { ResultCommand } from '../features/results/resultCommand.ts';
import { resultsPath } from '../core/domain/resultsPath.ts';
import { createReceiver } from '../features/results/receiver.ts';
import { resultsSecret } from '../features/results/secret.ts';
import type { ResultsSettings } from '../features/results/resultHandler.ts';
import { unlessLedgerAway } from '../core/domain/errors.ts';
import type { Note } from '../core/domain/note.ts';
import type { Document } from '../core/domain/document.ts';
import type { ProcessScope } from './processScope.ts';

export interface Results {
  /** Listens on the configured address. Never rejects. */
  start(): Promise<void>;
  take(config: Config): void;
  /** Passes results to the configured program until aborted. */
  hand(signal: AbortSignal): Promise<void>;
  /** For `status`. */
  notes(): Note[];
  /** URL path for an endpoint, including its secret. */
  path(uid: string | null): Promise<string>;
  close(): Promise<void>;
}

/** Receives results from the service. `changed`: called when a document changes status or is accepted. */
export async function composeResults(
  config: Config,
  { ledger, log, incidents, clock, env, secrets }: ProcessScope,
  changed: (document: Document) => void,
): Promise<Results> {
  const { stateDir } = config;
  let unmatched = 0;
  const count = async (): Promise<void> => {
    unmatched = await ledger.countResults('unmatched');
  };
  await count().catch((error: unknown) => {
    unlessLedgerAway(error);
    const deaf = ledger.storage.onChange(() => {
      if (ledger.storage.trouble() === null) count().then(deaf, () => undefined);
    });
  });
  const secret = async (): Promise<string> => {
    const value = await resultsSecret(stateDir, randomBytes);
    secrets.addSecret(value);
    return value;
  };
  const random = Math.random;
  const { command } = config.results;
  const { fleet } = ledger;
  const handing = new ResultCommand({
    ledger,
    stateDir,
    command,
    env,
    clock,
    random,
    log,
    incidents,
    // A failure does no harm: the next call records the latest turn.
    ...(fleet && { onHanded: (turn: number) => fleet.handed(turn).catch(() => {}) }),
  });
  // This agent may have taken over results of a retired one.
  fleet?.onSignal((signal) => signal === 'agents' && handing.notify());
  const receiver = createReceiver({
    settings: settingsOf(config),
    secret,
    ledger,
    log,
    clock,
    incidents,
    onRecorded: ({ document }) => {
      if (document === null) unmatched += 1;
      else changed(document);
      handing.notify();
    },
  });
  return {
    start: () => receiver.start(),
    take(next) {
      receiver.take(settingsOf(next));
      handing.take(next.results.command);
    },
    hand: (signal) => handing.run(signal),
    notes: () => (unmatched === 0 ? [] : [{ kind: 'unmatched', results: unmatched }]),
    path: async (uid) => resultsPath(await secret(), uid),
    close: () => receiver.close(),
  };
}

function settingsOf({ results, service: { baseUrl } }: Config): ResultsSettings {
  return { ...results, baseUrl };
}
