import { useCall } from '../parts/hooks.ts';
import { go } from '../router.ts';
import { useShortcuts } from '../shortcuts.ts';
import { t } from '../texts.ts';
import { documentHref, requestOf, type FilterText } from './documentFilter.ts';

/** Links to the previous and next document of the list that the page was opened from. */
export function Neighbours({ id, filter }: { readonly id: number; readonly filter: FilterText }) {
  const { data } = useCall('neighbours', { id, ...requestOf(filter) });
  const to = (step: 'previous' | 'next') => {
    const its = data?.[step];
    return typeof its === 'number' ? documentHref(its, filter) : null;
  };
  const follow = (step: 'previous' | 'next') => () => {
    const place = to(step);
    if (place !== null) go(place);
  };
  useShortcuts({
    ArrowLeft: follow('previous'),
    k: follow('previous'),
    ArrowRight: follow('next'),
    j: follow('next'),
  });
  return (
    <nav class="neighbours" aria-label={t.document.neighbours}>
      <Step place={to('previous')} text={`← ${t.document.previous}`} rel="prev" />
      <Step place={to('next')} text={`${t.document.next} →`} rel="next" />
    </nav>
  );
}

/** Keeps its place even without a target, so that the other link does not move. */
function Step({
  place,
  text,
  rel,
}: {
  readonly place: string | null;
  readonly text: string;
  readonly rel: string;
}) {
  return place === null ? (
    <a class="button" role="link" aria-disabled="true">
      {text}
    </a>
  ) : (
    <a class="button" href={place} rel={rel}>
      {text}
    </a>
  );
}
