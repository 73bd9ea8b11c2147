export const SPANS = ['day', 'week', 'month'] as const;
export type PeriodSpan = (typeof SPANS)[number];

export interface Period {
  /** First and last day, in the form used in URLs: 2026-11-24. */
  readonly first: string;
  readonly last: string;
}

const two = (value: number): string => String(value).padStart(2, '0');
const textOf = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** Noon, so that daylight saving changes never skip a day. */
function dateOf(day: string): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date, 12);
}

export const today = (): string => textOf(new Date());

/** The period that contains a day. Weeks start on Monday. */
export function periodOf(day: string, span: PeriodSpan): Period {
  const at = dateOf(day);
  const [year, month, date] = [at.getFullYear(), at.getMonth(), at.getDate()];
  if (span === 'day') return { first: day, last: day };
  if (span === 'month')
    return { first: textOf(new Date(year, month, 1, 12)), last: textOf(new Date(year, month + 1, 0, 12)) };
  const monday = date - ((at.getDay() + 6) % 7);
  return {
    first: textOf(new Date(year, month, monday, 12)),
    last: textOf(new Date(year, month, monday + 6, 12)),
  };
}

/** A day in the previous or next period. */
export function beside({ first, last }: Period, step: 1 | -1): string {
  const at = dateOf(step === 1 ? last : first);
  at.setDate(at.getDate() + step);
  return textOf(at);
}

/** The periods that people ask for most, in their order. */
export const COMMON = ['today', 'yesterday', 'week', 'lastWeek', 'month', 'lastMonth'] as const;
export type CommonPeriod = (typeof COMMON)[number];

export function commonPeriod(which: CommonPeriod): Period {
  const span: PeriodSpan = /week/i.test(which) ? 'week' : /month/i.test(which) ? 'month' : 'day';
  const now = periodOf(today(), span);
  return which === span || which === 'today' ? now : periodOf(beside(now, -1), span);
}

/** The common period between two days, if it is one. */
export function spanOf({ since, until }: { readonly since?: string; readonly until?: string }) {
  const isIt = (which: CommonPeriod) => {
    const { first, last } = commonPeriod(which);
    return first === since && last === until;
  };
  return COMMON.find(isIt) ?? null;
}
