/** A raw TCP server on loopback that answers with arbitrary bytes. */
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer, TLSSocket, type SecureContextOptions } from 'node:tls';
import type { Plan } from './plan.ts';
import type { Wire } from './wire.ts';

/** A request with its answer, and how much of the request arrived. */
export interface Exchange {
  /** Null if the answer was sent before the request arrived. */
  requestLine: string | null;
  head: string;
  body: Buffer;
  /** Whether the whole request was read. */
  wholeRequest: boolean;
  /** Bytes of an endless body that the client took. */
  poured: number;
}

export interface Reply {
  readonly plan: Plan;
  readonly wire: Wire;
}

export interface Script {
  /** Called for each new connection; returns an answer that does not wait for the request, or null. */
  early(exchange: Exchange): Reply | null;
  /** Called with the head of each request. */
  reply(exchange: Exchange): Reply;
  /** Called when the answer was sent or the connection is closed. */
  done(): void;
}

const SECOND_LATER_MS = 3;
const MOST_WRITES = 24;
/** Maximum size of an endless body. Reaching it would mean that the agent reads without a limit. */
const MOST_POURED = 64 * 1024 * 1024;

export class HostileServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #running = new Set<Promise<void>>();

  private constructor(script: Script, tls: SecureContextOptions | null) {
    const serve = (socket: Socket): void => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
      const task = new Connection(socket, script).run().finally(() => this.#running.delete(task));
      this.#running.add(task);
    };
    this.#server = tls ? createTlsServer(tls, serve).on('tlsClientError', () => {}) : createTcpServer(serve);
  }

  static async listen(script: Script, tls: SecureContextOptions | null = null): Promise<HostileServer> {
    const server = new HostileServer(script, tls);
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) reset(socket);
    await new Promise((resolve) => this.#server.close(resolve));
    await Promise.all(this.#running);
  }
}

/** Reads requests one after another and answers each. */
class Connection {
  readonly #socket: Socket;
  readonly #script: Script;
  /** Received bytes that were not consumed yet. */
  #chunks: Buffer[] = [];
  #size = 0;
  #isOver = false;
  #wake = (): void => {};

  constructor(socket: Socket, script: Script) {
    this.#socket = socket;
    this.#script = script;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      this.#wake();
    });
    const over = (): void => {
      this.#isOver = true;
      this.#wake();
    };
    socket.on('end', over).on('close', over);
  }

  async run(): Promise<void> {
    const first = newExchange();
    const early = this.#script.early(first);
    if (early && !(await this.#exchange(first, early))) return;
    while (await this.#until(() => this.#size > 0)) if (!(await this.#exchange(newExchange(), null))) return;
  }

  /** False once the connection is closed. */
  async #until(condition: () => boolean): Promise<boolean> {
    while (!condition()) {
      if (this.#isOver || this.#socket.destroyed) return false;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return true;
  }

  /** Resolves to whether another request may follow. */
  async #exchange(exchange: Exchange, early: Reply | null): Promise<boolean> {
    if (early) {
      await this.#answer(early, exchange);
    }
    const headEnd = (): number => this.#joined().indexOf('\r\n\r\n');
    const hasHead = await this.#until(() => headEnd() >= 0);
    let reply = early;
    if (hasHead) {
      const head = this.#taken(headEnd() + 4)
        .toString('latin1')
        .trimEnd();
      exchange.head = head;
      exchange.requestLine = head.split('\r\n')[0] ?? '';
      const size = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      if (!reply) {
        reply = this.#script.reply(exchange);
        const { start } = reply.plan;
        const wanted = start === 'all' ? size : start === 'half' ? Math.floor(size / 2) : 0;
        const isRead = await this.#until(() => this.#size >= wanted);
        this.#take(exchange, size);
        if (isRead) {
          if (!exchange.wholeRequest) this.#socket.pause();
          await this.#answer(reply, exchange);
          if (reply.wire.last !== 'stall') this.#socket.resume();
        }
      }
      await this.#until(() => this.#size + exchange.body.length >= size);
      this.#take(exchange, size);
    }
    if (reply) {
      this.#script.done();
    }
    return hasHead && exchange.wholeRequest && !this.#socket.destroyed;
  }

  #take(exchange: Exchange, size: number): void {
    exchange.body = Buffer.concat([exchange.body, this.#taken(size - exchange.body.length)]);
    exchange.wholeRequest = exchange.body.length === size;
  }

  #joined(): Buffer {
    const [first = Buffer.alloc(0), ...others] = this.#chunks;
    const all = others.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #taken(most: number): Buffer {
    const all = this.#joined();
    const taken = all.subarray(0, most);
    this.#chunks = [all.subarray(taken.length)];
    this.#size -= taken.length;
    return taken;
  }

  async #answer({ plan, wire }: Reply, exchange: Exchange): Promise<void> {
    await this.#write(wire.bytes, plan.pace);
    if (wire.endless) await this.#pour(wire.endless, exchange);
    if (wire.second && plan.after !== 'secondLater') await this.#write(wire.second, 'whole');
    if (wire.last === 'reset') reset(this.#socket);
    if (wire.last === 'end') this.#socket.end();
    if (wire.second && plan.after === 'secondLater') {
      await sleep(SECOND_LATER_MS);
      await this.#write(wire.second, 'whole');
    }
  }

  async #write(bytes: Buffer, pace: Plan['pace']): Promise<void> {
    const step =
      pace === 'whole' ? bytes.length : pace === 'bytes' ? 1 : Math.max(1, Math.ceil(bytes.length / 7));
    let at = 0;
    for (let count = 0; at < bytes.length && count < MOST_WRITES; count += 1) {
      if (this.#socket.destroyed || !this.#socket.writable) return;
      const isLast = count === MOST_WRITES - 1;
      this.#socket.write(bytes.subarray(at, isLast ? undefined : at + step));
      at = isLast ? bytes.length : at + step;
      if (pace !== 'whole') await turn();
    }
  }

  async #pour(bytes: Buffer, exchange: Exchange): Promise<void> {
    while (!this.#socket.destroyed && this.#socket.writable && exchange.poured < MOST_POURED) {
      exchange.poured += bytes.length;
      if (!this.#socket.write(bytes)) {
        await new Promise<void>((resolve) => {
          const go = (): void => {
            this.#socket.off('drain', go).off('close', go);
            resolve();
          };
          this.#socket.on('drain', go).on('close', go);
        });
      }
    }
  }
}

function newExchange(): Exchange {
  return { requestLine: null, head: '', body: Buffer.alloc(0), wholeRequest: false, poured: 0 };
}

function reset(socket: Socket): void {
  // A TLS socket cannot send a reset itself.
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
