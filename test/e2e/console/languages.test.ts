import { expect, test } from 'vitest';
import { heading, inBrowser, shows } from '../../console/app/support/inBrowser.ts';
import { PASSWORD } from '../../console/app/support/stubService.ts';

inBrowser('the languages of the console', (here) => {
  const languageOf = (page: { evaluate: <T>(script: string) => Promise<T> }) =>
    page.evaluate<string>('document.documentElement.lang');

  test('the browser’s language is spoken, dates and numbers included, and English where it is unknown', async () => {
    await here.browser.open('#/');
    const german = await here.browser.open('#/documents', { locale: 'de-DE' });
    await heading(german, 'Belege');
    expect(await languageOf(german)).toBe('de');
    await shows(german.getByText(/1\.200 insgesamt\./));
    const { documentId } = here.stub.agent.rows.find(({ state }) => state === 'accepted') ?? {};
    await german.goto(`${here.stub.url}/#/documents/${documentId}`);
    await shows(german.getByText(/^\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d$/).first());
    const french = await here.browser.open('#/', { locale: 'fr-FR' });
    await heading(french, 'Overview');
    expect(await languageOf(french)).toBe('en');
  });

  test('a language chosen by hand stays, on the page of signing in as well', async () => {
    here.stub.setPassword(true);
    const page = await here.browser.blank();
    await page.goto(here.stub.url);
    await heading(page, 'You are not signed in');
    await page.getByLabel('Language').selectOption('Deutsch');
    await heading(page, 'Sie sind nicht angemeldet');
    await page.getByLabel('Passwort').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await heading(page, 'Übersicht');
    await page.reload();
    await heading(page, 'Übersicht');
    await page.getByLabel('Sprache').selectOption('English');
    await heading(page, 'Overview');
    here.stub.setPassword(false);
  });
});
