import type { TroubleJson } from '../../../control/protocol/overview.ts';
import { call } from '../api.ts';
import { href } from '../router.ts';
import { t } from '../texts.ts';
import { useAct } from './hooks.ts';
import { Notice, announce } from './Notice.tsx';
import { Section } from './Page.tsx';
import { Button } from './Button.tsx';
import { Refusal, Words } from './Words.tsx';

/** What needs a person comes first. */
export function Troubles({ troubles }: { readonly troubles: readonly TroubleJson[] }) {
  const sorted = [...troubles].sort((a, b) => Number(b.person) - Number(a.person));
  return (
    <Section title={t.troubles.title} id="troubles">
      <ul class="troubles">
        {sorted.map((trouble) => (
          <li key={trouble.text}>
            <Notice tone={trouble.person ? 'bad' : 'warn'} actions={<Remedy trouble={trouble} />}>
              <p>
                <strong>{trouble.person ? t.troubles.person : t.troubles.passing}</strong>{' '}
                <Words text={`${trouble.text} ${trouble.here}`} />
              </p>
            </Notice>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Files that are no documents have a page of their own, with what helps. */
const UNSENT: readonly string[] = ['rejected', 'incomplete', 'unreadable'];

const placeOf = (state: string): string =>
  UNSENT.includes(state) ? href(['rejected']) : href(['documents'], { state, attention: 'needed' });

function Remedy({ trouble: { remedy } }: { readonly trouble: TroubleJson }) {
  const act = useAct();
  if (remedy === null) return null;
  if (remedy.kind === 'list') {
    return (
      <a class="button" href={placeOf(remedy.state)}>
        {t.troubles.list}
      </a>
    );
  }
  const perform = async () => {
    if (remedy.kind === 'resume') {
      await call('resume', { target: remedy.target });
      announce(t.done.resumed(remedy.target));
    } else {
      await call('tryHeld', {});
      announce(t.done.tried);
    }
  };
  return (
    <>
      <Button class="primary" disabled={act.busy} onClick={() => void act.run(perform)}>
        {remedy.kind === 'resume' ? t.troubles.resume(remedy.target) : t.troubles.retry}
      </Button>
      <Refusal error={act.error} />
    </>
  );
}
