// Runs the unit and contract suites of what depends on Node.js on the one shipped in packages: files, processes, threads, sockets and
// native code.
//   npm run test:node24 -- [what vitest takes instead, such as test/core]
import { spawn } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packagedNode } from './packagedNode.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const program = await packagedNode().catch((error) => {
  process.stderr.write(`${error.message}.\n`);
  process.exit(1);
});
// Programs that tests start by name, including npm, run on it too.
const PATH = [dirname(program), process.env.PATH].join(delimiter);
const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'unit*'];
const ROOMS =
  'api console control daemon features/backup http intake/folder intake/image ledger/sqlite ledger/thread ledger/postgres/connection logs pages sandbox state-dir system wiring';
const asked = process.argv.slice(2);
const tests = asked.length > 0 ? asked : ROOMS.split(' ').map((room) => `test/${room}`);
const child = spawn(program, [...vitest, ...tests], {
  cwd: ROOT,
  env: { ...process.env, PATH },
  stdio: 'inherit',
});
// Ctrl-C reaches both processes; the exit status is Vitest's.
process.on('SIGINT', () => {});
child.on('exit', (status) => {
  process.exitCode = status ?? 1;
});
