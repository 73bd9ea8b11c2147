import { useEffect, useState } from 'preact/hooks';
import { boundOf } from '../bounds.ts';
import { boundText } from '../format.ts';
import { useOverview } from '../live.ts';
import { Button } from '../parts/Button.tsx';
import { SelectField, TextField } from '../parts/Field.tsx';
import { t } from '../texts.ts';
import { MOST_VALUES, valuesOf, valuesText, type FilterText, type ValueCondition } from './documentFilter.ts';
import { Search } from './Search.tsx';

interface ValueFiltersProps {
  readonly filter: FilterText;
  readonly onValues: (values: string) => void;
}

/** Filters by named result values: first choose a column, then enter words, or a range of amounts or days. */
export function ValueFilters({ filter, onValues }: ValueFiltersProps) {
  const columns = useOverview()?.columns ?? [];
  const values = valuesOf(filter);
  const change = (at: number, next: ValueCondition | null) =>
    onValues(
      valuesText(values.flatMap((each, index) => (index !== at ? [each] : next === null ? [] : [next]))),
    );
  const unused = columns.filter(({ pointer }) => values.every((each) => each.pointer !== pointer));
  return (
    <>
      {unused.length > 0 && values.length < MOST_VALUES && (
        <SelectField
          id="filter-column"
          label={t.filters.column}
          value=""
          options={[
            { value: '', text: t.filters.addColumn },
            ...unused.map(({ name, pointer }) => ({ value: pointer, text: name })),
          ]}
          onValue={(pointer) => onValues(valuesText([...values, { pointer }]))}
        />
      )}
      {values.map((wanted, index) => {
        const name = columns.find(({ pointer }) => pointer === wanted.pointer)?.name ?? wanted.pointer;
        return (
          <Value
            key={wanted.pointer}
            name={name}
            wanted={wanted}
            onWanted={(next) => change(index, next)}
            onRemoved={() => change(index, null)}
          />
        );
      })}
    </>
  );
}

interface ValueFilterProps {
  readonly name: string;
  readonly wanted: ValueCondition;
  readonly onWanted: (wanted: ValueCondition) => void;
  readonly onRemoved: () => void;
}

function Value({ name, wanted, onWanted, onRemoved }: ValueFilterProps) {
  const id = `filter-value-${wanted.pointer.replace(/[^\w]+/g, '-')}`;
  const set = (change: Partial<ValueCondition>) => onWanted({ ...wanted, ...change });
  return (
    <fieldset class="value-filter">
      <legend>{name}</legend>
      <Search
        id={`${id}-contains`}
        label={t.filters.contains}
        text={wanted.contains ?? ''}
        maxLength={200}
        onText={(contains) => set({ contains })}
      />
      <Bound
        id={`${id}-from`}
        label={t.filters.since}
        bound={wanted.from}
        onBound={(bound) => set({ from: bound })}
      />
      <Bound
        id={`${id}-to`}
        label={t.filters.until}
        bound={wanted.to}
        onBound={(bound) => set({ to: bound })}
      />
      <Button class="small" aria-label={t.of(t.remove, name)} title={t.remove} onClick={onRemoved}>
        ×
      </Button>
    </fieldset>
  );
}

interface BoundProps {
  readonly id: string;
  readonly label: string;
  readonly bound: string | undefined;
  readonly onBound: (bound: string) => void;
}

/** Input for an amount or a day. Applied when the field loses focus or Enter is pressed, if the input is valid. */
function Bound({ id, label, bound = '', onBound }: BoundProps) {
  const [typed, setTyped] = useState(() => boundText(bound));
  useEffect(() => setTyped(boundText(bound)), [bound]);
  const next = typed.trim() === '' ? '' : boundOf(typed);
  return (
    <TextField
      id={id}
      label={label}
      value={typed}
      maxLength={40}
      placeholder={t.filters.boundHint}
      aria-invalid={next === null}
      onValue={setTyped}
      onChange={() => next !== null && next !== bound && onBound(next)}
    />
  );
}
