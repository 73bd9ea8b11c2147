import { expect, test } from 'vitest';
import { axeViolations } from '../../console/app/support/browser.ts';
import { heading, inBrowser, rows, shows } from '../../console/app/support/inBrowser.ts';
import { PASSWORD } from '../../console/app/support/stubService.ts';
import { ERROR_CODES, ReceiptdError } from '../../../src/core/domain/errors.ts';
import { OF_PROBLEMS } from '../../../src/texts/codes.ts';

inBrowser('the console for everybody', (here) => {
  test('has no accessibility violation in rarely shown parts of pages, keeps the focus in a dialog and returns it, and shows the current page on a phone', async () => {
    here.stub.agent.paused.add('branch');
    here.stub.agent.held = 7;
    here.stub.agent.mailPassword = 'missing';
    const page = await here.browser.open('#/');
    const found: string[] = [];
    const check = async (what: string) =>
      found.push(...(await axeViolations(page)).map((violation) => `${what}: ${violation}`));
    await page.getByRole('img', { name: /^Last hour: at worst, 95/ }).waitFor();
    await check('overview');
    await page.goto(new URL('#/config/alerts', page.url()).href);
    await page.getByRole('button', { name: 'Send a test Mail' }).waitFor();
    await check('alerts');
    await page.goto(new URL('#/folders', page.url()).href);
    await page.getByRole('button', { name: 'Test /srv/scans/branch' }).click();
    await shows(rows(page, 'Names files would get').first());
    await check('folder test');
    const button = page.getByRole('button', { name: 'Remove /srv/scans/branch' });
    await button.focus();
    await page.keyboard.press('Space');
    await shows(page.getByRole('dialog'));
    expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true);
    await check('dialog');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(
      await button.evaluate((it: object) => it === Reflect.get(globalThis, 'document').activeElement),
    ).toBe(true);
    expect(found).toEqual([]);

    // The navigation scrolls to the current page.
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(new URL('#/config', page.url()).href);
    await heading(page, 'Settings');
    const box = await page.getByRole('link', { name: 'Settings' }).boundingBox();
    expect((box?.x ?? 999) + (box?.width ?? 0)).toBeLessThanOrEqual(361);
  });

  test('follows the colour scheme of the system until a person chooses, and keeps the choice', async () => {
    const page = await here.browser.open('#/', { colorScheme: 'dark' });
    const ground = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const isDark = async () => Number(/\d+/.exec(await ground())?.[0]) < 60;
    expect(await isDark()).toBe(true);
    await page.getByRole('button', { name: 'Colours: system setting' }).click();
    await shows(page.getByRole('button', { name: 'Colours: light' }));
    expect(await isDark()).toBe(false);
    await page.reload();
    await page.getByRole('button', { name: 'Colours: light' }).click();
    expect(await isDark()).toBe(true);
    await page.getByRole('button', { name: 'Colours: dark' }).click();
    await shows(page.getByRole('button', { name: 'Colours: system setting' }));
  });

  test('works by keyboard alone, with an always visible focus', async () => {
    const page = await here.browser.open('#/');
    const focused = () =>
      page.evaluate<string>(`(() => {
        const at = document.activeElement;
        return at === null || at === document.body ? '' : at.getAttribute('aria-label') ?? at.textContent.trim();
      })()`);
    const outline = () => page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
    const tabTo = async (wanted: RegExp) => {
      for (let steps = 0; steps < 80; steps += 1) {
        await page.keyboard.press('Tab');
        if (!wanted.test(await focused())) continue;
        if ((await outline()) === 'none') throw new Error(`${String(wanted)} has the focus unseen`);
        return;
      }
      throw new Error(`${String(wanted)} is not reached by the Tab key`);
    };
    // The heading announces a new page.
    expect(await focused()).toMatch(/^Today /);
    await tabTo(/^Skip to the content$/).catch(async () => {
      await page.evaluate('document.activeElement.blur()');
      await tabTo(/^Skip to the content$/);
    });
    await tabTo(/^Documents$/);
    await page.keyboard.press('Enter');
    await heading(page, 'Documents');
    await expect.poll(focused).toBe('Documents');
    expect(await page.title()).toMatch(/^\(\d+\) Documents – receiptd$/);
    await shows(page.getByText(/shown \(all\)/));
    await tabTo(/^scan_\d+-/);
    await page.keyboard.press('Enter');
    await shows(page.getByText('What happened'));
    const name = await focused();
    expect(name).toMatch(/^scan_\d+-/);
    await page.goBack();
    await heading(page, 'Documents');
    // Typing in a filter must not move the focus to the heading.
    await page.getByLabel('Search').focus();
    await page.keyboard.type('Beleg');
    await page.waitForURL(/search=Beleg/);
    await page.keyboard.type(' M');
    await page.waitForURL(/search=Beleg\+M/);
    expect(await page.getByLabel('Search').inputValue()).toBe('Beleg M');
  });

  const languageOf = (page: { evaluate: <T>(script: string) => Promise<T> }) =>
    page.evaluate<string>('document.documentElement.lang');

  test('its languages follow the browser’s language, including dates and numbers, and fall back to English', async () => {
    const { agent } = here.stub;
    agent.fill();
    const accepted = agent.rows.filter(({ state }) => state === 'accepted').length;
    expect(accepted).toBeGreaterThan(1000);
    const german = await here.browser.open('#/', { locale: 'de-DE' });
    await heading(german, 'Heute');
    await german.getByText('Für Administratoren').click();
    expect(await languageOf(german)).toBe('de');
    await shows(german.getByRole('link', { name: accepted.toLocaleString('de-DE'), exact: true }).first());
    const { documentId } = agent.rows.find(({ state }) => state === 'accepted') ?? {};
    await german.goto(`${here.stub.url}/#/documents/${documentId}`);
    await shows(german.getByText(/^\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d$/).first());
    const french = await here.browser.open('#/', { locale: 'fr-FR' });
    await heading(french, 'Today');
    expect(await languageOf(french)).toBe('en');
  });

  test('German pages fold sentences of the agent away', async () => {
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
    stub.fail('resume', new ReceiptdError({ code: 'DISK_FULL', message: mark, hint: mark }));
    await page.getByRole('button', { name: 'office fortsetzen' }).click();
    const alert = page.getByRole('alert');
    await shows(alert.getByText('Die Platte ist voll.'));
    expect(await visible()).toEqual([]);
    await alert.getByText('Einzelheiten').click();
    await shows(alert.getByText(mark));
  });

  // Last, because it ends all sessions.
  test('a session begins with a link, whose token works once, or with the password if one is set; after it ended, here or elsewhere, no data is visible', async () => {
    const { stub, browser } = here;
    const stranger = await browser.blank();
    await stranger.goto(`${stub.url}/#/documents`);
    await heading(stranger, 'You are not signed in');
    await shows(stranger.getByText('receiptd console', { exact: true }));
    expect(await stranger.getByLabel('Password').count()).toBe(0);

    const link = await stub.link();
    const page = await browser.blank();
    await page.goto(link);
    await heading(page, 'Today');
    expect(page.url()).toBe(`${stub.url}/#/`);
    // In an open tab, only the part of the address after the # changes.
    await stranger.goto(link);
    await shows(stranger.getByText('This link has already been used'));
    expect(stranger.url()).not.toContain('token');

    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'You are not signed in');
    expect(await page.getByText('/srv/scans').count()).toBe(0);
    stub.setPassword(true);
    await page.goto(`${stub.url}/#/folders`);
    await page.reload();
    await shows(page.getByLabel('Password'));
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await shows(page.getByText('Wrong password.'));
    await page.getByLabel('Language').selectOption('Deutsch');
    await heading(page, 'Sie sind nicht angemeldet');
    await page.getByLabel('Passwort').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await heading(page, 'Ordner');
    await page.reload();
    await heading(page, 'Ordner');
    await page.getByLabel('Sprache').selectOption('English');
    await heading(page, 'Folders');
    stub.setPassword(false);
    stub.forgetSessions();
    await page.getByRole('link', { name: 'Settings' }).click();
    await heading(page, 'You are not signed in');
  });
});
