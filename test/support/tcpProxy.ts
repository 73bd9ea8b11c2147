/** A TCP proxy on loopback that simulates network failures: resets and silence. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface TcpProxy {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Number of open connections. */
  connections(): number;
  /** Resets all open connections; new ones are served. */
  reset(): void;
  /** Resets all open connections, and every new one, until `heal`. */
  cut(): void;
  /**
   * Stops forwarding, even of FIN, until `heal`: connections stay half-open, new ones are accepted but get no answer.
   * With `oneWay`, data from the client still arrives, and only the answers are held back.
   */
  hang(oneWay?: boolean): void;
  /** Serves new connections again; hung ones continue where they stopped. */
  heal(): void;
  /** Forwards new connections to `target`. */
  redirect(target: Target): void;
  close(): Promise<void>;
}

export interface Target {
  readonly host?: string;
  readonly port: number;
}

type State = 'passing' | 'cut' | 'hung' | 'answersLost';

/** One connection: both sides of it. */
interface Pair {
  readonly near: Socket;
  far: Socket | null;
}

export async function startProxy(target: Target | number): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  let goal: Target = typeof target === 'number' ? { port: target } : target;
  let state: State = 'passing';

  const passes = (pair: Pair, from: Socket): boolean =>
    state === 'passing' || (state === 'answersLost' && from === pair.near);
  const relay = (pair: Pair, from: Socket, to: Socket): void => {
    from.on('data', (chunk: Buffer) => {
      if (!to.write(chunk)) from.pause();
    });
    to.on('drain', () => void (passes(pair, from) && from.resume()));
    from.on('end', () => to.end());
    from.on('error', () => void (passes(pair, from) && to.resetAndDestroy()));
    from.on('close', () => {
      // During a hang, one side does not notice that the other has closed.
      if (passes(pair, from)) to.destroySoon();
      if (to.destroyed) pairs.delete(pair);
    });
  };
  const dial = (pair: Pair): void => {
    const far = connect({ host: goal.host ?? '127.0.0.1', port: goal.port, allowHalfOpen: true });
    pair.far = far;
    far.setNoDelay(true);
    relay(pair, pair.near, far);
    relay(pair, far, pair.near);
    settle(pair);
  };
  const settle = (pair: Pair): void => {
    for (const side of [pair.near, pair.far]) {
      if (side === null) continue;
      const other = side === pair.near ? pair.far : pair.near;
      if (!passes(pair, side)) side.pause();
      else if (other?.destroyed === true) side.resetAndDestroy();
      else side.resume();
    }
  };
  const resetAll = (): void => {
    for (const { near, far } of pairs) {
      near.resetAndDestroy();
      far?.resetAndDestroy();
    }
    pairs.clear();
  };
  const turn = (next: State): void => {
    state = next;
    for (const pair of pairs) {
      if (pair.far === null && next !== 'hung') dial(pair);
      else settle(pair);
    }
  };

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    near.on('error', () => {});
    near.setNoDelay(true);
    if (state === 'cut') return void near.resetAndDestroy();
    const pair: Pair = { near, far: null };
    pairs.add(pair);
    near.on('close', () => void (pair.far === null && pairs.delete(pair)));
    if (state !== 'hung') dial(pair);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => pairs.size,
    reset: resetAll,
    cut: () => {
      state = 'cut';
      resetAll();
    },
    hang: (oneWay = false) => turn(oneWay ? 'answersLost' : 'hung'),
    heal: () => turn('passing'),
    redirect: (next) => void (goal = next),
    close: async () => {
      state = 'cut';
      resetAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
