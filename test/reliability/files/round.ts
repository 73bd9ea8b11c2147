import { mkdirSync, rmSync } from 'node:fs';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../support/campaign.ts';
import { Dice } from '../support/dice.ts';
import { Contents, type Models } from './contents.ts';
import { Disk } from './disk.ts';
import { Drawing } from './drawing.ts';
import { differences, type Judged } from './oracle.ts';
import { drawPlan, type Planned } from './plan.ts';
import { UIDS } from '../support/office.ts';
import { archiveOf, configOf, drawSettings, type Places, type RoundSettings } from './settings.ts';
import { RecordingService, Subject } from './subject.ts';
import { describeStep, Tree } from './tree.ts';
import { breachesOf, type Quiet } from './verdict.ts';

/** Absolute directories of a place, shared by its rounds. */
export interface Ground {
  /** Where operations are performed. */
  readonly disk: string;
  /** The same directory from the agent's view: a different path if it is a mount. */
  readonly seen: string;
  /** On another file system than `disk`, if there is one. */
  readonly elsewhere: string;
  readonly quiet: Quiet;
  readonly mayClose: boolean;
}

export interface RoundOptions {
  readonly seed: number;
  readonly jobs: number;
  readonly models: Models;
}

/** Time limit that only a defect exceeds. */
const DEADLINE_MS = 90_000;
const LOOK_EVERY_MS = 120;

/** Performs random operations on a real file system next to the whole agent, and then judges the result. */
export async function runRound(ground: Ground, { seed, jobs, models }: RoundOptions): Promise<Outcome> {
  const contents = new Contents(Dice.of(seed, 'contents'), models);
  const drawing = new Drawing(Dice.of(seed, 'operations'), contents, new Tree(), ground.mayClose);
  const plan = drawPlan(drawing, jobs);
  const settings = drawSettings(Dice.of(seed, 'settings'));
  const name = `r${seed}`;
  const root = `${ground.disk}/${name}`;
  const places: Places = {
    watched: `${ground.seen}/${name}`,
    elsewhere: `${ground.elsewhere}/${name}`,
    stateDir: `${ground.elsewhere}/state-${name}`,
  };
  for (const path of [root, places.elsewhere]) mkdirSync(path, { recursive: true });
  const config = configOf(settings, places);
  const rules = settings.folders;
  const service = new RecordingService(Dice.of(seed, 'service'), settings.slowestAnswerMs);
  const disk = new Disk(root, rules, ({ endpoint }, hash) => service.has(UIDS[endpoint], hash));
  const subject = new Subject(config, service, Dice.of(seed, 'agent'));
  const judged: Judged = { config, rules, disk, contents, service, subject };
  const breaches: string[] = [];
  let putOff = 0;
  try {
    breaches.push(...(await perform(plan, judged)));
    if (breaches.length === 0) breaches.push(...(await settled(judged, false)));
    if (subject.putOffDisposals) {
      putOff = 1;
      // A restarted agent retries disposals without waiting.
      await subject.stop();
      await subject.start();
    }
    if (breaches.length === 0) breaches.push(...(await settled(judged, true)));
    await subject.stop();
    const archives = rules.map((rule) => archiveOf(rule, { watched: root, elsewhere: places.elsewhere }));
    breaches.push(...(await breachesOf(judged, { paths: archives, quiet: ground.quiet })));
  } catch (error) {
    breaches.push(`The round came to no end: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    await subject.stop().catch(() => {});
    disk.close();
  }
  if (breaches.length === 0)
    for (const path of [root, places.elsewhere, places.stateDir])
      rmSync(path, { recursive: true, maxRetries: 3 });
  return {
    breaches,
    story: storyOf(plan, settings, subject),
    figures: {
      ...countJobs(plan),
      steps: plan.length,
      'images sent': service.stored.length,
      'steps at which the agent was faster': disk.overtaken,
      'disposals put off': putOff,
    },
    keptAt: breaches.length === 0 ? null : `${root} and ${places.stateDir}`,
  };
}

async function perform(plan: readonly Planned[], judged: Judged): Promise<string[]> {
  const { disk, subject, service } = judged;
  for (const { step } of plan) {
    if (step.do === 'pause') await (step.ms === 0 ? turn() : sleep(step.ms));
    else if (step.do === 'startAgent') await subject.start();
    else if (step.do === 'stopAgent') await subject.stop();
    else if (step.do === 'outage') service.isAway = step.on;
    else if (step.do === 'settle') {
      const breaches = await settled(judged, false);
      if (breaches.length > 0) return breaches;
    } else disk.perform(step);
  }
  return [];
}

/** Waits until there are no differences; resolves those left at the deadline. */
async function settled(judged: Judged, strict: boolean): Promise<string[]> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    judged.disk.reopen();
    const found = await differences(judged, strict);
    if (found.length === 0) return [];
    if (performance.now() > deadline)
      return [`After ${DEADLINE_MS / 1000} s the agent is not done:`, ...found];
    await sleep(LOOK_EVERY_MS);
  }
}

function countJobs(plan: readonly Planned[]): Record<string, number> {
  const seen = new Map<number, string>();
  for (const { job, kind } of plan) if (job > 0) seen.set(job, kind);
  const counts: Record<string, number> = {};
  for (const kind of seen.values()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function storyOf(plan: readonly Planned[], settings: RoundSettings, { log }: Subject): string[] {
  return [
    `settings ${JSON.stringify(settings)}`,
    ...plan.map(({ job, kind, step }) => `${String(job).padStart(3)} ${kind}: ${describeStep(step)}`),
    ...log.lines.map(({ level, message, fields }) => `log ${level} ${message} ${JSON.stringify(fields)}`),
  ];
}
