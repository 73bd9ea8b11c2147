import { OF_PROBLEMS } from '../../../src/texts/codes.ts';
import { expect, test } from 'vitest';
import { heading, inBrowser, shows } from '../../console/app/support/inBrowser.ts';
import { ERROR_CODES, ReceiptdError } from '../../../src/core/domain/errors.ts';
import { PASSWORD } from '../../console/app/support/stubService.ts';

inBrowser('the languages of the console', (here) => {
  const languageOf = (page: { evaluate: <T>(script: string) => Promise<T> }) =>
    page.evaluate<string>('document.documentElement.lang');

  test('follow the browser’s language, including dates and numbers, and fall back to English', async () => {
    here.stub.agent.fill();
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

  test('fold sentences of the agent away on German pages', async () => {
    const { stub } = here;
    const { agent } = stub;
    const mark = 'Said in English';
    const since = new Date().toISOString();
    const ofErrors = ERROR_CODES.filter((code) => !OF_PROBLEMS.some((each) => each === code));
    agent.incidents = ofErrors.map((code) => ({
      key: code,
      code,
      params: { detail: `${mark}: ${code}.` },
      since,
    }));
    agent.held = 3;
    agent.paused.add('office');
    agent.notes = [{ text: mark, about: { kind: 'hours', until: since } }];
    agent.problem = mark;
    agent.rows = agent.rows.map((row, index) => ({
      ...row,
      needsPerson: row.needsPerson || row.state === 'rejected',
      message: `${mark}: "{"message":"zu dunkel"}".`,
      reason: row.reason ?? (index % 2 === 0 ? 'HTTP_400' : 'NEVER_HEARD_OF'),
    }));
    agent.tested = [{ channel: 'webhook', problem: mark }];
    const failed = agent.rows.find(({ state }) => state === 'failed')?.documentId;
    const places = [
      '',
      'documents',
      `documents/${failed}`,
      'rejected',
      'folders',
      'endpoints',
      'config',
      'config/alerts',
    ];
    const page = await here.browser.open('#/', { locale: 'de-DE' });
    const visible = () => page.getByText(mark).filter({ visible: true }).allTextContents();
    for (const place of places) {
      await page.goto(`${stub.url}/#/${place}`);
      await expect.poll(() => page.locator('main .loading').count()).toBe(0);
      const content = page.locator('main').locator('table, dl, .cards, .tests, .troubles');
      await content.filter({ visible: true }).first().waitFor();
      expect([place, await visible()]).toEqual([place, []]);
    }
    await page.getByRole('button', { name: /^Probe senden/ }).click();
    await shows(page.getByText('Nicht zugestellt.'));
    expect(await visible()).toEqual([]);
    await page.goto(`${stub.url}/#/`);
    stub.fail('resume', new ReceiptdError('DISK_FULL', mark, { hint: mark }));
    await page.getByRole('button', { name: 'office fortsetzen' }).click();
    const alert = page.getByRole('alert');
    await shows(alert.getByText('Die Platte ist voll.'));
    expect(await visible()).toEqual([]);
    await alert.getByText('Einzelheiten').click();
    await shows(alert.getByText(mark));
  });

  test('keep a chosen language, even on the sign-in page', async () => {
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
