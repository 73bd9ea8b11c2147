import type { ButtonHTMLAttributes } from 'preact';
import { useAct } from './hooks.ts';
import { Refusal } from './Explanations.tsx';

/** A button that does not submit the form, unlike the HTML default. */
export function Button(props: ButtonHTMLAttributes) {
  return <button type="button" {...props} />;
}

/** Performs one action at a time; if that failed, says why beside it. */
export function ActButton({
  perform,
  ...button
}: ButtonHTMLAttributes & { readonly perform: () => Promise<void> }) {
  const act = useAct();
  return (
    <>
      <Button {...button} disabled={act.busy} onClick={() => void act.run(perform)} />
      <Refusal error={act.error} />
    </>
  );
}

interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly texts: Readonly<Record<T, string>>;
  readonly options: readonly T[];
  readonly chosen: T;
  readonly onChosen: (option: T) => void;
}

/** Connected buttons, of which one is pressed. */
export function Segments<T extends string>({ label, texts, options, chosen, onChosen }: SegmentsProps<T>) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map((each) => (
        <Button key={each} aria-pressed={each === chosen} onClick={() => onChosen(each)}>
          {texts[each]}
        </Button>
      ))}
    </div>
  );
}
