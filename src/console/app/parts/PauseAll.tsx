import { useState } from 'preact/hooks';
import type { HoldJson, OverviewResponse } from '../../../control/protocol/overview.ts';
import { call } from '../api.ts';
import { moment, soon } from '../format.ts';
import { useLivePart } from '../live.ts';
import { t } from '../texts.ts';
import { ActButton, Button } from './Button.tsx';
import { Icon } from './Icon.tsx';
import { useLater } from './Later.tsx';
import { announce } from './Notice.tsx';
import { Badge, PAUSE_LOOK } from './State.tsx';

/** The pause of everything; undefined if there is none. */
export function pauseOfAll(overview: OverviewResponse | null): HoldJson | undefined {
  return overview?.holds.find(({ scope, reason }) => scope === 'service' && reason === 'PAUSED');
}

/** In the frame of every page: pauses everything, or says that it is paused and resumes it. */
export function PauseAll() {
  const pause = useLivePart(({ overview }) => pauseOfAll(overview));
  const isKnown = useLivePart(({ overview }) => overview !== null);
  const dialog = useLater(async () => (await import('./PauseDialog.tsx')).PauseDialog);
  const [isAsking, setAsking] = useState(false);
  if (!isKnown) return null;
  if (pause !== undefined) return <Paused pause={pause} />;
  const ask = () => {
    dialog.load();
    setAsking(true);
  };
  return (
    <>
      <Button class="quiet" onClick={ask}>
        <Icon name="pause" />
        <span>{t.pauseAll.open}</span>
      </Button>
      {dialog.failure}
      {isAsking && dialog.Part !== null && <dialog.Part onClose={() => setAsking(false)} />}
    </>
  );
}

function Paused({ pause: { until, message: by, since } }: { readonly pause: HoldJson }) {
  const resume = async () => {
    await call('resume', {});
    announce(t.pauseAll.resumed);
  };
  return (
    <span class="pausing" title={by === '' ? undefined : t.pauseAll.by(by, moment(since))}>
      <Badge
        look={PAUSE_LOOK}
        text={until === null ? t.pauseAll.paused : t.pauseAll.pausedUntil(soon(Date.parse(until)))}
      />
      <ActButton perform={resume}>{t.resume}</ActButton>
    </span>
  );
}
