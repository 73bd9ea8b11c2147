import type { Incidents } from '../../core/ports/incident.ts';
import { demandCertificate, RESULTS_LISTENER } from '../../http/listen.ts';
import { Listening, type ListeningServer } from '../../http/listening.ts';
import { currentPair, keepRenewed } from '../../http/renewal.ts';
import { ResultHandler, type ResultHandlerDeps, type ResultsSettings } from './resultHandler.ts';

export interface ReceiverDeps extends Omit<ResultHandlerDeps, 'secret'> {
  readonly settings: ResultsSettings;
  /** @throws ReceiptdError RESULTS_UNAVAILABLE */
  readonly secret: () => Promise<string>;
  readonly incidents: Incidents;
}

/** Receives the results that the service posts; one handler serves all addresses. */
export function createReceiver(deps: ReceiverDeps): Listening<ResultsSettings> {
  const { settings, incidents, clock, log } = deps;
  let handler: ResultHandler | null = null;

  async function listen(wanted: ResultsSettings): Promise<ListeningServer<ResultsSettings>> {
    const { listen: address, tls } = wanted;
    if (address === null) throw new Error('The receiver of results was to listen nowhere.');
    demandCertificate(address, tls, RESULTS_LISTENER);
    handler ??= new ResultHandler({ ...deps, secret: await deps.secret() }, wanted);
    handler.take(wanted);
    const receive = handler.receive.bind(handler);
    const about = { listener: RESULTS_LISTENER, clock, log };
    const pair = tls === null ? null : await currentPair(tls, about);
    // Loaded on demand, because most agents receive no results.
    const { serveResults } = await import('./server.ts');
    const server = await serveResults({ ...address, pair, receive, log });
    const closed = new AbortController();
    const take = server.take.bind(server);
    const renewing = tls === null ? null : keepRenewed(tls, { ...about, take }, closed.signal);
    return {
      url: server.origin,
      take: async (changed) => handler?.take(changed),
      async close() {
        closed.abort();
        await server.close();
        await renewing;
      },
    };
  }

  return new Listening({
    name: 'results',
    code: RESULTS_LISTENER.code,
    settings,
    placeOf: ({ listen: address, tls }) => (address === null ? null : JSON.stringify([address, tls])),
    listen,
    incidents,
    log,
    clock,
  });
}
