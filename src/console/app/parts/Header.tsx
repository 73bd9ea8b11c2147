import { useEffect, useRef, useState } from 'preact/hooks';
import { signOut } from '../api.ts';
import { moment } from '../format.ts';
import { forget, reconnectNow, useLivePart } from '../live.ts';
import { href, type Route } from '../router.ts';
import { t } from '../texts.ts';
import { THEMES, savedTheme, setTheme } from '../theme.ts';
import { useAct } from './hooks.ts';
import { Icon, type IconName } from './Icon.tsx';
import { Failure, Notice } from './Notice.tsx';
import { Button } from './Button.tsx';
import { PauseAll } from './PauseAll.tsx';

const PAGES = ['overview', 'documents', 'days', 'folders', 'endpoints', 'fleet', 'log', 'config'] as const;

export function Header({ route }: { readonly route: Route }) {
  const [page = 'overview'] = route.path;
  const here =
    page === 'delivery' ? 'endpoints' : page === 'results' || page === 'rejected' ? 'documents' : page;
  const isShared = useLivePart(({ overview }) => overview?.shared);
  const act = useAct();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone, not all links fit.
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [here, isShared]);
  return (
    <header class="top">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // Don't change the hash, which holds the current page.
          event.preventDefault();
          document.querySelector<HTMLElement>('main h1')?.focus();
        }}
      >
        {t.nav.skip}
      </a>
      <a class="brand" href={href([])} aria-label={t.nav.home}>
        <img src="/icon.svg" alt="" width={22} height={22} />
        <span>{t.product}</span>
      </a>
      <nav ref={nav} aria-label={t.nav.label}>
        <ul>
          {PAGES.filter((name) => name !== 'fleet' || isShared).map((name) => (
            <li key={name}>
              <a
                href={href(name === 'overview' ? [] : [name])}
                aria-current={name === here ? 'page' : undefined}
              >
                {t.nav[name]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="tools">
        <PauseAll />
        <ConnectionState />
        <ThemeButton />
        <Button
          class="quiet"
          disabled={act.busy}
          onClick={() =>
            void act.run(async () => {
              await signOut();
              forget();
            })
          }
        >
          {t.nav.signOut}
        </Button>
      </div>
      <Failure error={act.error} />
    </header>
  );
}

function ConnectionState() {
  const connection = useLivePart(({ connection }) => connection);
  return (
    <span class={`connection ${connection}`} role="status">
      <span class="dot" aria-hidden="true" />
      {t.connection[connection]}
    </span>
  );
}

const THEME_ICONS: Readonly<Record<(typeof THEMES)[number], IconName>> = {
  auto: 'theme',
  light: 'sun',
  dark: 'moon',
};

function ThemeButton() {
  const [theme, setShown] = useState(savedTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
  return (
    <Button
      class="quiet square"
      aria-label={t.theme.button(t.theme[theme])}
      title={t.theme.button(t.theme[theme])}
      onClick={() => {
        setTheme(next);
        setShown(next);
      }}
    >
      <Icon name={THEME_ICONS[theme]} />
    </Button>
  );
}

/** Warns that the page may be out of date. */
export function LostBanner() {
  const lostAt = useLivePart(({ lostAt }) => lostAt);
  if (lostAt === null) return null;
  return (
    <div class="banner">
      <Notice tone="bad" urgent actions={<Button onClick={reconnectNow}>{t.connection.tryNow}</Button>}>
        <p>{t.connection.lostSince(moment(lostAt))}</p>
      </Notice>
    </div>
  );
}
