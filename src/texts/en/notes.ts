import type { Format } from '../format.ts';
import type { Fact, SamePhrases } from '../phrase.ts';

/** About how long until everything that waits is sent. */
export type Left = { readonly unit: 'minutes' | 'hours' | 'days'; readonly value: number };

export interface NotedAgent {
  readonly name: string;
  readonly state: keyof typeof STATES;
  readonly paused: boolean;
  readonly queued: number;
  readonly uploading: number;
}

const STATES = { running: 'running', stopped: 'stopped', silent: 'silent' };
const PERIODS = { day: 'day', month: 'month' };
/** Maximum number of names in one sentence. */
const NAMED = 20;
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const CAUSES = {
  refused: 'because the service asked to slow down',
  slow: 'because it takes much longer to answer than before',
};

function leftText({ counted }: Format, { unit, value }: Left): string {
  if (unit === 'minutes') return value <= 1 ? 'a minute' : `${value} min`;
  return unit === 'hours' ? `${value} h` : counted(value, 'day', 'days');
}

/** Short, because it shares a line with a progress bar. */
export function limitWords(format: Format, p: { readonly rate: string; readonly left: Left }): string {
  return `limited to ${p.rate}, about ${leftText(format, p.left)} left`;
}

/** What slows an agent down or is worth knowing, in a terminal; the console has its own words. `endpoint`: null for all together. */
export const noteTexts = (format: Format) => {
  const { number, counted, time } = format;
  return {
    /** `day`: of the week, 0 for Sunday. */
    hours: (p: { day: number; at: string }) =>
      `Outside the sending hours (\`delivery.hours\`). Uploads start again on ${DAYS[p.day]} ${p.at}.`,
    spent: (p: {
      endpoint: string | null;
      period: keyof typeof PERIODS;
      key: string;
      limit: number;
      until: string;
    }) => {
      const its = `${counted(p.limit, 'upload', 'uploads')} of this ${PERIODS[p.period]}`;
      const used =
        p.endpoint === null
          ? `All endpoints together have used their ${its} (\`delivery.${p.key}\`)`
          : `Endpoint ${p.endpoint} has used its ${its} (\`${p.key}\`)`;
      return `${used}. Uploads start again on ${p.until}.`;
    },
    /** `seconds`: between two uploads; null for no spacing. */
    slowed: (p: {
      endpoint: string;
      cause: keyof typeof CAUSES;
      atOnce: number;
      configured: number;
      seconds: string | null;
    }) => {
      const less = [
        ...(p.atOnce < p.configured ? [`${p.atOnce} of ${p.configured} uploads at once`] : []),
        ...(p.seconds === null ? [] : [`one upload every ${p.seconds} s`]),
      ];
      return `Uploads to endpoint ${p.endpoint} are slowed down to ${less.join(' and ')}, ${CAUSES[p.cause]}. Uploads speed up again automatically.`;
    },
    limited: (p: { endpoint: string | null; rate: string; left: Left }) =>
      `Uploads${p.endpoint === null ? '' : ` to endpoint ${p.endpoint}`} are ${limitWords(format, p)}.`,
    paused: (p: { agent: string; by: string | null; since: number | null }) =>
      `This agent is paused${p.by === null || p.since === null ? '' : ` by ${p.by} since ${time(p.since)}`}: it picks up scans but sends nothing. To resume it, run \`receiptd fleet resume ${p.agent}\`.`,
    deferred: (p: { images: number }) =>
      `${counted(p.images, 'image was', 'images were')} deferred while the ledger was unreachable, and will be named and sent once it is back.`,
    restart: (p: { file: string; keys: readonly string[] }) =>
      `Changes in ${p.file} that need a restart: ${p.keys.join(', ')}.`,
    unmatched: (p: { results: number }) =>
      `${counted(p.results, 'result', 'results')} from the service match${p.results === 1 ? 'es' : ''} no known document (\`receiptd results list --unmatched\`).`,
    fleet: (p: { agents: readonly NotedAgent[] }) => {
      const named = p.agents.map((each) => {
        const its = [
          STATES[each.state],
          ...(each.paused ? ['paused'] : []),
          ...(each.queued > 0 ? [counted(each.queued, 'waits', 'wait')] : []),
          ...(each.uploading > 0 ? [`${number(each.uploading)} under way`] : []),
        ];
        return `${each.name} (${its.join(', ')})`;
      });
      const more = p.agents.length > NAMED ? ', and others' : '';
      return `${counted(p.agents.length, 'agent shares', 'agents share')} this ledger: ${named.slice(0, NAMED).join(', ')}${more}.`;
    },
    ledgerAway:
      'Until the ledger is reachable again, its contents and the number of waiting documents are unknown.',
  };
};
export type NoteFact = Fact<ReturnType<typeof noteTexts>>;
export type NoteTexts = SamePhrases<ReturnType<typeof noteTexts>>;
