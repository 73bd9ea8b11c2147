import { useState } from 'preact/hooks';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useAct, useAsk, type ConsoleAct } from '../parts/hooks.ts';
import { announce, Failure, Notice } from '../parts/Notice.tsx';
import { t } from '../texts.ts';
import { filterHref, type FilterText } from './documentFilter.ts';
import {
  actOn,
  countFilter,
  countsOf,
  undoDismissal,
  type Chosen,
  type ActCounts,
  type ManyDone,
  type RowsAct,
} from './manyActs.ts';
import { downloadHref } from './downloads.ts';
import type { Selection } from './useSelection.ts';

interface BarProps {
  readonly selection: Selection;
  readonly filter: FilterText;
  /** Number of rows that match the filter; null until known. */
  readonly total: number | null;
  readonly onDone: () => void;
}

const ACTS: readonly RowsAct[] = ['retry', 'resend', 'dismiss'];

/** Actions for the selection, each with the number of rows that it applies to. */
export function SelectionBar({ selection, filter, total, onDone }: BarProps) {
  const { chosen, clear, takeFilter } = selection;
  const [asking, setAsking] = useState<RowsAct | null>(null);
  const [undoable, setUndoable] = useState<ManyDone | null>(null);
  const act = useAct();
  const counts = useCounts(chosen);
  const perform = async (what: RowsAct) => {
    if (chosen === null) return;
    const done = await actOn(what, chosen);
    announce(t.many.done[what](done.count));
    setUndoable(what === 'dismiss' && done.count > 0 ? done : null);
    setAsking(null);
    if (done.failed > 0) throw new Error(t.many.gone(done.failed));
    clear();
    onDone();
  };
  const undone = () => {
    setUndoable(null);
    onDone();
  };
  // Confirm what can't be undone, or applies to more rows than the person has seen.
  const begin = (what: RowsAct) =>
    what === 'resend' || chosen?.kind === 'filter' ? setAsking(what) : void act.run(() => perform(what));
  return (
    <>
      {asking === null && <Failure error={act.error} />}
      <Dismissed done={undoable} act={act} onUndone={undone} />
      {chosen !== null && (
        <section class="selection" aria-label={t.many.title}>
          <p role="status">
            <strong>{counts === null ? t.loading : t.many.selected(counts.all)}</strong>
          </p>
          {counts !== null && <Actions chosen={chosen} counts={counts} isBusy={act.busy} onAct={begin} />}
          {chosen.kind === 'rows' && total !== null && total > chosen.rows.length && (
            <Button class="quiet" onClick={takeFilter}>
              {t.many.all(total)}
            </Button>
          )}
          <Button class="quiet" onClick={clear}>
            {t.many.none}
          </Button>
        </section>
      )}
      {asking !== null && counts !== null && (
        <Dialog
          title={t.many.ask[asking](counts[asking])}
          confirm={t.many.acts[asking](counts[asking])}
          act={act}
          onConfirm={() => perform(asking)}
          onClose={() => setAsking(null)}
        >
          <p>{t.many.means[asking]}</p>
          {filterHref(filter) === filterHref({}) && chosen?.kind === 'filter' && <p>{t.many.everything}</p>}
        </Dialog>
      )}
    </>
  );
}

function Actions({
  chosen,
  counts,
  isBusy,
  onAct,
}: {
  readonly chosen: Chosen;
  readonly counts: ActCounts;
  readonly isBusy: boolean;
  readonly onAct: (act: RowsAct) => void;
}) {
  return (
    <>
      {ACTS.filter((each) => counts[each] > 0).map((each) => (
        <Button key={each} disabled={isBusy} onClick={() => onAct(each)}>
          {t.many.acts[each](counts[each])}
        </Button>
      ))}
      {counts.images > 0 && (
        <>
          <a class="button" href={downloadHref('zip', chosen)} download="receipts.zip">
            {t.many.zip(counts.images)}
          </a>
          <a class="button" href={downloadHref('csv', chosen)} download="documents.csv">
            {t.many.csv(chosen.kind === 'filter' ? counts.all : counts.images)}
          </a>
          <a class="button" href={downloadHref('json', chosen)} download="documents.json">
            {t.many.json(chosen.kind === 'filter' ? counts.all : counts.images)}
          </a>
        </>
      )}
    </>
  );
}

interface DismissedProps {
  readonly done: ManyDone | null;
  /** Runs the undoing, and holds its error. */
  readonly act: ConsoleAct;
  readonly onUndone: () => void;
}

/** How many rows were just dismissed, and a button that undoes it; nothing for null. */
export function Dismissed({ done, act, onUndone }: DismissedProps) {
  if (done === null) return null;
  const undo = async () => {
    announce(t.done.undismissed((await undoDismissal(done)).count));
    onUndone();
  };
  return (
    <Notice tone="ok" actions={<Button onClick={() => void act.run(undo)}>{t.dismissal.undo}</Button>}>
      <p>{t.done.dismissed(done.count)}</p>
    </Notice>
  );
}

/** Counts selected rows immediately; for a filter, null until the agent has counted. */
function useCounts(chosen: Chosen | null): ActCounts | null {
  const isFilter = chosen?.kind === 'filter';
  const { data } = useAsk(
    async (signal) => (isFilter ? countFilter(chosen.filter, signal) : null),
    isFilter ? filterHref(chosen.filter) : '',
  );
  if (chosen === null) return null;
  return chosen.kind === 'rows' ? countsOf(chosen.rows) : data;
}
