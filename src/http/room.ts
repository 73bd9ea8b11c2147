import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps a server open to anyone who comes, however many others keep connections: one too many ends the oldest. A request that is
 * meant takes milliseconds; what is old waits, dribbles, or was forgotten.
 */
export function keepRoom(server: Server, most: number): void {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= most) return;
    const [oldest] = open;
    oldest?.destroy();
    if (oldest) open.delete(oldest);
  });
}
