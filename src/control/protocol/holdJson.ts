import { iso } from '../../core/domain/words.ts';
import type { Hold } from '../../core/ports/hold.ts';
import type { OverviewResponse } from './overview.ts';

type HoldJson = OverviewResponse['holds'][number];

export function toHoldJson({ since, until, demandedUntil, ...rest }: Hold): HoldJson {
  return {
    ...rest,
    since: iso(since),
    until: until === null ? null : iso(until),
    demandedUntil: demandedUntil === null ? null : iso(demandedUntil),
  };
}

export function fromHoldJson({ since, until, demandedUntil, ...rest }: HoldJson): Hold {
  return {
    ...rest,
    since: Date.parse(since),
    until: until === null ? null : Date.parse(until),
    demandedUntil: demandedUntil === null ? null : Date.parse(demandedUntil),
  };
}
