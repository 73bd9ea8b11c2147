// Runs the unit and contract suites on the Node.js shipped in packages:
//   npm run test:node24 -- [what vitest takes, such as test/core]
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
const child = spawn(program, [...vitest, ...process.argv.slice(2)], {
  cwd: ROOT,
  env: { ...process.env, PATH },
  stdio: 'inherit',
});
// Ctrl-C reaches both processes; the exit status is Vitest's.
process.on('SIGINT', () => {});
child.on('exit', (status) => {
  process.exitCode = status ?? 1;
});
