/*
 * The parts of undici that are used, each from its own file: the package's index loads four times as much (fetch, caches,
 * mocks), which is most of the time that a run needs to start.
 */
import request from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import errors from 'undici/lib/core/errors.js';
import Client from 'undici/lib/dispatcher/client.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import DecoratorHandler from 'undici/lib/handler/decorator-handler.js';

// As the index does.
Dispatcher.prototype.request = request;

export { buildConnector, Client, DecoratorHandler, errors, Pool };
