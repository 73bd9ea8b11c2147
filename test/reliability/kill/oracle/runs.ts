import { describeKill, type Kill } from '../plan.ts';
import type { Run, World } from '../world.ts';
import { endOf } from './expected.ts';

const TRACE = /^\s+at .+:\d+:\d+\)?$|\\n\s+at |node:internal|^Node\.js v|\bERR_[A-Z_]+|Unhandled/m;

/** The processes ended as they should, and said nothing that only a programmer understands. */
export function judgeRuns(world: World): string[] {
  return world.runs.flatMap((run, index) => [...judgeRun(world, run, index)]);
}

function* judgeRun(world: World, { kind, kill, ended }: Run, index: number): Generator<string> {
  const { status, signal, output } = ended;
  const run = `run ${index + 1} (${kind}, ${kill === null ? 'in peace' : describeKill(kill)})`;
  const trace = TRACE.exec(output)?.[0];
  if (trace !== undefined) yield `${run} printed a stack trace: ${trace.trim()}`;
  const said = `${run} ended with ${status ?? signal}`;
  if (kill === null) {
    const wanted = kind === 'once' ? statusesOfLast(world) : [0];
    if (status === null || !wanted.includes(status))
      yield `${said}, and ${wanted.join(' or ')} was to be expected: ${tail(output)}`;
  } else if (signal !== 'SIGKILL' && !fineFor(kind, kill).includes(status))
    yield `${said} by itself: ${tail(output)}`;
}

function fineFor(kind: Run['kind'], kill: Kill): readonly (number | null)[] {
  switch (kind) {
    case 'daemon':
      return kill.kind === 'stopping' ? [0, 130] : [];
    case 'once':
      return [0, 3, 4, 5, 130];
    case 'restore':
      return [0];
  }
}

/** Trouble counts in the run that met with it first, and that may have been an earlier one. */
function statusesOfLast({ rows, ...world }: World): readonly number[] {
  const { scans } = endOf(world);
  const has = (...states: string[]): boolean => rows.some(({ state }) => states.includes(state));
  const met: number[] = [];
  if (has('failed', 'lost') || scans.some(({ kind }) => kind === 'junk')) met.push(3);
  if (has('unconfirmed') || scans.some(({ kind }) => kind === 'cutShort')) met.push(4);
  return world.runs.length > 1 || met.length === 0 ? [...met, 0] : met.slice(0, 1);
}

function tail(output: string): string {
  return output.slice(-600);
}
