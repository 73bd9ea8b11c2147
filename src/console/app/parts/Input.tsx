import { t } from '../texts.ts';
import type { Field } from '../settings/fields.ts';
import { describedBy, Help, Labelled, SelectField, TextField, typed } from './Field.tsx';

interface InputProps {
  readonly field: Field;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

export function Input({ field, value, onValue }: InputProps) {
  const { kind, initial, required: isMarked, options = [] } = field;
  const { label, help } = t.fields[field.id];
  const id = `field-${field.id}`;
  const placeholder = initial === undefined ? '' : t.form.standard(initial);
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
    case 'choice':
      return (
        <SelectField
          {...{ id, label, help, isMarked, value, onValue }}
          required={isMarked === true && initial === ''}
          options={options.map((option) => ({
            value: option,
            text: t.form.options[`${field.id}.${option}`] ?? t.form.options[option] ?? option,
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
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          required={isMarked}
          {...shared}
        />
      );
  }
}

function Checks({ field, value, onValue }: InputProps) {
  const { label, help } = t.fields[field.id];
  const id = `field-${field.id}`;
  const chosen = new Set(value.split(/\s+/));
  const toggle = (option: string) => {
    const next = new Set(chosen);
    if (!next.delete(option)) next.add(option);
    onValue((field.options ?? []).filter((each) => next.has(each)).join(' '));
  };
  return (
    <fieldset class="field checks" aria-describedby={describedBy(id, help)}>
      <legend>{label}</legend>
      <div class="choices">
        {field.options?.map((option) => (
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
