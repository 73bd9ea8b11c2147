/** Child process entry point: a folder on a file system that may hang (intake/folder/apart.ts). */
import { serveFolder } from '../intake/folder/apart.ts';
import { createFolderGuard } from '../intake/folder/guarded.ts';
import { checkOf } from '../intake/folder/pinnedPlaces.ts';
import { createWatchedFolder } from '../intake/folder/watchedFolder.ts';

serveFolder(
  ({ stateDir, mount, ...options }) =>
    createWatchedFolder({
      ...options,
      random: Math.random,
      guard: createFolderGuard(mount),
      check: checkOf(stateDir, options.path, options.archiveTo),
    }),
  {
    argv: process.argv[2] ?? '',
    send: (reply) => process.send?.(reply),
    onMessage: (listener) => process.on('message', listener),
    onDisconnect: () => {
      // Ctrl-C and systemd signal all processes, while the agent still reads what it is sending.
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
      // A call that hangs would keep it from ending otherwise.
      process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
    },
  },
);
