import { useState } from 'preact/hooks';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { TextField } from '../parts/Field.tsx';
import { keep, readKept } from '../kept.ts';
import { routeOf } from '../router.ts';
import { t } from '../texts.ts';
import { filterHref, filterOf, type FilterText } from './documentFilter.ts';
import { beside, periodOf, today } from './periods.ts';

interface SavedFilter {
  readonly name: string;
  readonly filter: FilterText;
}

const KEY = 'filters';
const MOST = 30;

/** Common periods, and the filters saved in this browser. */
export function SavedFilters({ filter }: { readonly filter: FilterText }) {
  const [saved, setSaved] = useState(readSaved);
  const [isAsking, setAsking] = useState(false);
  const here = filterHref(filter);
  const change = (next: readonly SavedFilter[]) => {
    keep(KEY, JSON.stringify(next.map((each) => ({ name: each.name, href: filterHref(each.filter) }))));
    setSaved(next);
  };
  const add = (name: string) => {
    change([{ name, filter }, ...saved.filter((each) => each.name !== name)].slice(0, MOST));
    setAsking(false);
  };
  const isSaved = saved.some((each) => filterHref(each.filter) === here);
  return (
    <nav class="saved" aria-label={t.saved.title}>
      {spans().map(({ name, since, until }) => (
        <Chip key={name} name={name} href={filterHref({ ...filter, since, until })} here={here} />
      ))}
      {saved.map((each) => (
        <span key={each.name} class="chip-pair">
          <Chip name={each.name} href={filterHref(each.filter)} here={here} />
          <Button
            class="quiet small"
            aria-label={t.of(t.remove, each.name)}
            title={t.remove}
            onClick={() => change(saved.filter((other) => other !== each))}
          >
            ×
          </Button>
        </span>
      ))}
      {here !== filterHref({}) && !isSaved && (
        <Button class="quiet small" onClick={() => setAsking(true)}>
          {t.saved.save}
        </Button>
      )}
      {isAsking && <Name onName={add} onClose={() => setAsking(false)} />}
    </nav>
  );
}

function Chip({ name, href, here }: { readonly name: string; readonly href: string; readonly here: string }) {
  return (
    <a class="chip" href={href} aria-current={href === here ? 'true' : undefined}>
      {name}
    </a>
  );
}

function Name({
  onName,
  onClose,
}: {
  readonly onName: (name: string) => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  return (
    <Dialog
      title={t.saved.ask}
      confirm={t.form.save}
      onConfirm={() => void (name.trim() !== '' && onName(name.trim()))}
      onClose={onClose}
    >
      <TextField
        id="filter-name"
        label={t.saved.name}
        value={name}
        maxLength={60}
        required
        onValue={setName}
      />
      <p class="help">{t.saved.means}</p>
    </Dialog>
  );
}

function spans(): readonly { name: string; since: string; until: string }[] {
  const day = today();
  const of = (name: string, { first, last }: ReturnType<typeof periodOf>) => ({
    name,
    since: first,
    until: last,
  });
  const month = periodOf(day, 'month');
  return [
    of(t.saved.today, periodOf(day, 'day')),
    of(t.saved.yesterday, periodOf(beside(periodOf(day, 'day'), -1), 'day')),
    of(t.saved.week, periodOf(day, 'week')),
    of(t.saved.month, month),
    of(t.saved.lastMonth, periodOf(beside(month, -1), 'month')),
  ];
}

/** Skips entries that are malformed. */
function readSaved(): readonly SavedFilter[] {
  try {
    const all: unknown = JSON.parse(readKept(KEY) ?? '[]');
    if (!Array.isArray(all)) return [];
    return all.flatMap((each: unknown) => {
      const { name, href } = (each ?? {}) as { name?: unknown; href?: unknown };
      if (typeof name !== 'string' || typeof href !== 'string') return [];
      return [{ name, filter: filterOf(routeOf(href).query) }];
    });
  } catch {
    return [];
  }
}
