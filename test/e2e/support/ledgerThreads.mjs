// One thread in place of many: each ledger has a port of its own, and the thread's program, which serves its parent, takes that for the parent.
import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

const { parentPort, workerData } = threads;
const served = new AsyncLocalStorage();
let serve;
threads.parentPort = {
  once: (_, begin) => (serve = begin),
  on(event, hear) {
    const port = served.getStore();
    port.on(event, (message) => served.run(port, hear, message));
  },
  postMessage: (message) => served.getStore().postMessage(message),
  close: () => served.getStore().close(),
};
syncBuiltinESMExports();
await import(workerData);

parentPort.on('message', (port) => port.once('message', (data) => served.run(port, serve, data)));
