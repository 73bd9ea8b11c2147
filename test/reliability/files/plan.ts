import type { Drawing } from './drawing.ts';
import { JOBS, type JobKind } from './jobs.ts';
import type { Step } from './tree.ts';

export interface Planned {
  /** Counted from 1; 0 for the campaign's own steps. */
  readonly job: number;
  readonly kind: JobKind | 'frame';
  readonly step: Step;
}

const AT_ONCE = 4;
const WEIGHTS = Object.fromEntries(
  Object.entries(JOBS).map(([kind, { weight }]) => [kind, weight]),
) as Record<JobKind, number>;

interface Running {
  readonly job: number;
  readonly kind: JobKind;
  readonly steps: Generator<Step>;
}

/**
 * The steps of one round in order, those of several jobs interleaved. They depend only on the dice and not on the agent; with fewer jobs,
 * the same seed gives a prefix.
 */
export function drawPlan(drawing: Drawing, jobs: number): Planned[] {
  const { dice, tree } = drawing;
  const plan: Planned[] = [];
  const running: Running[] = [];
  let agentRuns = false;
  const add = (job: number, kind: Planned['kind'], step: Step): boolean => {
    const effect = tree.prepare(step);
    if (effect === null) return false;
    effect();
    plan.push({ job, kind, step });
    return true;
  };
  const frame = (step: Step): void => void add(0, 'frame', step);
  const advance = (): void => {
    const each = dice.pick(running);
    const next = each.steps.next();
    if (next.done) running.splice(running.indexOf(each), 1);
    else if (!add(each.job, each.kind, next.value)) return;
    if (dice.chance(0.3)) frame({ do: 'pause', ms: dice.chance(0.9) ? dice.int(0, 12) : dice.int(30, 150) });
  };
  const finish = (): void => {
    while (running.length > 0) advance();
  };
  for (const path of ['a', 'b', 'outside']) frame({ do: 'mkdir', path });
  // Some files exist before the agent first looks.
  const before = dice.int(0, 6);
  for (let job = 1; job <= jobs; job += 1) {
    if (!agentRuns && (job > before || dice.chance(0.2))) {
      frame({ do: 'startAgent' });
      agentRuns = true;
    } else if (agentRuns && dice.chance(0.02)) {
      frame({ do: 'stopAgent' });
      agentRuns = false;
    } else if (agentRuns && dice.chance(0.04)) {
      finish();
      frame({ do: 'settle' });
    }
    const kind = dice.weighted(WEIGHTS);
    running.push({ job, kind, steps: JOBS[kind].steps(drawing) });
    while (running.length >= AT_ONCE || (running.length > 0 && dice.chance(0.75))) advance();
  }
  finish();
  for (const [path, node] of tree.walk('')) if (node.closed) frame({ do: 'mode', path, closed: false });
  if (!agentRuns) frame({ do: 'startAgent' });
  return plan;
}
