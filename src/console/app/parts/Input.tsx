import { t } from '../texts.ts';
import type { Field } from '../settings/fields.ts';

interface InputProps {
  readonly field: Field;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

export function Input({ field, value, onValue }: InputProps) {
  const { label, help } = t.fields[field.id];
  const id = `field-${field.id}`;
  const described = help === '' ? {} : { 'aria-describedby': `${id}-help` };
  const hint = help !== '' && (
    <p class="help" id={`${id}-help`}>
      {help}
    </p>
  );
  if (field.kind === 'yes') {
    return (
      <div class="field yes">
        <input
          id={id}
          type="checkbox"
          checked={value === 'true'}
          onChange={({ currentTarget }) => onValue(String(currentTarget.checked))}
          {...described}
        />
        <label for={id}>{label}</label>
        {hint}
      </div>
    );
  }
  if (field.kind === 'checks') return <Checks {...{ field, value, onValue }} />;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {field.required && <span class="muted"> ({t.form.required})</span>}
      </label>
      <Control {...{ field, value, onValue, id, described }} />
      {hint}
    </div>
  );
}

function Control({
  field,
  value,
  onValue,
  id,
  described,
}: InputProps & { readonly id: string; readonly described: object }) {
  const typed = ({ currentTarget }: { currentTarget: { value: string } }) => onValue(currentTarget.value);
  if (field.kind === 'choice') {
    return (
      <select
        id={id}
        value={value}
        required={field.required === true && field.initial === ''}
        onChange={typed}
        {...described}
      >
        {field.options?.map((option) => (
          <option key={option} value={option}>
            {t.form.options[`${field.id}.${option}`] ?? t.form.options[option] ?? option}
          </option>
        ))}
      </select>
    );
  }
  const placeholder = field.initial === undefined ? '' : t.form.standard(field.initial);
  const shared = { id, value, placeholder, spellcheck: false, autocomplete: 'off', onInput: typed };
  if (field.kind === 'lines' || field.kind === 'pairs')
    return <textarea rows={3} {...shared} {...described} />;
  return (
    <input
      type="text"
      inputMode={field.kind === 'number' ? 'numeric' : 'text'}
      required={field.required}
      {...shared}
      {...described}
    />
  );
}

function Checks({ field, value, onValue }: InputProps) {
  const { label, help } = t.fields[field.id];
  const chosen = new Set(value.split(/\s+/));
  const toggle = (option: string) => {
    const next = new Set(chosen);
    if (!next.delete(option)) next.add(option);
    onValue((field.options ?? []).filter((each) => next.has(each)).join(' '));
  };
  return (
    <fieldset class="field checks" aria-describedby={`field-${field.id}-help`}>
      <legend>{label}</legend>
      <div class="choices">
        {field.options?.map((option) => (
          <label key={option} class="check">
            <input type="checkbox" checked={chosen.has(option)} onChange={() => toggle(option)} />
            {option}
          </label>
        ))}
      </div>
      <p class="help" id={`field-${field.id}-help`}>
        {help}
      </p>
    </fieldset>
  );
}
