import { useState } from 'preact/hooks';
import { call } from '../api.ts';
import { soon } from '../format.ts';
import { useLivePart } from '../live.ts';
import { t } from '../texts.ts';
import { Dialog } from './Dialog.tsx';
import { Labelled, SelectField, typed } from './Field.tsx';
import { announce } from './Notice.tsx';

const CHOICES = ['hour', 'tomorrow', 'monday', 'other', 'open'] as const;
type Choice = (typeof CHOICES)[number];
const WORK_BEGINS = 8;

/** At eight on a later day, in the browser's zone. */
function morning(days: number): number {
  const at = new Date();
  at.setDate(at.getDate() + days);
  return at.setHours(WORK_BEGINS, 0, 0, 0);
}

function endOf(choice: Choice, other: string): number | null {
  switch (choice) {
    case 'hour':
      return Date.now() + 3_600_000;
    case 'tomorrow':
      return morning(1);
    case 'monday':
      return morning(((7 - new Date().getDay()) % 7) + 1);
    case 'other':
      return Date.parse(other);
    case 'open':
      return null;
  }
}

/** Asks until when everything is to be paused. */
export function PauseDialog({ onClose }: { readonly onClose: () => void }) {
  const waiting = useLivePart(({ overview }) => overview?.backlog.waiting ?? 0);
  const [choice, setChoice] = useState<Choice>('tomorrow');
  const [other, setOther] = useState('');
  const words = t.pauseAll;
  const pause = async () => {
    const until = endOf(choice, other);
    await call('pause', until === null ? {} : { until: new Date(until).toISOString() });
    announce(until === null ? words.paused : words.pausedUntil(soon(until)));
    onClose();
  };
  // The same moment on a Sunday.
  const choices = CHOICES.filter((value) => value !== 'monday' || new Date().getDay() !== 0);
  const options = choices.map((value) => {
    const at = value === 'tomorrow' || value === 'monday' ? endOf(value, '') : null;
    return { value, text: words.choices[value](at === null ? '' : soon(at)) };
  });
  return (
    <Dialog title={words.title} confirm={words.confirm} onConfirm={pause} onClose={onClose}>
      <SelectField
        id="pause-until"
        label={words.until}
        value={choice}
        options={options}
        onValue={(value) => setChoice(CHOICES.find((each) => each === value) ?? 'open')}
      />
      {choice === 'other' && (
        <Labelled id="pause-other" label={words.at}>
          <input id="pause-other" type="datetime-local" required value={other} onInput={typed(setOther)} />
        </Labelled>
      )}
      <p>{words.means(waiting)}</p>
    </Dialog>
  );
}
