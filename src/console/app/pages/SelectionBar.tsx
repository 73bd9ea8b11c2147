import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { useAct, useAsk, type ConsoleAct } from '../parts/hooks.ts';
import { announce, Failure, Notice } from '../parts/Notice.tsx';
import { t } from '../texts.ts';
import { filterHref, type FilterText } from './documentFilter.ts';
import {
  actsOn,
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

type BarAct = 'again' | 'dismiss';
const ACTS: readonly BarAct[] = ['again', 'dismiss'];

const howMany = (act: BarAct, { retry, resend, dismiss }: ActCounts): number =>
  act === 'again' ? retry + resend : dismiss;

/** Actions for the selection, each with the number of rows that it applies to. */
export function SelectionBar({ selection, filter, total, onDone }: BarProps) {
  const { chosen, clear, takeFilter } = selection;
  const [asking, setAsking] = useState<BarAct | null>(null);
  const [undoable, setUndoable] = useState<ManyDone | null>(null);
  const act = useAct();
  const counts = useCounts(chosen);
  const perform = async (what: BarAct, acts: readonly RowsAct[]) => {
    if (chosen === null) return;
    const done = await actsOn(acts, chosen);
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
  // Confirm what uses uploads, or applies to more rows than the person has seen.
  const begin = (what: BarAct) =>
    what === 'again' || chosen?.kind === 'filter'
      ? setAsking(what)
      : void act.run(() => perform(what, ['dismiss']));
  const everything = filterHref(filter) === filterHref({}) && chosen?.kind === 'filter' && (
    <p>{t.many.everything}</p>
  );
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
      {asking === 'dismiss' && counts !== null && (
        <Dialog
          title={t.many.ask.dismiss(counts.dismiss)}
          confirm={t.many.acts.dismiss(counts.dismiss)}
          act={act}
          onConfirm={() => perform('dismiss', ['dismiss'])}
          onClose={() => setAsking(null)}
        >
          <p>{t.many.means.dismiss}</p>
          {everything}
        </Dialog>
      )}
      {asking === 'again' && counts !== null && (
        <Again
          counts={counts}
          act={act}
          onConfirm={(acts) => perform('again', acts)}
          onClose={() => setAsking(null)}
        >
          {everything}
        </Again>
      )}
    </>
  );
}

interface AgainProps {
  readonly counts: ActCounts;
  readonly act: ConsoleAct;
  readonly onConfirm: (acts: readonly RowsAct[]) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Those that were sent are sent once more only if somebody wants that. */
function Again({ counts: { retry, resend }, act, onConfirm, onClose, children }: AgainProps) {
  const isMixed = retry > 0 && resend > 0;
  const [withSent, setWithSent] = useState(retry === 0);
  const n = retry + (withSent ? resend : 0);
  // First what was sent, lest it includes what this act has just sent.
  const acts: RowsAct[] = [
    ...(withSent ? ['resend' as const] : []),
    ...(retry > 0 ? ['retry' as const] : []),
  ];
  return (
    <Dialog
      title={t.many.ask.again(n)}
      confirm={t.many.acts.again(n)}
      act={act}
      onConfirm={() => onConfirm(acts)}
      onClose={onClose}
    >
      {isMixed &&
        [false, true].map((each) => (
          <label key={String(each)} class="choice">
            <input type="radio" name="again" checked={withSent === each} onChange={() => setWithSent(each)} />{' '}
            {each ? t.many.kinds.all(retry + resend) : t.many.kinds.retry(retry)}
          </label>
        ))}
      {acts.toReversed().map((each) => each !== 'dismiss' && <p key={each}>{t.many.means[each]}</p>)}
      <p>{t.many.means.uploads(n)}</p>
      {children}
    </Dialog>
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
  readonly onAct: (act: BarAct) => void;
}) {
  return (
    <>
      {ACTS.filter((each) => howMany(each, counts) > 0).map((each) => (
        <Button key={each} disabled={isBusy} onClick={() => onAct(each)}>
          {t.many.acts[each](howMany(each, counts))}
          {each === 'again' && ' …'}
        </Button>
      ))}
      {counts.images > 0 && (
        <>
          <a class="button" href={downloadHref('zip', chosen)} download>
            {t.many.zip(counts.images)}
          </a>
          <a class="button" href={downloadHref('csv', chosen)} download>
            {t.many.csv(chosen.kind === 'filter' ? counts.all : counts.images)}
          </a>
          <a class="button" href={downloadHref('json', chosen)} download>
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
