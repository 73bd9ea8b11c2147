import { render } from 'preact';
import { App } from './App.tsx';
import { LanguageFoot } from './parts/Foot.tsx';
import { Announcer } from './parts/Notice.tsx';
import { later } from './parts/Later.tsx';

// During setup there may be no agent, so this is the only page.
const SetupPage = later(async () => (await import('./pages/SetupPage.tsx')).SetupPage);
const isSetup = /^#(?:setup=|\/setup$)/.test(location.hash);

const root = document.getElementById('app');
if (root !== null) {
  render(
    isSetup ? (
      <>
        <SetupPage />
        <LanguageFoot />
        <Announcer />
      </>
    ) : (
      <App />
    ),
    root,
  );
}
