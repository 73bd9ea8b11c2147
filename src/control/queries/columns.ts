import { lastPosted, type Posted, type PostedValue } from '../../core/domain/posted.ts';

/** A value of posted results that has a name (`results.columns`). */
export interface ResultColumn {
  readonly name: string;
  readonly pointer: string;
}

/** @param results oldest first */
export function columnValues(
  results: readonly Posted[],
  columns: readonly ResultColumn[],
): Readonly<Record<string, PostedValue | null>> {
  return Object.fromEntries(columns.map(({ name, pointer }) => [name, lastPosted(results, pointer)]));
}
