import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Listening {
  readonly port: number;
  /** Destroys the connections, and stops. */
  readonly close: () => Promise<void>;
}

/** Makes a server listen on loopback, by default on a free port. */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A port that was free just now: nothing listens on it. */
export async function freePort(): Promise<number> {
  const { port, close } = await listen(createServer());
  await close();
  return port;
}
