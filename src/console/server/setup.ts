import { randomBytes } from 'node:crypto';
import type { Operations } from '../../control/protocol/protocol.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Log } from '../../core/ports/log.ts';
import { Guesses } from './guesses.ts';
import { serveConsole } from './server.ts';
import { Sessions, TOKEN_MS } from './sessions.ts';
import { Statics } from './statics.ts';

export interface SetupServer {
  /** Sign-in link: works once, within five minutes. */
  readonly link: string;
  /** Aborts if the link expires unused. */
  readonly unused: AbortSignal;
  close(): Promise<void>;
}

/**
 * Serves the console's pages with only the set-up operations, on a machine without an agent. Requests are checked as by
 * the console: Host, Origin, session.
 */
export async function serveSetup({
  operations,
  statics,
  clock,
  log,
}: {
  readonly operations: Partial<Operations>;
  readonly statics: URL;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<SetupServer> {
  const sessions = new Sessions({ clock, random: randomBytes });
  const unused = new AbortController();
  const timer = setTimeout(() => unused.abort(), TOKEN_MS);
  const server = await serveConsole({
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    pair: null,
    offer: { operations, streams: [], log },
    statics: new Statics(statics),
    sessions,
    // No password can have been set yet.
    password: { current: async () => null },
    guesses: new Guesses(clock),
    clock,
    log,
    redeemed: () => clearTimeout(timer),
    command: 'receiptd setup --browser',
  });
  const { token } = sessions.issueToken();
  let closing: Promise<void> | null = null;
  return {
    link: `${server.origin()}/#setup=${token}`,
    unused: unused.signal,
    close() {
      clearTimeout(timer);
      return (closing ??= server.close());
    },
  };
}
