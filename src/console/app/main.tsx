import { render } from 'preact';
import { App } from './App.tsx';
import { LanguageFoot } from './parts/Foot.tsx';
import { Announcer } from './parts/Notice.tsx';
import { later } from './parts/Later.tsx';

// On a machine without an agent there is this page alone.
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
