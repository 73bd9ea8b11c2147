// Loaded into the binary by NODE_OPTIONS: ends the thread that writes the ledger at its next sync, on a signal by file.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const sync = fs.fdatasyncSync;
if (!isMainThread)
  fs.fdatasyncSync = (fd) => {
    if (fs.existsSync(process.env.E2E_END)) process.exit(1);
    sync(fd);
  };
syncBuiltinESMExports();
