import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Room {
  /**
   * Ends this connection for no other any more, unless there are `most` such. With TLS it may be that of a request, which is not the one
   * that came in. @returns what takes that back
   */
  reserve(socket: Socket, most: number): () => void;
}

/**
 * Keeps a server open to anyone who comes, however many others keep connections: one too many ends the oldest. A request that is
 * meant takes milliseconds; what is old waits, dribbles, or was forgotten. Not those first that ask for nothing: one
 * that has just come does not yet either.
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
