import { ReceiptdError } from '../../core/domain/errors.ts';
import type { Response } from '../../control/protocol/protocol.ts';
import { CONSOLE_LISTENER, demandCertificate, demandPassword } from '../../http/listen.ts';
import { Listening, type ListeningServer } from '../../http/listening.ts';
import type { ConsoleDeps } from './deps.ts';
import type { OpenedConsole } from './opened.ts';
import { removeRedirect } from './redirect.ts';
import type { ConsoleSettings } from './settings.ts';

export interface Console {
  /** Starts listening and issues a sign-in link with its expiry. @throws ReceiptdError CONSOLE_UNAVAILABLE, PORT_IN_USE */
  open(): Promise<Response<'openConsole'>>;
  /** Listens on the configured address. A failure opens an incident and is retried. Never rejects. */
  start(): Promise<void>;
  /** Applies changed settings or a renewed certificate, after a delay in which the request that changed them is answered. */
  take(settings: ConsoleSettings): void;
  close(): Promise<void>;
}

const ON_DEMAND = { host: '127.0.0.1', port: 0 };

/** Loads the server on first use, so that an agent whose console is never opened does not carry it. */
export function createConsole(deps: ConsoleDeps): Console {
  const { settings, stateDir, log, incidents, clock } = deps;
  const closed = new AbortController();
  let opened: OpenedConsole | null = null;

  async function listen(wanted: ConsoleSettings): Promise<ListeningServer<ConsoleSettings>> {
    if (closed.signal.aborted) throw new ReceiptdError('CONSOLE_UNAVAILABLE.stopping');
    const { listen: where, tls } = wanted;
    if (where === 'off') throw new ReceiptdError('CONSOLE_UNAVAILABLE.off');
    const place = where === 'onDemand' ? ON_DEMAND : where;
    const prepared = (opened ??= (await import('./opened.ts')).prepareConsole(deps, closed.signal));
    demandCertificate(place, tls, CONSOLE_LISTENER);
    await demandPassword(place, prepared.password);
    const server = await prepared.listen(place, wanted);
    return {
      get url() {
        return server.origin();
      },
      take: (changed) => prepared.renew(changed),
      close: () => server.close(),
    };
  }

  const listening = new Listening<ConsoleSettings>({
    name: 'console',
    code: CONSOLE_LISTENER.code,
    settings,
    placeOf: ({ listen: where, tls }) => JSON.stringify([where, tls !== null]),
    isWanted: ({ listen: where }) => typeof where !== 'string',
    listen,
    incidents,
    log,
    clock,
  });

  return {
    open: () =>
      listening.open((url) => {
        if (opened === null) throw new Error('The console listens without its parts.');
        const { token, validUntil } = opened.sessions.issueToken();
        return { url: `${url}/#token=${token}`, validUntil: new Date(validUntil).toISOString() };
      }),
    start: () => listening.start(),
    take: (changed) => listening.take(changed),
    async close() {
      closed.abort();
      await listening.close();
      await removeRedirect(stateDir).catch(() => {});
    },
  };
}
