import { call } from '../api.ts';
import { t } from '../texts.ts';
import { announce } from './Notice.tsx';
import { ActButton } from './Button.tsx';

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
  const word = isPaused ? t.resume : t.pause;
  const change = async () => {
    await perform();
    announce(isPaused ? t.done.resumed(target) : t.done.paused(target));
  };
  return (
    <ActButton aria-label={t.of(word, target)} perform={change}>
      {word}
    </ActButton>
  );
}
