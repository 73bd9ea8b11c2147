import { call } from '../api.ts';
import { moment } from '../format.ts';
import { t } from '../texts.ts';
import { ActButton } from './Button.tsx';
import { announce } from './Notice.tsx';

interface Dismissible {
  readonly needsPerson: boolean;
  readonly dismissedBy: string | null;
  readonly dismissedAt: string | null;
}

/** Dismisses something that needs a person; once dismissed, shows by whom and lets it be undone. */
export function Dismissal({
  of: { needsPerson, dismissedBy, dismissedAt },
  target,
  onDone = () => {},
}: {
  readonly of: Dismissible;
  /** Name of the document, or path of the file. */
  readonly target: string;
  readonly onDone?: () => void;
}) {
  if (!needsPerson && dismissedAt === null) return null;
  const perform = async () => {
    const { dismissed } = await call('dismiss', { targets: [target], undo: !needsPerson });
    announce(needsPerson ? t.done.dismissed(dismissed) : t.done.undismissed(dismissed));
    onDone();
  };
  return (
    <div class="dismissal small">
      {dismissedAt !== null && (
        <span class="muted">{t.dismissal.by(dismissedBy ?? '?', moment(dismissedAt))} </span>
      )}
      <ActButton class="small" perform={perform}>
        {needsPerson ? t.dismissal.dismiss : t.dismissal.undo}
      </ActButton>
    </div>
  );
}
