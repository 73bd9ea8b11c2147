import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import type { HoldJson, OverviewResponse } from '../../../control/protocol/overview.ts';
import { call } from '../api.ts';
import { moment, soon } from '../format.ts';
import { useLivePart } from '../live.ts';
import { t } from '../texts.ts';
import { ActButton, Button } from './Button.tsx';
import { Icon } from './Icon.tsx';
import { announce, Failure } from './Notice.tsx';

/** The pause of everything; undefined if there is none. */
export function pauseOfAll(overview: OverviewResponse | null): HoldJson | undefined {
  return overview?.holds.find(({ scope, reason }) => scope === 'service' && reason === 'PAUSED');
}

/** In the frame of every page: pauses everything, or says that it is paused and resumes it. */
export function PauseAll() {
  const pause = useLivePart(({ overview }) => pauseOfAll(overview));
  const isKnown = useLivePart(({ overview }) => overview !== null);
  const [Asking, setAsking] = useState<ComponentType<{ readonly onClose: () => void }> | null>(null);
  const [isMissing, setMissing] = useState(false);
  if (!isKnown) return null;
  const ask = () => {
    import('./PauseDialog.tsx').then(
      ({ PauseDialog }) => setAsking(() => PauseDialog),
      () => setMissing(true),
    );
  };
  if (pause === undefined)
    return (
      <>
        <Button class="quiet" onClick={ask}>
          <Icon name="pause" />
          <span>{t.pauseAll.open}</span>
        </Button>
        {Asking !== null && <Asking onClose={() => setAsking(null)} />}
        {isMissing && <Failure error={t.notLoaded} again={() => location.reload()} />}
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
        {until === null ? t.pauseAll.paused : t.pauseAll.pausedUntil(soon(Date.parse(until)))}
      </span>
      <ActButton perform={resume}>{t.resume}</ActButton>
    </span>
  );
}
