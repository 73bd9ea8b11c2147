import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Room {
  /**
   * Protects this connection from being closed for newer ones, unless `most` are protected already. With TLS, a request's
   * socket differs from the accepted one; both are valid here. @returns a function that ends the protection
   */
  reserve(socket: Socket, most: number): () => void;
}

/**
 * Keeps a server reachable however many connections are open: each one above the limit closes the oldest. A genuine request
 * takes milliseconds, so an old connection is idle, dribbling or forgotten. Does not prefer to close connections without
 * a request, because a new connection has none yet either.
 */
export function keepRoom(server: Server, most: number): Room {
  const open = new Map<string, Socket>();
  const reserved = new Map<string, Socket>();
  const add = (key: string, socket: Socket): void => {
    open.set(key, socket);
    if (open.size <= most) return;
    for (const [oldest, its] of open) {
      open.delete(oldest);
      its.destroy();
      return;
    }
  };
  server.on('connection', (socket) => {
    const key = otherEnd(socket);
    socket.once('close', () => {
      for (const sockets of [open, reserved]) if (sockets.get(key) === socket) sockets.delete(key);
    });
    add(key, socket);
  });
  return {
    reserve(socket, mostReserved) {
      const key = otherEnd(socket);
      const found = open.get(key);
      if (found === undefined || reserved.size >= mostReserved) return () => {};
      open.delete(key);
      reserved.set(key, found);
      return () => {
        if (reserved.get(key) !== found) return;
        reserved.delete(key);
        add(key, found);
      };
    },
  };
}

function otherEnd({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
