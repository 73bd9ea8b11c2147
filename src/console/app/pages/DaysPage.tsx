import { period as textOf } from '../format.ts';
import { Button, Segments } from '../parts/Button.tsx';
import { Answer, Notice } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { href, replace, useRoute } from '../router.ts';
import { Comparisons, useUnmatched } from './Comparisons.tsx';
import { t } from '../texts.ts';
import { arrivalRows, FilesByFolder, partsOf, useSeenCounts, type ArrivalRow } from './FilesByFolder.tsx';
import { beside, periodOf, SPANS, today } from './periods.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Did all of Tuesday's receipts arrive? */
export function DaysPage() {
  const { query } = useRoute();
  const given = query.get('day') ?? '';
  const day = DAY.test(given) ? given : today();
  const span = SPANS.find((each) => each === query.get('span')) ?? 'day';
  const period = periodOf(day, span);
  const show = (next: { day?: string; span?: string }) => replace(href(['days'], { day, span, ...next }));
  const { first, last } = period;
  const seen = useSeenCounts(period);
  return (
    <Page title={t.days.title} actions={<Button onClick={() => print()}>{t.days.print}</Button>}>
      <div class="period">
        <Segments
          label={t.days.span}
          texts={t.days.spans}
          options={SPANS}
          chosen={span}
          onChosen={(next) => show({ span: next })}
        />
        <Button onClick={() => show({ day: beside(period, -1) })}>← {t.days.earlier}</Button>
        <input
          type="date"
          aria-label={t.days.date}
          value={day}
          onChange={({ currentTarget }) => show({ day: currentTarget.value })}
        />
        <Button disabled={last >= today()} onClick={() => show({ day: beside(period, 1) })}>
          {t.days.later} →
        </Button>
      </div>
      <h2 class="period-name">{first === last ? textOf(first) : `${textOf(first)} – ${textOf(last)}`}</h2>
      <Answer asked={seen}>{({ counts }) => <Counts rows={arrivalRows(counts, period)} />}</Answer>
      <Comparisons />
    </Page>
  );
}

function Counts({ rows }: { readonly rows: readonly ArrivalRow[] }) {
  const total = rows.at(-1);
  if (total === undefined) return <p class="muted">{t.days.none}</p>;
  return (
    <>
      <Verdict of={total} />
      <FilesByFolder rows={rows} />
      <p class="muted small means">{t.days.means}</p>
    </>
  );
}

function Verdict({ of: { arrived, tally } }: { readonly of: ArrivalRow }) {
  const unmatched = useUnmatched();
  const { person, waiting } = tally;
  if (person + waiting === 0)
    return (
      <Notice tone={unmatched > 0 ? 'warn' : 'ok'}>
        <p>{t.days.all(arrived)}</p>
        {unmatched > 0 && <p>{t.days.unmatchedNow(unmatched)}</p>}
      </Notice>
    );
  return (
    <Notice tone={person > 0 ? 'bad' : 'warn'}>
      <p>
        <strong>{t.days.open(person + waiting, arrived)}</strong> {partsOf(tally, ['person', 'waiting'])}
      </p>
    </Notice>
  );
}
