#!/usr/bin/env node
// A share that hangs keeps a thread of Node's pool for each call under way, and the default of four is soon used up.
// The size has to be known before the first ES module is loaded, which the pool already reads.
process.env['UV_THREADPOOL_SIZE'] ??= '16';
// Node opens its debugger at this signal, for everybody on the machine. Others mean "open your log again".
if (process.platform !== 'win32') process.on('SIGUSR1', () => {}).on('SIGUSR2', () => {});
// So does this option, which somebody may have set for other programs. On the command line it is meant for us.
const { NODE_OPTIONS } = process.env;
if (NODE_OPTIONS?.includes('--inspect')) {
  // oxlint-disable-next-line typescript/no-require-imports -- no ES module may be loaded yet
  if (!process.execArgv.some((each) => each.startsWith('--inspect'))) require('node:inspector').close();
  process.env['NODE_OPTIONS'] = NODE_OPTIONS.replace(/--inspect[\w-]*(?:=\S*)?/g, '');
}
void import('./main.ts');
