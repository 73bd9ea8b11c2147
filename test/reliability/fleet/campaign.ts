import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '../support/agentProcess.ts';
import type { Outcome } from '../support/campaign.ts';
import { ImageMaker } from '../support/images.ts';
import type { FleetAgent } from './agent.ts';
import { judge, said } from '../../oracle/oracle.ts';
import { UIDS } from '../support/office.ts';
import { drawPlan, tellStep, type Plan, type Settings, type Step } from './plan.ts';
import { Scanner } from '../support/scanner.ts';
import { Site } from './site.ts';
import { historyOf, type World } from './world.ts';

/** Large images keep several uploads under way. */
const MIX = { photographed: 1, drawn: 0, otherType: 0 };
const SETTLE_LIMIT_MS = 180_000;
const LOOK_EVERY_MS = 250;
/** Younger files are not deleted or overwritten. */
const OLD_MS = 1_500;
const MOST_SURPRISES = 20;

/** Disturbs several agents that share a folder and a database, then ends all faults, and judges the result once everything has settled. */
export async function playRound(settings: Settings): Promise<Outcome> {
  const plan = drawPlan(settings);
  const story: string[] = [];
  const say = (line: string): void => void story.push(line);
  const images = await ImageMaker.prepare(`fleet ${plan.seed} ${Date.now()}`, MIX, String(plan.seed));
  const site = await Site.open(plan);
  let kept = true;
  try {
    const scanner = new Scanner({
      seed: plan.seed,
      folders: [{ path: site.folder, uid: UIDS.office }],
      aside: join(site.dir, 'scanner'),
      habits: { drop: 49, pieces: 21, copy: 4, rename: 8, delete: 8, overwrite: 10 },
      longestPauseMs: 150,
      image: () => images.next(),
      knownAs: (scan) => site.knownAs(scan),
      oldMs: OLD_MS,
    });
    for (const agent of site.agents) agent.start();
    const over = new AbortController();
    const scanning = scanner.run(Infinity, over.signal);
    const startedAt = performance.now();
    await Promise.all([...byTarget(plan.steps)].map((steps) => play(site, steps, startedAt, say)));
    over.abort();
    await scanning;
    for (const agent of site.agents) agent.mend();
    const late = await comeToRest(site, scanner);
    await Promise.all(site.agents.map((agent) => agent.started()));
    const statuses = await Promise.all(site.agents.map((agent) => agent.stop()));
    const world = await site.world(scanner.scans);
    const breaches = [
      ...(late === null ? [] : [`work remains after ${SETTLE_LIMIT_MS / 1_000} s: ${late}`]),
      ...site.agents.flatMap(({ name, surprises }) => surprises.map((how) => `agent ${name} ${how}`)),
      ...statuses.flatMap((status, at) =>
        status === 0 ? [] : [`agent ${site.agents[at]?.name} stopped with ${status}`],
      ),
      ...judge(historyOf(world)).map((breach) => said(breach, breach.what)),
    ];
    kept = breaches.length > 0;
    if (kept) await writeFile(join(site.dir, 'world.json'), JSON.stringify([...historyOf(world)], null, 1));
    return { breaches, story, figures: figuresOf(plan, world), keptAt: kept ? site.dir : null };
  } finally {
    await site.close({ kept });
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
  site: Site,
  steps: readonly Step[],
  startedAt: number,
  say: (line: string) => void,
): Promise<void> {
  for (const step of steps) {
    await pause(startedAt + step.at - performance.now());
    say(tellStep(step));
    site.disturbedAt = performance.now();
    if (step.on === 'database') await breakDatabase(site, step);
    else await breakAgent(site.agents[step.agent] as FleetAgent, step);
    site.disturbedAt = performance.now();
  }
}

async function breakDatabase({ cluster }: Site, step: Step & { on: 'database' }): Promise<void> {
  if (step.fault === 'kill') await cluster.kill();
  else await cluster.stop(step.fault);
  await pause(step.lasts);
  await cluster.start();
}

async function breakAgent(agent: FleetAgent, { fault, lasts }: Step & { on: 'agent' }): Promise<void> {
  switch (fault) {
    case 'kill':
      await agent.stop('SIGKILL');
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
  await pause(lasts);
  agent.mend();
}

/** Null once everything has settled; otherwise what is missing at the deadline. */
async function comeToRest(site: Site, scanner: Scanner): Promise<string | null> {
  const due = new Set(scanner.scans.map(({ sha256 }) => sha256));
  const deadline = performance.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const waitsFor = await site.unsettled(due);
    if (waitsFor === null || performance.now() > deadline) return waitsFor;
    // Gives up early on an agent that ends after every start.
    if (site.agents.some(({ surprises }) => surprises.length > MOST_SURPRISES)) return waitsFor;
    await pause(LOOK_EVERY_MS);
    for (const agent of site.agents) agent.start();
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
  figures['requests'] = world.service.uploads.length;
  figures['stored again, marked'] = world.service.received().reduce((sum, { tries }) => sum + tries - 1, 0);
  figures['answers lost'] = world.attempts.filter(({ outcome }) => outcome === 'unknown').length;
  for (const { agent, outcome } of world.attempts)
    if (outcome === 'accepted') figures[`accepted by ${agent}`] = (figures[`accepted by ${agent}`] ?? 0) + 1;
  return figures;
}
