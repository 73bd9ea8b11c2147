import type { SettingText } from '../../../texts/en/settings.ts';
import { t } from '../texts.ts';
import type { Field } from '../settings/fields.ts';
import { loadLabels, unitWords, wordsFor } from '../settings/labels.ts';
import { describedBy, Help, Labelled, SelectField, TextField, typed } from './Field.tsx';

await loadLabels();

interface InputProps {
  readonly field: Field;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** What is wrong with it, as the agent said when it was to be saved. */
  readonly flaw?: string | undefined;
}

/** With what the table of settings says of it. */
function wordsOf({ key, kind, applies }: Field): SettingText {
  const words = wordsFor(key);
  const isList = kind === 'lines' || kind === 'pairs';
  const more = [...(isList ? [t.form.perLine] : []), ...(applies === 'start' ? [t.form.atStart] : [])];
  return { ...words, help: [words.help, ...more].join(' ') };
}

export function Input({ flaw, ...input }: InputProps) {
  if (flaw === undefined) return <Plain {...input} />;
  return (
    <div class="flawed">
      <Plain {...input} />
      <p class="needs">{flaw}</p>
    </div>
  );
}

function Plain({ field, value, onValue }: InputProps) {
  const { kind, initial, required: isMarked, options, unit } = field;
  const { label, help, options: names = {} } = wordsOf(field);
  const id = `field-${field.id}`;
  const placeholder = t.form.standard(initial ?? '');
  const shared = { value, placeholder, spellcheck: false, autocomplete: 'off' } as const;
  switch (kind) {
    case 'yes':
      return (
        <div class="field yes">
          <input
            id={id}
            type="checkbox"
            checked={value === 'true'}
            onChange={({ currentTarget }) => onValue(String(currentTarget.checked))}
            aria-describedby={describedBy(id, help)}
          />
          <label for={id}>{label}</label>
          <Help id={id} text={help} />
        </div>
      );
    case 'checks':
      return <Checks {...{ field, value, onValue }} />;
    case 'since':
      return <SinceDay {...{ field, value, onValue }} />;
    case 'choice':
      return (
        <SelectField
          {...{ id, label, help, isMarked, value, onValue }}
          required={isMarked && initial === ''}
          options={options.map((option) => ({
            value: option,
            text: names[option] ?? option,
          }))}
        />
      );
    case 'lines':
    case 'pairs':
      return (
        <Labelled {...{ id, label, help, isMarked }}>
          <textarea
            id={id}
            rows={3}
            {...shared}
            aria-describedby={describedBy(id, help)}
            onInput={typed(onValue)}
          />
        </Labelled>
      );
    case 'number':
    case 'text':
      return (
        <TextField
          {...{ id, label, help, isMarked, onValue }}
          unit={unit === null ? null : unitWords(value, unit)}
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          required={isMarked}
          {...shared}
        />
      );
  }
}

/** Radio buttons, which need no help; one of them has a day. */
function SinceDay({ field, value, onValue }: InputProps) {
  const { label, options: names = {} } = wordsOf(field);
  const id = `field-${field.id}`;
  const [chosen = '', day = ''] = value.split(' ');
  const [first = '', ...others] = field.options;
  return (
    <fieldset class="field checks">
      <legend>{label}</legend>
      {[first, 'since', ...others].map((each) => (
        <div key={each} class="choice">
          <label class="check">
            <input
              type="radio"
              name={id}
              checked={chosen === each}
              onChange={() => onValue(each === 'since' ? `since ${day}` : each)}
            />
            {names[each] ?? each}
          </label>
          {each === 'since' && chosen === each && (
            <input
              type="date"
              aria-label={names[each]}
              required
              value={day}
              onInput={typed((next) => onValue(`since ${next}`))}
            />
          )}
        </div>
      ))}
    </fieldset>
  );
}

function Checks({ field, value, onValue }: InputProps) {
  const { label, help } = wordsOf(field);
  const id = `field-${field.id}`;
  const chosen = new Set(value.split(/\s+/));
  const toggle = (option: string) => {
    const next = new Set(chosen);
    if (!next.delete(option)) next.add(option);
    onValue(field.options.filter((each) => next.has(each)).join(' '));
  };
  return (
    <fieldset class="field checks" aria-describedby={describedBy(id, help)}>
      <legend>{label}</legend>
      <div class="choices">
        {field.options.map((option) => (
          <label key={option} class="check">
            <input type="checkbox" checked={chosen.has(option)} onChange={() => toggle(option)} />
            {option}
          </label>
        ))}
      </div>
      <Help id={id} text={help} />
    </fieldset>
  );
}
