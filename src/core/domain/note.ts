import { openingText } from './hours.ts';
import { BUDGET_LIMITS, dateText, type BudgetPeriod } from './limits.ts';
import { count, counted, local } from './words.ts';

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

export interface NotedAgent {
  readonly name: string;
  readonly state: 'running' | 'stopped' | 'silent';
  readonly paused: boolean;
  readonly queued: number;
  readonly uploading: number;
}

const CAUSES = {
  refused: 'because the service asked to slow down (HTTP 429 or 402)',
  slow: 'because it takes much longer to answer than before',
} as const;

/** One plain sentence for a terminal; the console has its own. */
export function noteText(note: Note): string {
  switch (note.kind) {
    case 'hours':
      return `Outside the sending hours (\`delivery.hours\`). Uploads start again on ${openingText(note.until)}.`;
    case 'spent':
      return spentText(note);
    case 'slowed':
      return slowedText(note);
    case 'limited': {
      const what = note.endpoint === null ? 'Uploads' : `Uploads to endpoint ${note.endpoint}`;
      return `${what} are ${limitText(note)}.`;
    }
    case 'paused': {
      const { agent, by, since } = note;
      const who = by === null || since === null ? '' : ` by ${by} since ${local(since)}`;
      return `This agent is paused${who}: it picks up scans but sends nothing. To resume it, run \`receiptd fleet resume ${agent}\`.`;
    }
    case 'deferred': {
      const were = note.images === 1 ? '1 image was' : `${count(note.images)} images were`;
      return `${were} deferred while the ledger was unreachable, and will be named and sent once it is back.`;
    }
    case 'restart':
      return `Changes in ${note.file} that need a restart: ${note.keys.join(', ')}.`;
    case 'unmatched':
      return `${counted(note.results, 'result')} from the service match${note.results === 1 ? 'es' : ''} no known document (\`receiptd results list --unmatched\`).`;
    case 'fleet':
      return fleetText(note.agents);
    case 'ledgerAway':
      return 'Until the ledger is reachable again, its contents and the number of waiting documents are unknown.';
  }
}

type Of<K extends Note['kind']> = Extract<Note, { kind: K }>;

function spentText({ endpoint, period, limit, until }: Of<'spent'>): string {
  const uploads = counted(limit, 'upload');
  const key = BUDGET_LIMITS[period];
  const used =
    endpoint === null
      ? `All endpoints together have used their ${uploads} of this ${period} (\`delivery.${key}\`)`
      : `Endpoint ${endpoint} has used its ${uploads} of this ${period} (\`${key}\`)`;
  return `${used}. Uploads start again on ${dateText('day', until)}.`;
}

function slowedText({ endpoint, cause, atOnce, configured, spacingMs }: Of<'slowed'>): string {
  const less = [
    ...(atOnce < configured ? [`${atOnce} of ${configured} uploads at once`] : []),
    ...(spacingMs > 0 ? [`one upload every ${secondsText(spacingMs)} s`] : []),
  ];
  return `Uploads to endpoint ${endpoint} are slowed down to ${less.join(' and ')}, ${CAUSES[cause]}. Uploads speed up again automatically.`;
}

function secondsText(ms: number): string {
  return ms >= 9_950 ? String(Math.round(ms / 1_000)) : (ms / 1_000).toFixed(ms >= 95 ? 1 : 2);
}

/** For example, `limited to 60/min, about 31 min left`. */
export function limitText({ rate, leftMs }: Pick<Of<'limited'>, 'rate' | 'leftMs'>): string {
  return `limited to ${rate}, about ${leftText(leftMs)} left`;
}

/** Short, because it shares a line with a progress bar. */
function leftText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes <= 1) return 'a minute';
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : counted(Math.round(hours / 24), 'day');
}

/** Maximum number of names in one sentence. */
const NAMED = 20;

function fleetText(agents: readonly NotedAgent[]): string {
  const named = agents
    .slice(0, NAMED)
    .map(
      ({ name, state, paused, queued, uploading }) =>
        `${name} (${[
          state,
          ...(paused ? ['paused'] : []),
          ...(queued > 0 ? [counted(queued, 'waits', 'wait')] : []),
          ...(uploading > 0 ? [`${uploading} under way`] : []),
        ].join(', ')})`,
    );
  const more = agents.length > NAMED ? ', and others' : '';
  return `${counted(agents.length, 'agent shares', 'agents share')} this ledger: ${named.join(', ')}${more}.`;
}
