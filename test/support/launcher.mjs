// The other end of launch.ts: starts programs, and passes on what goes in and comes out. Kills them when the test process ends.
import { spawn } from 'node:child_process';

const children = new Map();

function tell(message) {
  if (process.connected) process.send(message);
}

function start(id, file, args, options) {
  const child = spawn(file, args, options);
  children.set(id, child);
  child.once('spawn', () => tell({ id, pid: child.pid }));
  child.once('error', ({ message, code }) => tell({ id, error: { message, code } }));
  // A program that ends without reading its input breaks the pipe.
  child.stdin?.on('error', () => {});
  for (const stream of ['stdout', 'stderr']) child[stream]?.on('data', (data) => tell({ id, stream, data }));
  child.once('exit', (code, signal) => tell({ id, exit: { code, signal } }));
  child.once('close', () => {
    children.delete(id);
    tell({ id, isClosed: true });
  });
}

process.on('message', ({ id, program, input, isInputOver, signal }) => {
  if (program) start(id, program.file, program.args, program.options);
  const child = children.get(id);
  if (input) child?.stdin?.write(input);
  if (isInputOver) child?.stdin?.end();
  if (signal) child?.kill(signal);
});

process.on('disconnect', () => {
  for (const child of children.values()) child.kill('SIGKILL');
  process.exit();
});
