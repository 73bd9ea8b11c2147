/*
 * The parts of undici that are used, each from its own file: the package's index loads four times as much (fetch, caches,
 * mocks), which is most of the time that a run needs to start.
 */
import buildConnector from 'undici/lib/core/connect.js';
import errors from 'undici/lib/core/errors.js';
import Client from 'undici/lib/dispatcher/client.js';
import Pool from 'undici/lib/dispatcher/pool.js';

export { buildConnector, Client, errors, Pool };
