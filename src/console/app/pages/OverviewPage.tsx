import type { OverviewResponse } from '../../../control/protocol/overview.ts';
import { bytes, decimal, duration, moment, number, weekday } from '../format.ts';
import { useLivePart, useOverview } from '../live.ts';
import { Icon } from '../parts/Icon.tsx';
import { Loading, Notice } from '../parts/Notice.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { EndpointTable, FolderTable } from '../parts/StatusTables.tsx';
import { Problems, problemsIn } from '../parts/Problems.tsx';
import { LISTS } from '../parts/Tally.tsx';
import { href } from '../router.ts';
import { tally, WAITING_STATES } from '../tally.ts';
import { t } from '../texts.ts';
import { History } from './History.tsx';

/** Answers in ten seconds: show whether it works, what waits and why, and what needs a person? */
export function OverviewPage() {
  const overview = useOverview();
  const isLost = useLivePart(({ connection }) => connection === 'lost');
  if (overview === null) {
    return (
      <Page title={t.overview.title}>
        <Loading />
      </Page>
    );
  }
  const { status } = overview;
  const problems = problemsIn(overview);
  return (
    <Page title={t.overview.title}>
      <Headline overview={overview} isLost={isLost} />
      {problems.length > 0 && <Problems problems={problems} />}
      <Stats stats={statsOf(overview)} />
      {status.notes.map(({ text, about }) => (
        <Notice key={text} tone="info">
          <p>{noteOf(about)}</p>
        </Notice>
      ))}
      <History />
      <Section title={t.folders.title} id="folders" actions={<a href={href(['folders'])}>{t.folders.all}</a>}>
        <FolderTable overview={overview} />
      </Section>
      <Section
        title={t.endpoints.title}
        id="endpoints"
        actions={<a href={href(['endpoints'])}>{t.endpoints.all}</a>}
      >
        <EndpointTable overview={overview} />
      </Section>
    </Page>
  );
}

function noteOf(note: OverviewResponse['status']['notes'][number]['about']): string {
  const says = t.notes;
  switch (note.kind) {
    case 'hours':
      return says.hours(weekday(note.until));
    case 'spent':
      return says.spent[note.period](note.endpoint ?? t.endpoints.all, note.limit, moment(note.until));
    case 'slowed': {
      const { endpoint, cause, atOnce, configured, spacingMs } = note;
      const less = [
        ...(atOnce < configured ? [says.atOnce(atOnce, configured)] : []),
        ...(spacingMs > 0 ? [says.spaced(decimal(spacingMs / 1000))] : []),
      ];
      return says.slowed(endpoint, less.join(', '), says.causes[cause]);
    }
    case 'limited':
      return says.limited(note.endpoint ?? t.endpoints.all, note.rate, duration(wholeMinutes(note.leftMs)));
    case 'paused':
      return note.by === null || note.since === null
        ? says.paused
        : says.pausedBy(note.by, moment(note.since));
    case 'deferred':
      return says.deferred(note.images);
    case 'restart':
      return t.config.restartNeeded(note.keys);
    case 'unmatched':
      return says.unmatched(note.results);
    case 'fleet':
      return says.fleet(note.agents);
    case 'ledgerAway':
      return says.ledgerAway;
  }
}

const wholeMinutes = (ms: number): number => Math.max(1, Math.round(ms / 60_000)) * 60_000;

function Headline({ overview, isLost }: { readonly overview: OverviewResponse; readonly isLost: boolean }) {
  const { now, problems, backlog, status } = overview;
  const person = problems.filter(({ needsAttention }) => needsAttention).length;
  const passing = problems.length - person;
  const [tone, icon, text] = isLost
    ? (['lost', 'question', t.overview.asOf(moment(now))] as const)
    : person > 0
      ? (['bad', 'alert', t.overview.needsPerson(person)] as const)
      : passing > 0
        ? (['warn', 'wait', t.overview.passing(passing)] as const)
        : (['ok', 'check', t.overview.works] as const);
  return (
    <div class={`headline ${tone}`}>
      <Icon name={icon} />
      <div>
        <p class="big" role="status">
          {text}
        </p>
        <p class="muted">
          {backlog.waiting === 0 ? t.overview.nothingWaits : t.overview.waits(backlog.waiting)}{' '}
          {t.overview.running(moment(status.startedAt, now), status.version)}
        </p>
      </div>
    </div>
  );
}

function statsOf({ now, backlog, status, counts }: OverviewResponse): Stat[] {
  const { spool } = status;
  const { accepted, person, other, waiting } = tally(counts, () => true);
  const listed = (word: keyof typeof LISTS, value: number) =>
    value === 0 ? {} : { href: href(['documents'], LISTS[word]) };
  const oldest = backlog.oldest;
  const waited = oldest === null ? 0 : Date.parse(now) - Date.parse(oldest);
  return [
    {
      name: t.overview.accepted,
      value: number(accepted),
      more: t.overview.ofAll(accepted + person + other + waiting),
      ...listed('accepted', accepted),
    },
    {
      name: t.overview.person,
      value: number(person),
      more: person === 0 ? t.overview.nobody : t.overview.look,
      ...listed('person', person),
    },
    {
      name: t.overview.other,
      value: number(other),
      more: t.overview.otherMeans,
      ...listed('other', other),
    },
    {
      name: t.overview.waiting,
      value: number(backlog.waiting),
      more: oldest === null ? t.overview.noneWaits : t.overview.oldest(moment(oldest, now), duration(waited)),
      ...(backlog.waiting > 0
        ? { href: href(['documents'], { state: WAITING_STATES.join(','), order: 'oldest' }) }
        : {}),
    },
    {
      name: t.overview.held,
      value: number(backlog.held),
      more: backlog.held === 0 ? t.overview.noneHeld : t.overview.ofWaiting,
      ...(backlog.held > 0 ? { href: href(['documents'], { state: 'held' }) } : {}),
    },
    {
      name: t.overview.pace,
      value: number(Math.round(backlog.perMinute * 10) / 10),
      more: t.overview.inFlight(status.inFlight),
    },
    forecast(now, backlog),
    {
      name: t.overview.spool,
      value: bytes(spool.used),
      more: t.overview.spoolOf(spool.images, bytes(spool.limit)),
    },
  ];
}

function forecast(now: string, { waiting, held, emptyInMs }: OverviewResponse['backlog']): Stat {
  const name = t.overview.forecast;
  if (waiting === 0) return { name, value: t.overview.emptyNow, more: t.overview.nothingWaits };
  if (waiting === held) return { name, value: t.overview.unknown, more: t.overview.allHeld };
  if (emptyInMs === null) return { name, value: t.overview.unknown, more: t.overview.noPace };
  const at = Date.parse(now) + emptyInMs;
  return { name, value: moment(at, now), more: t.overview.emptyIn(duration(emptyInMs)) };
}

interface Stat {
  readonly name: string;
  readonly value: string;
  readonly more: string;
  readonly href?: string;
}

function Stats({ stats }: { readonly stats: readonly Stat[] }) {
  return (
    <dl class="stats">
      {stats.map(({ name, value, more, href }) => (
        <div key={name} class="stat">
          <dt>{name}</dt>
          <dd class="value">{href === undefined ? value : <a href={href}>{value}</a>}</dd>
          <dd class="muted">{more}</dd>
        </div>
      ))}
    </dl>
  );
}
