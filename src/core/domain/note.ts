import { noteTexts, type Left, type NotedAgent, type NoteFact } from '../../texts/en/notes.ts';
import { formatOf } from '../../texts/format.ts';
import { phrase } from '../../texts/phrase.ts';
import { openingAt } from './hours.ts';
import { BUDGET_LIMITS, dateText, type BudgetPeriod } from './limits.ts';
import { local } from './words.ts';

/** Something that slows the agent down or is worth knowing, but is not a problem. Times are wall-clock milliseconds. */
export type Note =
  | { readonly kind: 'hours'; readonly until: number }
  /** `endpoint`: null for all of them together, here and below. */
  | {
      readonly kind: 'spent';
      readonly endpoint: string | null;
      readonly period: BudgetPeriod;
      readonly limit: number;
      readonly until: number;
    }
  | {
      readonly kind: 'slowed';
      readonly endpoint: string;
      readonly cause: 'refused' | 'slow';
      readonly atOnce: number;
      readonly configured: number;
      /** Milliseconds between two uploads; 0 for no spacing. */
      readonly spacingMs: number;
    }
  | {
      readonly kind: 'limited';
      readonly endpoint: string | null;
      readonly rate: string;
      /** Estimated milliseconds until everything that waits for this rate is sent. */
      readonly leftMs: number;
    }
  | {
      readonly kind: 'paused';
      readonly agent: string;
      readonly by: string | null;
      readonly since: number | null;
    }
  | { readonly kind: 'deferred'; readonly images: number }
  | { readonly kind: 'restart'; readonly file: string; readonly keys: readonly string[] }
  | { readonly kind: 'unmatched'; readonly results: number }
  | { readonly kind: 'fleet'; readonly agents: readonly NotedAgent[] }
  | { readonly kind: 'ledgerAway' };

/** What its words are made of. */
export function noteFact(note: Note): NoteFact {
  switch (note.kind) {
    case 'hours':
      return { is: 'hours', ...openingAt(note.until) };
    case 'spent': {
      const { endpoint, period, limit } = note;
      return {
        is: 'spent',
        endpoint,
        period,
        limit,
        key: BUDGET_LIMITS[period],
        until: dateText('day', note.until),
      };
    }
    case 'slowed': {
      const { endpoint, cause, atOnce, configured, spacingMs } = note;
      const seconds = spacingMs > 0 ? secondsText(spacingMs) : null;
      return { is: 'slowed', endpoint, cause, atOnce, configured, seconds };
    }
    case 'limited':
      return { is: 'limited', endpoint: note.endpoint, rate: note.rate, left: leftOf(note.leftMs) };
    case 'ledgerAway':
      return { is: 'ledgerAway' };
    default: {
      const { kind, ...its } = note;
      // The others are told as they are.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return { is: kind, ...its } as NoteFact;
    }
  }
}

/** In English. */
export function noteText(note: Note): string {
  return phrase(noteTexts(formatOf('en', local)), noteFact(note));
}

function secondsText(ms: number): string {
  return ms >= 9_950 ? String(Math.round(ms / 1_000)) : (ms / 1_000).toFixed(ms >= 95 ? 1 : 2);
}

export function leftOf(ms: number): Left {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return { unit: 'minutes', value: minutes };
  const hours = Math.round(minutes / 60);
  return hours < 48 ? { unit: 'hours', value: hours } : { unit: 'days', value: Math.round(hours / 24) };
}
