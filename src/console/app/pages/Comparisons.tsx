import { useState } from 'preact/hooks';
import type { Response } from '../../../control/protocol/protocol.ts';
import { call } from '../api.ts';
import { moment } from '../format.ts';
import { useOverview } from '../live.ts';
import { Button } from '../parts/Button.tsx';
import { useAct } from '../parts/hooks.ts';
import { Failure } from '../parts/Notice.tsx';
import { Section } from '../parts/Page.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { Details } from '../parts/Explanations.tsx';
import { t } from '../texts.ts';
import { told } from '../explanations.ts';

type Compared = Response<'compareFolder'>;

/** Compares the files in each folder with the ledger. Only on request, because it reads every file. */
export function Comparisons() {
  const folders = useOverview()?.status.folders ?? [];
  const [compared, setCompared] = useState<ReadonlyMap<string, Compared>>(new Map());
  const act = useAct();
  const compare = async () => {
    setCompared(new Map());
    for (const { path } of folders) {
      const found = await call('compareFolder', { folder: path });
      setCompared((before) => new Map(before).set(path, found));
    }
  };
  return (
    <Section
      title={t.days.now}
      id="comparison"
      actions={
        <Button disabled={act.busy || folders.length === 0} onClick={() => void act.run(compare)}>
          {act.busy ? t.days.comparing : t.days.compare}
        </Button>
      }
    >
      <p class="muted">{t.days.nowMeans}</p>
      <Failure error={act.error} />
      <div aria-live="polite">
        {[...compared].map(([path, found]) => (
          <Comparison key={path} path={path} found={found} />
        ))}
      </div>
    </Section>
  );
}

function Comparison({ path, found }: { readonly path: string; readonly found: Compared }) {
  const { at, listed, excluded, unaccounted, unaccountedCount, notLookedAt } = found;
  const isWhole = notLookedAt.length === 0;
  return (
    <section class="comparison" aria-label={path}>
      <h3>
        <Wrapped text={path} /> <span class="muted small">{moment(at)}</span>
      </h3>
      {notLookedAt.map((each) => (
        <div key={each.path}>
          <Wrapped text={each.path === '' ? path : each.path} />: {t.days.notCompared}
          <Details text={told(each)} />
        </div>
      ))}
      {isWhole && unaccountedCount === 0 && <p>{t.days.agrees(listed)}</p>}
      {unaccountedCount > 0 && (
        <>
          <p>
            <strong>{t.days.differs(unaccountedCount, listed)}</strong>
          </p>
          <ul>
            {unaccounted.map((file) => (
              <li key={file.path}>
                <Wrapped text={file.path} />: {t.days.problems[file.problem]}
              </li>
            ))}
            {unaccountedCount > unaccounted.length && (
              <li>{t.days.more(unaccountedCount - unaccounted.length)}</li>
            )}
          </ul>
        </>
      )}
      {excluded > 0 && <p class="muted">{t.days.excluded(excluded)}</p>}
    </section>
  );
}
