import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dice } from '../support/dice.ts';
import type { FleetAgent } from './agent.ts';
import { Images } from './images.ts';
import { Office } from './office.ts';
import { judge } from './oracle.ts';
import { drawPlan, tellStep, type Plan, type Settings, type Step } from './plan.ts';
import { Scanner } from './scanner.ts';
import type { World } from './world.ts';

export interface Campaign {
  readonly plan: Plan;
  readonly breaches: readonly string[];
  /** Statistics of the run. */
  readonly figures: Readonly<Record<string, number>>;
  readonly real: boolean;
  /** Directory that was kept because of a breach; null if there was none. */
  readonly keptAt: string | null;
}

const SETTLE_LIMIT_MS = 180_000;
const LOOK_EVERY_MS = 250;
const MOST_SURPRISES = 20;

/** Disturbs several agents that share a folder and a database, then ends all faults, and judges the result once everything has settled. */
export async function playCampaign(
  settings: Settings,
  say: (line: string) => void = () => {},
): Promise<Campaign> {
  const plan = drawPlan(settings);
  const images = await Images.prepare(`fleet ${plan.seed} ${Date.now()}`);
  const office = await Office.open(plan);
  let kept = true;
  try {
    const scanner = new Scanner({
      folder: office.folder,
      images,
      dice: Dice.of(plan.seed, 'scanner'),
      isSafe: office.isSafe,
    });
    for (const agent of office.agents) agent.start();
    const over = new AbortController();
    const scanning = scanner.run(over.signal);
    const startedAt = performance.now();
    await Promise.all([...byTarget(plan.steps)].map((steps) => play(office, steps, startedAt, say)));
    over.abort();
    await scanning;
    for (const agent of office.agents) mend(agent);
    const late = await comeToRest(office, scanner);
    const statuses = await Promise.all(office.agents.map((agent) => agent.stop()));
    const world = await office.world(scanner.scans);
    const breaches = [
      ...(late === null ? [] : [`it does not come to rest: ${late}`]),
      ...office.agents.flatMap(({ name, surprises }) => surprises.map((how) => `agent ${name} ${how}`)),
      ...statuses.flatMap((status, at) =>
        status === 0 ? [] : [`agent ${office.agents[at]?.name} stopped with ${status}`],
      ),
      ...judge(world),
    ];
    kept = breaches.length > 0;
    if (kept) await writeFile(join(office.dir, 'world.json'), JSON.stringify(world, null, 1));
    return {
      plan,
      breaches,
      figures: figuresOf(plan, world),
      real: images.real,
      keptAt: kept ? office.dir : null,
    };
  } finally {
    await office.close({ kept });
  }
}

/** Groups the steps, since different agents and the database are disturbed independently. */
function byTarget(steps: readonly Step[]): Iterable<Step[]> {
  const found = new Map<string, Step[]>();
  for (const step of steps) {
    const target = step.on === 'agent' ? `agent ${step.agent}` : 'database';
    found.set(target, [...(found.get(target) ?? []), step]);
  }
  return found.values();
}

async function play(
  office: Office,
  steps: readonly Step[],
  startedAt: number,
  say: (line: string) => void,
): Promise<void> {
  for (const step of steps) {
    await sleep(Math.max(0, startedAt + step.at - performance.now()));
    say(tellStep(step));
    office.disturbedAt = performance.now();
    if (step.on === 'database') await breakDatabase(office, step);
    else await breakAgent(office.agents[step.agent] as FleetAgent, step);
    office.disturbedAt = performance.now();
  }
}

async function breakDatabase({ cluster }: Office, step: Step & { on: 'database' }): Promise<void> {
  if (step.fault === 'kill') await cluster.kill();
  else await cluster.stop(step.fault);
  await sleep(step.lasts);
  await cluster.start();
}

async function breakAgent(agent: FleetAgent, { fault, lasts }: Step & { on: 'agent' }): Promise<void> {
  switch (fault) {
    case 'kill':
      await agent.kill();
      break;
    case 'freeze':
      agent.freeze();
      break;
    case 'cut':
      agent.proxy.cut();
      break;
    case 'hang':
      agent.proxy.hang();
      break;
    case 'loseAnswers':
      agent.proxy.hang(true);
      break;
    case 'reset':
      agent.proxy.reset();
      break;
  }
  await sleep(lasts);
  mend(agent);
}

function mend(agent: FleetAgent): void {
  agent.proxy.heal();
  agent.thaw();
  agent.start();
}

/** Null once everything has settled; otherwise what is still missing at the deadline. */
async function comeToRest(office: Office, scanner: Scanner): Promise<string | null> {
  const due = new Set(scanner.scans.filter(({ isDue }) => isDue).map(({ sha256 }) => sha256));
  const deadline = performance.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const waitsFor = await office.unsettled(due);
    if (waitsFor === null || performance.now() > deadline) return waitsFor;
    // Gives up early on an agent that ends after every start.
    if (office.agents.some(({ surprises }) => surprises.length > MOST_SURPRISES)) return waitsFor;
    await sleep(LOOK_EVERY_MS);
    for (const agent of office.agents) agent.start();
  }
}

function figuresOf({ steps }: Plan, world: World): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const step of steps) {
    const what = `${step.on === 'agent' ? 'agent' : 'database'} ${step.fault}`;
    figures[what] = (figures[what] ?? 0) + 1;
  }
  figures['images'] = world.scans.length;
  figures['documents'] = world.documents.length;
  figures['requests'] = world.requests.length;
  figures['stored again, marked'] = world.stored.reduce((sum, { tries }) => sum + tries - 1, 0);
  figures['answers lost'] = world.attempts.filter(({ outcome }) => outcome === 'unknown').length;
  for (const { agent, outcome } of world.attempts)
    if (outcome === 'accepted') figures[`accepted by ${agent}`] = (figures[`accepted by ${agent}`] ?? 0) + 1;
  return figures;
}
