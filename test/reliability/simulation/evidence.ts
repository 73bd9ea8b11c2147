import type { LedgerView } from './ledgerView.ts';
import type { Lives } from './limitsOracle.ts';
import type { ModelService } from './modelService.ts';
import type { Office } from './office.ts';
import type { Plan } from './plan.ts';
import type { Share } from './share.ts';
import type { StateDirectory } from './stateDirectory.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';

/** What the oracle judges by, and the story to which it tells breaches. */
export interface Evidence {
  readonly plan: Plan;
  readonly story: Story;
  readonly timeline: Timeline;
  readonly shares: readonly Share[];
  readonly view: LedgerView;
  readonly lives: Lives;
  readonly office: Office;
  readonly service: ModelService;
  readonly state: StateDirectory;
}
