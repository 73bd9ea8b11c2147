import { useState } from 'preact/hooks';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { TextField } from '../parts/Field.tsx';
import { keep, readKept } from '../kept.ts';
import { routeOf } from '../router.ts';
import { t } from '../texts.ts';
import { filterHref, filterOf, type FilterText } from './documentFilter.ts';
import { COMMON, commonPeriod, spanOf } from './periods.ts';
import { ActiveFilters } from './Filters.tsx';

interface SavedFilter {
  readonly name: string;
  readonly filter: FilterText;
}

const KEY = 'filters';
const MOST = 30;

/** Common periods, the filters in use, and those saved in this browser. */
export function SavedFilters({ filter }: { readonly filter: FilterText }) {
  const [saved, setSaved] = useState(readSaved);
  const [isAsking, setAsking] = useState(false);
  const here = filterHref(filter);
  const span = spanOf(filter);
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
    <nav class="saved scroll" aria-label={t.saved.title}>
      {COMMON.map((which) => {
        const isChosen = which === span;
        const { first, last } = commonPeriod(which);
        const days = isChosen ? { since: '', until: '' } : { since: first, until: last };
        return (
          <Chip
            key={which}
            name={t.saved[which]}
            href={filterHref({ ...filter, ...days })}
            isChosen={isChosen}
          />
        );
      })}
      <ActiveFilters filter={filter} />
      {saved.map((each) => (
        <span key={each.name} class="chip-pair">
          <Chip name={each.name} href={filterHref(each.filter)} isChosen={filterHref(each.filter) === here} />
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

interface ChipProps {
  readonly name: string;
  readonly href: string;
  readonly isChosen: boolean;
}

function Chip({ name, href, isChosen }: ChipProps) {
  return (
    <a class="chip" href={href} aria-current={isChosen ? 'true' : undefined}>
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
