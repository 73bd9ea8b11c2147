import { useEffect, useState } from 'preact/hooks';
import type { Response } from '../../../control/protocol/protocol.ts';
import { call } from '../api.ts';
import { moment } from '../format.ts';
import { useOverview } from '../live.ts';
import { Button } from '../parts/Button.tsx';
import { useAct } from '../parts/hooks.ts';
import { Icon } from '../parts/Icon.tsx';
import { Failure } from '../parts/Notice.tsx';
import { Section } from '../parts/Page.tsx';
import { Wrapped } from '../parts/Wrapped.tsx';
import { Details } from '../parts/Explanations.tsx';
import { t } from '../texts.ts';
import { told } from '../explanations.ts';

type Compared = Response<'compareFolder'>;

interface Comparing {
  /** The last result of each folder. */
  readonly results: ReadonlyMap<string, Compared>;
  /** The folder that is being compared. */
  readonly running: string | null;
}

/** All pages share the results, because each comparison reads a whole folder. */
let comparing: Comparing = { results: new Map(), running: null };
const listeners = new Set<() => void>();
/** When each folder was last looked at, whether that succeeded or not. */
const triedAt = new Map<string, number>();

function change(next: Partial<Comparing>): void {
  comparing = { ...comparing, ...next };
  for (const listener of listeners) listener();
}

/** Compares one folder after another; one that fails keeps none of the others back. @throws as `call`; `withinMs` is for each */
export async function compare(folders: readonly string[], withinMs?: number): Promise<void> {
  if (comparing.running !== null) return;
  const errors: unknown[] = [];
  for (const folder of folders) {
    change({ running: folder });
    triedAt.set(folder, Date.now());
    const patience = withinMs === undefined ? undefined : AbortSignal.timeout(withinMs);
    try {
      const found = await call('compareFolder', { folder }, patience);
      change({ results: new Map(comparing.results).set(folder, found) });
    } catch (error) {
      errors.push(error);
    }
  }
  change({ running: null });
  if (errors.length > 0) throw errors[0];
}

export function useComparing(): Comparing {
  const [shown, setShown] = useState(comparing);
  useEffect(() => {
    const changed = () => setShown(comparing);
    changed();
    listeners.add(changed);
    return () => void listeners.delete(changed);
  }, []);
  return shown;
}

/** Files that the latest comparisons could not match with the ledger, in all folders. */
export function useUnmatched(): number {
  const isFresh = ({ at }: Compared) => Date.now() - Date.parse(at) < FRESH_MS;
  const latest = [...useComparing().results.values()].filter(isFresh);
  return latest.reduce((sum, each) => sum + each.unaccountedCount, 0);
}

const MOST_ALONE = 5;
const PATIENCE_MS = 10_000;
const FRESH_MS = 5 * 60_000;

/** Compares a few folders without being asked, unless that was done a short while ago; then those that differed, again and again. */
export function useComparison(folders: readonly string[]): void {
  useEffect(() => {
    if (folders.length > MOST_ALONE) return;
    // If it fails or takes too long, a button remains: a slow share is not listed again whenever somebody opens the page.
    const stale = folders.filter((folder) => Date.now() - (triedAt.get(folder) ?? -Infinity) >= FRESH_MS);
    if (stale.length > 0) compare(stale, PATIENCE_MS).catch(() => {});
    const timer = setInterval(() => {
      const differ = folders.filter((folder) => (comparing.results.get(folder)?.unaccountedCount ?? 0) > 0);
      compare(differ, PATIENCE_MS).catch(() => {});
    }, FRESH_MS);
    return () => clearInterval(timer);
  }, [folders.join('\n')]);
}

export function CompareButton({ folders }: { readonly folders: readonly string[] }) {
  const isBusy = useComparing().running !== null;
  const act = useAct();
  return (
    <>
      <Button disabled={isBusy || folders.length === 0} onClick={() => void act.run(() => compare(folders))}>
        {isBusy ? t.days.comparing : t.days.compare}
      </Button>
      <Failure error={act.error} />
    </>
  );
}

/** What was found in a folder, in short. */
export function InFolder({ folder }: { readonly folder: string }) {
  const { results, running } = useComparing();
  const found = results.get(folder);
  if (found === undefined)
    return <span class="muted">{running === folder ? t.days.comparing : t.days.notCompared}</span>;
  const isWhole = found.notLookedAt.length === 0;
  return (
    <>
      {isWhole && found.unaccountedCount === 0 ? (
        <span class="ok">
          <Icon name="check" /> {t.days.allKnown(found.listed)}
        </span>
      ) : (
        <details class="folded">
          <summary class={found.unaccountedCount > 0 ? 'needs' : ''}>
            {found.unaccountedCount > 0
              ? t.days.unmatched(found.unaccountedCount, found.listed)
              : t.days.notCompared}
          </summary>
          <Differences path={folder} found={found} />
        </details>
      )}{' '}
      <span class="muted small">{moment(found.at)}</span>
    </>
  );
}

/** Compares the files in each folder with the ledger. */
export function Comparisons() {
  const folders = (useOverview()?.status.folders ?? []).map(({ path }) => path);
  const { results } = useComparing();
  return (
    <Section title={t.days.now} id="comparison" actions={<CompareButton folders={folders} />}>
      <p class="muted">{t.days.nowMeans}</p>
      <div aria-live="polite">
        {folders.map((path) => {
          const found = results.get(path);
          return found && <Comparison key={path} path={path} found={found} />;
        })}
      </div>
    </Section>
  );
}

function Comparison({ path, found }: { readonly path: string; readonly found: Compared }) {
  const { at, listed, excluded, unaccountedCount, notLookedAt } = found;
  return (
    <section class="comparison" aria-label={path}>
      <h3>
        <Wrapped text={path} /> <span class="muted small">{moment(at)}</span>
      </h3>
      {notLookedAt.length === 0 && unaccountedCount === 0 && <p>{t.days.agrees(listed)}</p>}
      {unaccountedCount > 0 && (
        <p>
          <strong>{t.days.differs(unaccountedCount, listed)}</strong>
        </p>
      )}
      <Differences path={path} found={found} />
      {excluded > 0 && <p class="muted">{t.days.excluded(excluded)}</p>}
    </section>
  );
}

function Differences({ path, found }: { readonly path: string; readonly found: Compared }) {
  const { unaccounted, unaccountedCount, notLookedAt } = found;
  return (
    <>
      {notLookedAt.map((each) => (
        <div key={each.path}>
          <Wrapped text={each.path === '' ? path : each.path} />: {t.days.notCompared}
          <Details text={told(each)} />
        </div>
      ))}
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
  );
}
