export type { Format } from '../../texts/format.ts';

/** Number of uploads by outcome. */
export interface Ended {
  readonly accepted: number;
  readonly refused: number;
  readonly limited: number;
  readonly trouble: number;
}
