import { useEffect, useState } from 'preact/hooks';
import type { Consequence } from '../../../control/protocol/consequences.ts';
import type { ConfigState } from '../../../control/protocol/settings.ts';
import { errorWords } from '../../../texts/explain.ts';
import { call } from '../api.ts';
import { moment } from '../format.ts';
import { labelOf, loadLabels } from '../settings/labels.ts';
import { t } from '../texts.ts';
import { Button } from './Button.tsx';
import { ConsequencesDialog } from './Consequences.tsx';
import { useAct, useCall, useNow } from './hooks.ts';
import { announce, Notice } from './Notice.tsx';
import { Details, Refusal } from './Explanations.tsx';
import { Words } from './Words.tsx';

/** Problems that keep changes from being saved or taking effect. */
export function ConfigProblems({ config }: { readonly config: ConfigState }) {
  return (
    <>
      {config.problem !== null && (
        <Notice tone="bad">
          <p>
            <strong>{t.config.problem}</strong>
          </p>
          <Details text={config.error === undefined ? config.problem : errorWords(t, config.error)} />
        </Notice>
      )}
      {config.restartNeeded.length > 0 && (
        <Notice tone="warn">
          <p>{t.config.restartNeeded(config.restartNeeded)}</p>
        </Notice>
      )}
      {!config.writable && <NotWritable config={config} />}
    </>
  );
}

function NotWritable({ config }: { readonly config: ConfigState }) {
  return (
    <Notice tone="warn">
      <p>
        <Words text={t.config.notWritable(config.file, config.grantCommand)} />
      </p>
    </Notice>
  );
}

/** For a dialog that changes the configuration: says beforehand if the agent can't write it. */
export function IfNotWritable() {
  const { data } = useCall('config', {});
  return data === null || data.writable ? null : <NotWritable config={data} />;
}

const SHOWN = 5;

interface LastChangeProps {
  readonly config: ConfigState;
  readonly onUndone: (config: ConfigState) => void;
}

/** The last change made in the console, with a button to undo it. */
export function LastChange({ config, onUndone }: LastChangeProps) {
  const act = useAct();
  const [asked, setAsked] = useState<readonly Consequence[] | null>(null);
  const [hasLabels, setHasLabels] = useState(false);
  useEffect(() => void loadLabels().then(() => setHasLabels(true)), []);
  const { undo, revision } = config;
  if (undo === null || undo.by !== 'console' || !hasLabels) return null;
  const takeBack = async () => {
    const state = await call('undoConfig', { revision });
    setAsked(null);
    announce(t.settings.undone);
    onUndone(state);
  };
  const begin = async () => {
    const { consequences = [] } = await call('undoConfig', { revision, dryRun: true });
    if (consequences.length > 0) setAsked(consequences);
    else await takeBack();
  };
  return (
    <>
      <Notice
        tone="info"
        actions={
          <Button disabled={act.busy} onClick={() => void act.run(begin)}>
            {t.settings.undo}
          </Button>
        }
      >
        <p>
          {t.settings.lastChange(
            [...new Set(undo.keys.map(labelOf))].slice(0, SHOWN).join(', '),
            moment(undo.at),
          )}
        </p>
        {asked === null && <Refusal error={act.error} />}
      </Notice>
      {asked !== null && (
        <ConsequencesDialog
          title={t.settings.undoTitle}
          confirm={t.settings.undo}
          consequences={asked}
          act={act}
          onConfirm={takeBack}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

const RECENT_MS = 10 * 60_000;

/** Shown after returning from a form: the change just saved in one of these sections. */
export function RecentChange({ sections }: { readonly sections: readonly string[] }) {
  const { data, take } = useCall('config', {});
  const now = useNow(30_000);
  const undo = data?.undo ?? null;
  if (data === null || undo === null || now - Date.parse(undo.at) > RECENT_MS) return null;
  const isOfThese = undo.keys.every((key) => sections.includes(key.split(/[.[]/, 1)[0] ?? ''));
  return isOfThese ? <LastChange config={data} onUndone={take} /> : null;
}
