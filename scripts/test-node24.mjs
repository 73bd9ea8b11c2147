// Runs the unit and contract suites on the Node.js that packages bring along:
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
// What tests start by name, npm included, runs on it too.
const PATH = [dirname(program), process.env.PATH].join(delimiter);
const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'unit*'];
const child = spawn(program, [...vitest, ...process.argv.slice(2)], {
  cwd: ROOT,
  env: { ...process.env, PATH },
  stdio: 'inherit',
});
// Ctrl-C reaches both, and vitest says how it ends.
process.on('SIGINT', () => {});
child.on('exit', (status) => {
  process.exitCode = status ?? 1;
});
