import { useEffect, useState } from 'preact/hooks';
import { signIn } from './api.ts';
import { reconnectNow, useLivePart } from './live.ts';
import { Foot, LanguageFoot } from './parts/Foot.tsx';
import { Announcer } from './parts/Notice.tsx';
import { Header, LostBanner } from './parts/Header.tsx';
import { ShortcutHelp } from './parts/ShortcutHelp.tsx';
import { later } from './parts/Later.tsx';
import { DocumentPage } from './pages/DocumentPage.tsx';
import { DocumentsPage } from './pages/DocumentsPage.tsx';
import { FoldersPage } from './pages/FoldersPage.tsx';
import { OverviewPage } from './pages/OverviewPage.tsx';
import { SignInPage } from './pages/SignInPage.tsx';
import { Page } from './parts/Page.tsx';
import { href, useRoute, type Route } from './router.ts';
import { t } from './texts.ts';
import { savedTheme, setTheme } from './theme.ts';

setTheme(savedTheme());

// Loaded on demand: not what a day begins with.
const ConfigPage = later(async () => (await import('./pages/ConfigPage.tsx')).ConfigPage);
const DaysPage = later(async () => (await import('./pages/DaysPage.tsx')).DaysPage);
const LogPage = later(async () => (await import('./pages/LogPage.tsx')).LogPage);
const RejectedPage = later(async () => (await import('./pages/RejectedPage.tsx')).RejectedPage);
const ResultsPage = later(async () => (await import('./pages/ResultsPage.tsx')).ResultsPage);
const FolderEdit = later(async () => (await import('./pages/FolderEdit.tsx')).FolderEdit);
const DeliveryEdit = later(async () => (await import('./pages/EndpointForms.tsx')).DeliveryEdit);
const EndpointCreate = later(async () => (await import('./pages/EndpointForms.tsx')).EndpointCreate);
const EndpointEdit = later(async () => (await import('./pages/EndpointForms.tsx')).EndpointEdit);
const EndpointsPage = later(async () => (await import('./pages/EndpointsPage.tsx')).EndpointsPage);
const FleetPage = later(async () => (await import('./pages/FleetPage.tsx')).FleetPage);

export function App() {
  const connection = useLivePart(({ connection }) => connection);
  const [problem, setProblem] = useState<unknown>(null);
  const [started, setStarted] = useState(false);
  const route = useRoute();
  useEffect(() => {
    const begin = async () => {
      setProblem(await start());
      setStarted(true);
      reconnectNow();
    };
    // Opening a new sign-in link in a tab with the console only changes the hash, without loading the page.
    const moved = () => location.hash.startsWith('#token=') && void begin();
    void begin();
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  if (!started) return null;
  if (connection === 'signedOut') {
    return (
      <>
        <SignInPage problem={problem} />
        <LanguageFoot />
        <Announcer />
      </>
    );
  }
  return (
    <>
      <Header route={route} />
      <LostBanner />
      {/* Filters change the query only, and must not lose the focus to the heading. */}
      <div key={route.path.join('/')} class="page">
        <PageOf route={route} />
      </div>
      <Foot />
      <ShortcutHelp />
      <Announcer />
    </>
  );
}

/** Redeems the token of the sign-in link, once. @returns the error, if that failed */
async function start(): Promise<unknown> {
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token === undefined) return null;
  // First of all, remove the token from the address bar and the history.
  history.replaceState(null, '', href([]));
  dispatchEvent(new HashChangeEvent('hashchange'));
  try {
    await signIn({ token: decodeURIComponent(token) });
    return null;
  } catch (error) {
    return error;
  }
}

/** At most 15 digits, which a number represents exactly. */
const DOCUMENT_ID = /^\d{1,15}$/;

function PageOf({ route }: { readonly route: Route }) {
  const [page = '', item, ...rest] = route.path;
  if (rest.length > 0) return <Unknown />;
  switch (page) {
    case '':
      return <OverviewPage />;
    case 'documents':
      if (item === undefined) return <DocumentsPage route={route} />;
      return DOCUMENT_ID.test(item) ? <DocumentPage id={Number(item)} route={route} /> : <Unknown />;
    case 'rejected':
      return <RejectedPage />;
    case 'results':
      return <ResultsPage route={route} />;
    case 'folders':
      if (item === undefined) return <FoldersPage />;
      return <FolderEdit path={item === 'new' ? null : (route.query.get('path') ?? '')} />;
    case 'endpoints':
      if (item === undefined) return <EndpointsPage />;
      if (item === 'new') return <EndpointCreate />;
      return <EndpointEdit alias={route.query.get('alias') ?? ''} />;
    case 'delivery':
      return <DeliveryEdit />;
    case 'days':
      return <DaysPage />;
    case 'fleet':
      return <FleetPage />;
    case 'log':
      return <LogPage route={route} />;
    case 'config':
      return <ConfigPage />;
    default:
      return <Unknown />;
  }
}

function Unknown() {
  return (
    <Page title={t.unknownPage.title}>
      <p>
        {t.unknownPage.text} <a href={href([])}>{t.nav.overview}</a>
      </p>
    </Page>
  );
}
