// Loaded into the binary by NODE_OPTIONS: appends a line for each large read and hash, with the thread that did it.
import crypto from 'node:crypto';
import fs, { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const LARGE = 100_000;
const { readSync } = fs;
const { hash } = crypto;

function tell(what, size) {
  if (size < LARGE) return;
  appendFileSync(
    process.env.E2E_WORK,
    `${what} of ${size} in the ${isMainThread ? 'main' : 'other'} thread\n`,
  );
}

fs.readSync = (...all) => {
  const size = readSync(...all);
  tell('read', size);
  return size;
};
crypto.hash = (algorithm, data, encoding) => {
  tell('hash', data.length);
  return hash(algorithm, data, encoding);
};
syncBuiltinESMExports();
