import type { OverviewResponse } from '../../../control/protocol/overview.ts';
import { bytes, clockTime, decimal, duration, fullDate, moment, number, weekday } from '../format.ts';
import { useLivePart, useOverview } from '../live.ts';
import { useNow } from '../parts/hooks.ts';
import { Icon, type IconName } from '../parts/Icon.tsx';
import { pauseOfAll } from '../parts/PauseAll.tsx';
import { Answer, Loading, Notice } from '../parts/Notice.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { FolderBadge } from '../parts/State.tsx';
import { EndpointTable, FolderTable } from '../parts/StatusTables.tsx';
import { Problems, problemsIn } from '../parts/Problems.tsx';
import type { TableColumn } from '../parts/Table.tsx';
import { LISTS } from '../parts/Tally.tsx';
import { urgencyOf } from '../../../texts/explain.ts';
import { href } from '../router.ts';
import { tally, WAITING_STATES, type StateTally } from '../tally.ts';
import { t } from '../texts.ts';
import { CompareButton, InFolder, useComparison, useUnmatched } from './Comparisons.tsx';
import {
  arrivalRows,
  FilesByFolder,
  partsOf,
  sumOf,
  useSeenCounts,
  type ArrivalRow,
} from './FilesByFolder.tsx';
import { History } from './History.tsx';
import { beside, today } from './periods.ts';

/** For somebody who starts the day: is everything sent, what needs attention, and what can I do about it? */
export function OverviewPage() {
  useNow(MINUTE_MS);
  const overview = useOverview();
  const day = today();
  const period = { first: day, last: day };
  const seen = useSeenCounts(period);
  const folders = overview?.status.folders ?? [];
  useComparison(folders.filter(({ state }) => isThere(state)).map(({ path }) => path));
  const back = beside(period, -1);
  const frame = {
    title: t.nav.overview,
    date: fullDate(Date.now()),
    actions: (
      <>
        <a class="button" href={href(['days'], { day: back })}>
          ← {t.saved.yesterday}
        </a>
        <a class="button" href={href(['days'], { span: 'week' })}>
          {t.days.spans.week}
        </a>
        <a class="button" href={href(['days'], { span: 'month' })}>
          {t.days.spans.month}
        </a>
      </>
    ),
  };
  if (overview === null) {
    return (
      <Page {...frame}>
        <Loading />
      </Page>
    );
  }
  const { status } = overview;
  const paths = folders.map(({ path }) => path);
  return (
    <Page {...frame}>
      <Answer asked={seen}>
        {({ counts }) => (
          <>
            <Headline overview={overview} today={tally(counts, () => true)} />
            <Arrivals overview={overview} rows={arrivalRows(counts, period, paths)} />
          </>
        )}
      </Answer>
      <Problems problems={problemsIn(overview)} />
      {status.notes.map(({ text, about }) => (
        <Notice key={text} tone="info">
          <p>{noteOf(about)}</p>
        </Notice>
      ))}
      <History />
      <details>
        <summary>{t.administrators}</summary>
        <p class="muted">{t.overview.running(moment(status.startedAt), status.version)}</p>
        <Stats stats={statsOf(overview)} />
        <Section
          title={t.folders.title}
          id="folders"
          actions={<a href={href(['folders'])}>{t.folders.all}</a>}
        >
          <FolderTable overview={overview} />
        </Section>
        <Section
          title={t.endpoints.title}
          id="endpoints"
          actions={<a href={href(['endpoints'])}>{t.endpoints.all}</a>}
        >
          <EndpointTable overview={overview} />
        </Section>
      </details>
    </Page>
  );
}

const MINUTE_MS = 60_000;

type FolderState = OverviewResponse['status']['folders'][number]['state'];
/** Whether its files can be listed. */
const isThere = (state: FolderState): boolean => state === 'watching' || state === 'paused';

interface ArrivalsProps {
  readonly overview: OverviewResponse;
  readonly rows: readonly ArrivalRow[];
}

function Arrivals({ overview: { status }, rows }: ArrivalsProps) {
  const folderOf = (row: ArrivalRow) => status.folders.find(({ path }) => path === row.folder);
  const more: readonly TableColumn<ArrivalRow>[] = [
    { head: t.overview.lastScan, class: 'whole', cell: (row) => lastScan(row, folderOf(row)) },
    {
      head: t.overview.inFolder,
      class: 'in-folder',
      cell: (row) => {
        const folder = folderOf(row);
        if (folder === undefined) return null;
        return isThere(folder.state) ? (
          <InFolder folder={folder.path} />
        ) : (
          <FolderBadge state={folder.state} />
        );
      },
    },
  ];
  return (
    <Section
      title={t.days.table}
      id="arrivals"
      actions={
        <CompareButton
          folders={status.folders.filter(({ state }) => isThere(state)).map(({ path }) => path)}
        />
      }
    >
      <FilesByFolder rows={rows} more={more} />
      <p class="muted small means">{t.days.means}</p>
    </Section>
  );
}

