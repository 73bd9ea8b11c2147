import { Dice } from '../support/dice.ts';
import { Gatherer } from './gather.ts';
import { DONE, ModelResults } from './modelResults.ts';
import { ModelService } from './modelService.ts';
import { Office } from './office.ts';
import { planOf, type Plan } from './plan.ts';
import { Share } from './share.ts';
import { StateDirectory } from './stateDirectory.ts';
import { Story } from './story.ts';
import { Timeline } from './timeline.ts';

/** Everything around the agent. */
export interface World {
  readonly plan: Plan;
  readonly timeline: Timeline;
  readonly story: Story;
  readonly shares: ReadonlyMap<string, Share>;
  readonly state: StateDirectory;
  readonly office: Office;
  readonly service: ModelService;
  readonly results: ModelResults;
  readonly gatherer: Gatherer;
}

/** The world of a seed, with its first events scheduled. */
export function buildWorld(seed: number): World {
  Share.resetInodes();
  const dice = (name: string): Dice => Dice.of(seed, name);
  const plan = planOf(seed);
  const timeline = new Timeline(dice('order'), plan.beginsAt);
  const story = new Story(timeline);
  const shares = new Map([...plan.kinds].map(([path, kind]) => [path, new Share(path, kind, timeline)]));
  const list = [...shares.values()];
  const gatherer = new Gatherer(plan, story, timeline, list);
  const office = new Office(plan, list, dice('office'), timeline, story, gatherer);
  const state = new StateDirectory(gatherer);
  const pictures = office.begin();
  const unlucky = dice('unlucky');
  const some = (share: number): Set<string> =>
    new Set(pictures.filter(() => unlucky.chance(share)).map(({ sha256 }) => sha256));
  const habits = { phases: plan.phases, isStrict: plan.isStrict, refused: some(0.06), poison: some(0.02) };
  const results = new ModelResults(timeline, dice('results'), story, ({ uid, name }) =>
    gatherer.take({ kind: 'result', uid, name, status: DONE }),
  );
  const service = new ModelService(habits, timeline, dice('service'), story, gatherer, (arrival) =>
    results.stored(arrival),
  );
  return { plan, timeline, story, shares, state, office, service, results, gatherer };
}
