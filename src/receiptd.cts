#!/usr/bin/env node
// A share that hangs keeps a thread of Node's pool for each call under way, and the default of four is soon used up.
// The size has to be known before the first ES module is loaded, which the pool already reads.
process.env['UV_THREADPOOL_SIZE'] ??= '16';
void import('./main.ts');