/** When the newest file came; without one, when the folder was last listed. */
function lastScan({ folder, newest }: ArrivalRow, status: { lastListing: string | null } | undefined) {
  if (folder === null) return null;
  if (newest !== null) return clockTime(newest);
  if (!status?.lastListing) return null;
  return <span class="muted">{t.overview.noScan(moment(status.lastListing))}</span>;
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

interface HeadlineProps {
  readonly overview: OverviewResponse;
  readonly today: StateTally;
}

/** Its sentence counts files, as the table below it does. */
function Headline({ overview, today }: HeadlineProps) {
  const isLost = useLivePart(({ connection }) => connection === 'lost');
  const unmatched = useUnmatched();
  const said = headlineOf(overview, today, isLost);
  const { tone, icon, text, rest } =
    said.tone === 'ok' && unmatched > 0 ? { ...said, tone: 'warn', icon: 'alert' as const } : said;
  const { held } = overview.backlog;
  const ever = tally(overview.counts, () => true);
  const isMore = ever.person > today.person || ever.waiting > today.waiting;
  const more = [
    partsOf(today, rest),
    isMore && t.overview.ofAllDays(partsOf(ever, ['person', 'waiting'])),
    held > 0 && t.overview.onHold(held),
    unmatched > 0 && t.days.unmatchedNow(unmatched),
  ];
  return (
    <div class={`headline ${tone}`}>
      <Icon name={icon} />
      <div>
        <p class="big" role="status">
          {text}
        </p>
        <p class="muted">{more.filter(Boolean).join(' ')}</p>
      </div>
    </div>
  );
}

interface HeadlineText {
  readonly tone: 'ok' | 'busy' | 'warn' | 'bad' | 'calm' | 'lost';
  readonly icon: IconName;
  readonly text: string;
  /** What the sentence leaves to the second line. */
  readonly rest: readonly (keyof StateTally)[];
}

function headlineOf(overview: OverviewResponse, today: StateTally, isLost: boolean): HeadlineText {
  const { now, problems, backlog, endpoints, status } = overview;
  const arrived = sumOf(today);
  const all = ['accepted', 'waiting', 'person', 'other'] as const;
  if (isLost) return { tone: 'lost', icon: 'question', text: t.overview.asOf(moment(now)), rest: all };
  const isPaused =
    pauseOfAll(overview) !== undefined ||
    (endpoints.length > 0 && endpoints.every(({ paused }) => paused)) ||
    status.notes.some(({ about }) => about.kind === 'paused');
  if (isPaused) return { tone: 'calm', icon: 'pause', text: t.overview.paused, rest: all };
  if (today.person > 0)
    return {
      tone: 'bad',
      icon: 'alert',
      text: t.overview.needAttention(today.person, arrived),
      rest: ['accepted', 'waiting', 'other'],
    };
  const urgent = problems.filter(({ needsAttention }) => needsAttention).length;
  if (urgent > 0) return { tone: 'bad', icon: 'alert', text: t.overview.problems(urgent), rest: all };
  const isHindered = problems.some((each) => urgencyOf(each) === 'passing') || backlog.held > 0;
  if (today.waiting > 0)
    return {
      ...(isHindered ? { tone: 'warn', icon: 'wait' } : { tone: 'busy', icon: 'up' }),
      text: t.overview.areWaiting(today.waiting, arrived),
      rest: ['accepted', 'other'],
    };
  return {
    ...(isHindered ? { tone: 'warn', icon: 'wait' } : { tone: 'ok', icon: 'check' }),
    text: arrived === 0 ? t.overview.nothingYet : t.overview.areSent(today.accepted, arrived),
    rest: ['other'],
  };
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
      name: t.tally.accepted,
      value: number(accepted),
      more: t.overview.ofAll(accepted + person + other + waiting),
      ...listed('accepted', accepted),
    },
    {
      name: t.tally.person,
      value: number(person),
      more: person === 0 ? t.overview.nobody : t.overview.look,
      ...listed('person', person),
    },
    {
      name: t.tally.other,
      value: number(other),
      more: t.overview.otherMeans,
      ...listed('other', other),
    },
    {
      name: t.tally.waiting,
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
