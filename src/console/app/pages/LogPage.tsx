import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { seconds, instant } from '../format.ts';
import { language, LOG_TEXTS } from '../language.ts';
import { useLivePart, type LogLine } from '../live.ts';
import { Page } from '../parts/Page.tsx';
import { Times } from '../parts/Words.tsx';
import { href, replace, type Route } from '../router.ts';
import { t } from '../texts.ts';
import { Button } from '../parts/Button.tsx';
import { Form, SelectField, TextField } from '../parts/Field.tsx';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
/** Cap on lines shown, which keeps the page fast. */
const SHOWN = 1000;
const NEAR_END = 24;

export function LogPage({ route }: { readonly route: Route }) {
  const level = route.query.get('level') ?? '';
  const match = route.query.get('match') ?? '';
  const live = useLivePart(({ log }) => log);
  const [frozen, setFrozen] = useState<readonly LogLine[] | null>(null);
  const [isFollowing, setFollowing] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const all = frozen ?? live;
  const lines = all.filter((line) => isMeant(line, level, match)).slice(-SHOWN);
  const last = lines.at(-1)?.id;
  const toEnd = () => {
    const element = box.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  };
  useLayoutEffect(() => {
    if (isFollowing) toEnd();
  }, [last, level, match, isFollowing]);
  // Resizing the window moves the end out of view without a scroll event.
  useEffect(() => {
    addEventListener('resize', toEnd);
    return () => removeEventListener('resize', toEnd);
  }, []);
  const set = (change: { level?: string; match?: string }) =>
    replace(href(['log'], { level, match, ...change }));
  const missed = frozen === null ? 0 : live.filter(({ id }) => id > (frozen.at(-1)?.id ?? -1)).length;
  return (
    <Page
      title={t.log.title}
      actions={
        <Button aria-pressed={frozen !== null} onClick={() => setFrozen(frozen === null ? live : null)}>
          {frozen === null ? t.log.pause : t.log.goOn(missed)}
        </Button>
      }
    >
      <Form class="filters log-filters" aria-label={t.log.filters}>
        <SelectField
          id="log-level"
          label={t.log.level}
          value={level}
          options={[
            { value: '', text: t.log.allLevels },
            ...LEVELS.slice(1).map((value) => ({ value, text: t.log.atLeast(value) })),
          ]}
          onValue={(value) => set({ level: value })}
        />
        <TextField
          id="log-match"
          label={t.log.match}
          look="search"
          type="search"
          value={match}
          spellcheck={false}
          onValue={(value) => set({ match: value })}
        />
      </Form>
      <p class="muted" role="status">
        {lines.length === all.length ? t.log.shown(lines.length) : t.log.shownOf(lines.length, all.length)}
      </p>
      <div
        ref={box}
        class="log scroll"
        role="log"
        aria-live="off"
        aria-label={t.log.title}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          setFollowing(scrollHeight - scrollTop - clientHeight < NEAR_END)
        }
      >
        {lines.map((line) => (
          <Line key={line.id} line={line} />
        ))}
      </div>
      {!isFollowing && (
        <Button class="to-end" onClick={() => setFollowing(true)}>
          {t.log.toEnd} ↓
        </Button>
      )}
    </Page>
  );
}

function isMeant(line: LogLine, least: string, match: string): boolean {
  const rank = (name: string) => LEVELS.findIndex((each) => each === name);
  if (least !== '' && rank(line.level) < rank(least)) return false;
  return match === '' || `${wordsOf(line)}\n${line.raw}`.toLowerCase().includes(match.toLowerCase());
}

const EVENTS: Readonly<Partial<Record<string, string>>> = await LOG_TEXTS[language]();

/** In the reader's language; an agent of another version may have other events. */
function wordsOf({ event, message }: LogLine): string {
  return EVENTS[event] ?? message;
}

function Line({ line }: { readonly line: LogLine }) {
  const { at, level, fields } = line;
  return (
    <p class={`log-line ${level}`}>
      <time dateTime={at} title={instant(at)}>
        {seconds(at)}
      </time>{' '}
      <span class="level">{level}</span> <span class="message">{wordsOf(line)}</span>
      {Object.entries(fields)
        .filter(([, value]) => value !== null)
        .map(([key, value]) => (
          <span key={key} class="log-field">
            {' '}
            <span class="log-key">{key}=</span>
            {typeof value === 'string' ? <Times text={value} /> : JSON.stringify(value)}
          </span>
        ))}
    </p>
  );
}
