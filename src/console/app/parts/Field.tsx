import type { ComponentChildren, FormHTMLAttributes, PartialInputHTMLAttributes } from 'preact';
import { t } from '../texts.ts';
import { Words } from './Words.tsx';

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  /** Shown below the control, which `describedBy` connects with it. */
  readonly help?: string | undefined;
  /** Says beside the label that a value is required. */
  readonly isMarked?: boolean | undefined;
  /** Additional class. */
  readonly look?: string | undefined;
}

export function Labelled({
  id,
  label,
  help = '',
  isMarked = false,
  look = '',
  children,
}: LabelledProps & { readonly children: ComponentChildren }) {
  return (
    <div class={`field ${look}`.trim()}>
      <label for={id}>
        {label}
        {isMarked && <span class="muted"> ({t.form.required})</span>}
      </label>
      {children}
      <Help id={id} text={help} />
    </div>
  );
}

/** Help for the control with this id; nothing without a text. */
export function Help({ id, text }: { readonly id: string; readonly text: string }) {
  if (text === '') return null;
  return (
    <p class="help" id={`${id}-help`}>
      <Words text={text} />
    </p>
  );
}

export const describedBy = (id: string, help = ''): string | undefined =>
  help === '' ? undefined : `${id}-help`;

/** Calls `onValue` with what the person typed or chose. */
export const typed =
  (onValue: (value: string) => void) =>
  ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onValue(currentTarget.value);

interface FieldProps extends LabelledProps {
  readonly onValue: (value: string) => void;
}

type InputAttribute =
  | 'value'
  | 'required'
  | 'placeholder'
  | 'maxLength'
  | 'spellcheck'
  | 'autocomplete'
  | 'inputMode'
  | 'onChange'
  | 'aria-invalid'
  | 'aria-describedby';

interface TextFieldProps
  extends FieldProps, Pick<PartialInputHTMLAttributes<HTMLInputElement>, InputAttribute> {
  readonly type?: 'text' | 'search' | 'password';
  /** Said beside the value. */
  readonly unit?: string | null;
}

export function TextField({
  id,
  label,
  help,
  isMarked,
  look,
  type = 'text',
  unit = null,
  onValue,
  ...input
}: TextFieldProps) {
  return (
    <Labelled {...{ id, label, help, isMarked, look }}>
      <input
        id={id}
        // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- tsc accepts one constant only
        type={type as 'text'}
        aria-describedby={describedBy(id, help)}
        {...input}
        onInput={typed(onValue)}
      />
      {unit !== null && (
        <output for={id} class="unit">
          {unit}
        </output>
      )}
    </Labelled>
  );
}

export interface Option {
  readonly value: string;
  readonly text: string;
}

interface SelectFieldProps extends FieldProps {
  readonly options: readonly Option[];
  readonly value: string;
  readonly required?: boolean;
}

export function SelectField({ onValue, options, value, required = false, ...around }: SelectFieldProps) {
  const { id, help } = around;
  return (
    <Labelled {...around}>
      <select {...{ id, value, required }} aria-describedby={describedBy(id, help)} onChange={typed(onValue)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** A form that a script handles; the browser sends nothing. */
export function Form({
  onSubmit = () => {},
  ...form
}: Omit<FormHTMLAttributes, 'onSubmit'> & { readonly onSubmit?: () => void }) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    />
  );
}
