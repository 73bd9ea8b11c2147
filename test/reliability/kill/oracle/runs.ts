import { TRACE } from '../../support/oracle.ts';
import { describeKill, type Kill } from '../plan.ts';
import type { Observation, Run, World } from '../world.ts';
import { endOf } from './expected.ts';

/** Checks that the processes ended as they should and printed no stack traces. */
export function judgeRuns(world: World): string[] {
  return world.runs.flatMap((run, index) => [...judgeRun(world, run, index)]);
}

function* judgeRun(world: World, { kind, kill, ended }: Run, index: number): Generator<string> {
  const { status, signal, output } = ended;
  const run = `run ${index + 1} (${kind}, ${kill === null ? 'undisturbed' : describeKill(kill)})`;
  const trace = TRACE.exec(output)?.[0];
  if (trace !== undefined) yield `${run} printed a stack trace: ${trace.trim()}`;
  const said = `${run} ended with ${status ?? signal}`;
  if (kill === null) {
    const wanted = kind === 'once' ? statusesOfLast(world) : [0];
    if (status === null || !wanted.includes(status))
      yield `${said} instead of ${wanted.join(' or ')}: ${tail(output)}`;
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

/** A run's exit status covers only what it found itself, not what was known before and has not changed since. */
function statusesOfLast(world: World): readonly number[] {
  const before = world.observations.at(-2);
  const earlier = before === undefined ? new Map<string, number>() : casesOf(before);
  // What a damaged ledger still knew can't be determined from outside.
  const isSure = !world.ledgerWasDamaged;
  const met = [...casesOf(endOf(world))].flatMap(([key, status]) =>
    isSure && earlier.has(key) ? [] : [status],
  );
  return isSure ? [met.includes(3) ? 3 : met.includes(4) ? 4 : 0] : [...new Set([...met, 0])];
}

const STATUS_OF: Readonly<Record<string, number>> = {
  failed: 3,
  lost: 3,
  rejected: 3,
  unreadable: 4,
  unconfirmed: 4,
  incomplete: 4,
};

/** Cases that need a person, by a key that distinguishes them. */
function casesOf({ journal, files }: Observation): Map<string, number> {
  const cases = new Map<string, number>();
  const add = (kind: string, key: string): void => {
    const status = STATUS_OF[kind];
    if (status !== undefined) cases.set(`${kind} ${key}`, status);
  };
  for (const { endpointUid, name, state, requests } of journal.documents)
    add(state, `${endpointUid} ${name} ${requests}`);
  for (const [path, { verdict, entry }] of journal.sightings)
    if (files.some((file) => file.path === path)) add(verdict, `${path} ${entry}`);
  return cases;
}

function tail(output: string): string {
  return output.slice(-600);
}
