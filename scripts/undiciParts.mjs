/*
 * What the program uses of undici, each from its own file. The build takes this in place of the package's index, which loads four
 * times as much (fetch, caches, mocks) at every start. These files are not undici's interface: its version is pinned, and
 * test/packaging/libraries.test.ts holds both. Without this file the program is the same, and starts later.
 */
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as errors } from 'undici/lib/core/errors.js';
export { default as Client } from 'undici/lib/dispatcher/client.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
