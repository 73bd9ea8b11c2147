import { useState } from 'preact/hooks';
import type { HoldJson, OverviewResponse } from '../../../control/protocol/overview.ts';
import { call } from '../api.ts';
import { moment, number, weekday } from '../format.ts';
import { useLivePart } from '../live.ts';
import { t } from '../texts.ts';
import { ActButton, Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Labelled, SelectField, typed } from './Field.tsx';
import { Icon } from './Icon.tsx';
import { announce } from './Notice.tsx';

/** The pause of everything; undefined if there is none. */
export function pauseOfAll(overview: OverviewResponse | null): HoldJson | undefined {
  return overview?.holds.find(({ scope, reason }) => scope === 'service' && reason === 'PAUSED');
}

/** In the frame of every page: pauses everything, or says that it is paused and resumes it. */
export function PauseAll() {
  const pause = useLivePart(({ overview }) => pauseOfAll(overview));
  const isKnown = useLivePart(({ overview }) => overview !== null);
  const [isAsking, setAsking] = useState(false);
  if (!isKnown) return null;
  if (pause === undefined)
    return (
      <>
        <Button class="quiet" onClick={() => setAsking(true)}>
          <Icon name="pause" />
          <span>{t.pauseAll.open}</span>
        </Button>
        {isAsking && <PauseDialog onClose={() => setAsking(false)} />}
      </>
    );
  const resume = async () => {
    await call('resume', {});
    announce(t.pauseAll.resumed);
  };
  const { until, message: by } = pause;
  return (
    <span class="pausing">
      <span class="badge" title={by === '' ? undefined : t.pauseAll.by(by, moment(pause.since))}>
        <Icon name="pause" />
        {until === null ? t.pauseAll.paused : t.pauseAll.pausedUntil(whenOf(Date.parse(until)))}
      </span>
      <ActButton perform={resume}>{t.resume}</ActButton>
    </span>
  );
}

const WEEK_MS = 6 * 24 * 3_600_000;

function whenOf(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return isToday || at - Date.now() > WEEK_MS ? moment(at) : weekday(at);
}

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

function PauseDialog({ onClose }: { readonly onClose: () => void }) {
  const waiting = useLivePart(({ overview }) => overview?.backlog.waiting ?? 0);
  const [choice, setChoice] = useState<Choice>('tomorrow');
  const [other, setOther] = useState('');
  const words = t.pauseAll;
  const pause = async () => {
    const until = endOf(choice, other);
    await call('pause', until === null ? {} : { until: new Date(until).toISOString() });
    announce(until === null ? words.paused : words.pausedUntil(whenOf(until)));
    onClose();
  };
  const options = CHOICES.map((value) => {
    const at = value === 'tomorrow' || value === 'monday' ? endOf(value, '') : null;
    return { value, text: words.choices[value](at === null ? '' : whenOf(at)) };
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
      <p>{words.means(number(waiting))}</p>
    </Dialog>
  );
}
