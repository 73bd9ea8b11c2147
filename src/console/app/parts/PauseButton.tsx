import { call } from '../api.ts';
import { t } from '../texts.ts';
import { useAct } from './hooks.ts';
import { announce } from './Notice.tsx';
import { Button } from './Button.tsx';
import { Refusal } from './Said.tsx';

interface PauseButtonProps {
  /** A folder's path or an endpoint's alias, or another target of `perform`. */
  readonly target: string;
  readonly isPaused: boolean;
  readonly perform?: () => Promise<unknown>;
}

export function PauseButton({
  target,
  isPaused,
  perform = () => call(isPaused ? 'resume' : 'pause', { target }),
}: PauseButtonProps) {
  const act = useAct();
  const word = isPaused ? t.resume : t.pause;
  const change = async () => {
    await perform();
    announce(isPaused ? t.done.resumed(target) : t.done.paused(target));
  };
  return (
    <>
      <Button aria-label={t.of(word, target)} disabled={act.busy} onClick={() => void act.run(change)}>
        {word}
      </Button>
      <Refusal error={act.error} />
    </>
  );
}
