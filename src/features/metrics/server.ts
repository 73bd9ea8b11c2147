import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Log } from '../../core/ports/log.ts';
import {
  closeServer,
  listenOn,
  literal,
  MONITORING_LISTENER,
  type ListenAddress,
} from '../../http/listen.ts';
import { namesThisMachine } from '../../http/host.ts';
import { keepRoom } from '../../http/room.ts';
import type { ListeningServer } from '../../http/listening.ts';

export interface MonitoringOffer {
  /** Prometheus' text format. */
  readonly metrics: () => Promise<{ readonly text: string; readonly mediaType: string }>;
  /** Codes of the problems that keep receipts from being taken in; empty if there are none. */
  readonly unready: () => readonly string[];
  /** Names under which this machine may be asked, besides its own. */
  readonly hosts: () => readonly string[];
  readonly log: Log;
}

const HEADERS_BYTES = 8 * 1024;
const HEADERS_MS = 5_000;
const LOOK_EVERY_MS = 2_000;
const KEEP_ALIVE_MS = 65_000;
const MOST_CONNECTIONS = 32;

/** Serves metrics and health checks; read-only. @throws ReceiptdError PORT_IN_USE, MONITORING_UNAVAILABLE */
export async function serveMonitoring<S>(
  place: ListenAddress,
  offer: MonitoringOffer,
): Promise<ListeningServer<S>> {
  const server = createServer({
    maxHeaderSize: HEADERS_BYTES,
    headersTimeout: HEADERS_MS,
    requestTimeout: HEADERS_MS,
    connectionsCheckingInterval: LOOK_EVERY_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  keepRoom(server, MOST_CONNECTIONS);
  const port = await listenOn(server, place, MONITORING_LISTENER);
  const handler = new MonitoringHandler(offer);
  server.on('request', (request, response) => void handler.receive(request, response));
  return {
    url: `http://${literal(place.host)}:${port}`,
    close: () => closeServer(server),
  };
}

class MonitoringHandler {
  readonly #offer: MonitoringOffer;
  #scraping: ReturnType<MonitoringOffer['metrics']> | null = null;

  constructor(offer: MonitoringOffer) {
    this.#offer = offer;
  }

  /** Never rejects. */
  async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The request body is not read, so the connection can't be reused.
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD', connection: 'close' }).end();
      return;
    }
    if (!namesThisMachine(request, this.#offer.hosts())) {
      return answer(response, 421, { status: 'wrongHost' });
    }
    try {
      await this.#answer((request.url ?? '').split('?', 1)[0] ?? '', response);
    } catch (error) {
      this.#offer.log.warn('monitoringAnswerFailed', { why: String(error) });
      if (!response.headersSent) response.writeHead(500).end();
      else response.destroy();
    }
  }

  async #answer(path: string, response: ServerResponse): Promise<void> {
    switch (path) {
      case '/metrics': {
        const { text, mediaType } = await this.#scrape();
        response.writeHead(200, { 'content-type': mediaType, 'cache-control': 'no-store' }).end(text);
        return;
      }
      case '/healthz':
        // Answering at all is the proof.
        return answer(response, 200, { status: 'alive' });
      case '/readyz': {
        const reasons = this.#offer.unready();
        if (reasons.length === 0) return answer(response, 200, { status: 'ready' });
        return answer(response, 503, { status: 'notReady', reasons });
      }
      default:
        return answer(response, 404, { status: 'unknown', paths: ['/metrics', '/healthz', '/readyz'] });
    }
  }

  /** Concurrent requests share one scrape. */
  #scrape(): ReturnType<MonitoringOffer['metrics']> {
    this.#scraping ??= this.#offer.metrics().finally(() => (this.#scraping = null));
    return this.#scraping;
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(`${JSON.stringify(body)}\n`);
}
