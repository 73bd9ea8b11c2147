import { iso } from '../../core/domain/words.ts';
import type { Hold } from '../../core/domain/hold.ts';
import type { OverviewResponse } from './overview.ts';
import { shown } from '../../core/domain/why.ts';

type HoldAnswer = OverviewResponse['holds'][number];

export function toHoldJson({ since, until, demandedUntil, message, ...rest }: Hold): HoldAnswer {
  return {
    ...rest,
    ...shown(message),
    since: iso(since),
    until: until === null ? null : iso(until),
    demandedUntil: demandedUntil === null ? null : iso(demandedUntil),
  };
}

export function fromHoldJson({ since, until, demandedUntil, message, fact, ...rest }: HoldAnswer): Hold {
  return {
    ...rest,
    message: fact === null ? message : JSON.stringify(fact),
    since: Date.parse(since),
    until: until === null ? null : Date.parse(until),
    demandedUntil: demandedUntil === null ? null : Date.parse(demandedUntil),
  };
}
