import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { axeViolations, sideways } from '../../console/app/support/browser.ts';
import { heading, inBrowser, rows, shows } from '../../console/app/support/inBrowser.ts';

/** Every page, and what has to be there before it is looked at. */
const PAGES: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  '#/': (page) => page.getByRole('img', { name: /^Last hour: 95/ }).waitFor(),
  '#/documents': (page) => page.getByRole('link', { name: 'Next page' }).waitFor(),
  '#/days?span=month': (page) => rows(page, 'Files by folder').first().waitFor(),
  '#/rejected': (page) => heading(page, 'Files not sent'),
  '#/results': (page) => rows(page, 'Results').first().waitFor(),
  '#/folders': (page) => rows(page, 'Folders').first().waitFor(),
  '#/folders/new': (page) => page.getByLabel('Path').waitFor(),
  '#/endpoints': (page) => rows(page, 'Endpoints known here').first().waitFor(),
  '#/endpoints/new': (page) => page.getByLabel('Name here').waitFor(),
  '#/endpoints/edit?alias=office': (page) => page.getByLabel('Rate').waitFor(),
  '#/delivery': (page) => page.getByLabel('Bandwidth').waitFor(),
  '#/log': (page) => heading(page, 'Log'),
  '#/config': (page) => page.getByRole('link', { name: 'Alerts' }).waitFor(),
  '#/config/alerts': (page) => page.getByRole('button', { name: 'Send a test Mail' }).waitFor(),
  '#/config/storage': (page) => page.getByLabel('Most space for copies').waitFor(),
  '#/config/service': (page) => page.getByText('service.baseUrl').waitFor(),
  '#/config/machine': (page) => page.getByText('ledger.kind').waitFor(),
  '#/config/file': (page) => page.getByText('baseUrl:').waitFor(),
};

async function goTo(page: Page, place: string): Promise<void> {
  await page.goto(new URL(place, page.url()).href);
  await PAGES[place]?.(page);
}

inBrowser('the console for everybody', (here) => {
  const documentPage = () =>
    `#/documents/${here.stub.agent.rows.find(({ state }) => state === 'failed')?.documentId}`;

  test('has no accessibility violation on any page, in light and in dark', async () => {
    here.stub.agent.paused.add('branch');
    here.stub.agent.held = 7;
    here.stub.agent.mailPassword = 'missing';
    here.stub.log('warn', 'The service is slow', { url: 'https://receipts.example.com' });
    here.stub.log('error', 'A folder cannot be reached');
    const page = await here.browser.open('#/');
    const found: string[] = [];
    const check = async (what: string) =>
      found.push(...(await axeViolations(page)).map((violation) => `${what}: ${violation}`));
    for (const place of Object.keys(PAGES)) {
      await goTo(page, place);
      await check(place);
    }
    await goTo(page, documentPage());
    await shows(page.getByText('What happened'));
    await check('document');
    await page.goto(new URL('#/folders', page.url()).href);
    await page.getByRole('button', { name: 'Test /srv/scans/branch' }).click();
    await shows(rows(page, 'Names files would get').first());
    await check('folder test');
    await page.getByRole('button', { name: 'Remove /srv/scans/branch' }).click();
    await shows(page.getByRole('dialog'));
    await check('dialog');
    expect(found).toEqual([]);
  });

  test('nor where nobody is signed in', async () => {
    const page = await here.browser.blank();
    here.stub.setPassword(true);
    await page.goto(here.stub.url);
    await shows(page.getByLabel('Password'));
    here.stub.setPassword(false);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('fits a phone: no page scrolls sideways, none has a violation there', async () => {
    const page = await here.browser.open('#/', { viewport: { width: 360, height: 740 } });
    const wide: Record<string, unknown> = {};
    for (const place of [...Object.keys(PAGES), documentPage()]) {
      await goTo(page, place);
      const { by, what } = await sideways(page);
      if (by > 0 || what !== '') wide[place] = { by, what };
    }
    expect(wide).toEqual({});
    await goTo(page, '#/documents');
    expect(await axeViolations(page)).toEqual([]);
    // The page one is on can be seen among the others.
    await goTo(page, '#/config');
    const box = await page.getByRole('link', { name: 'Settings' }).boundingBox();
    expect((box?.x ?? 999) + (box?.width ?? 0)).toBeLessThanOrEqual(361);
  });

  test('light and dark follow the system until a person chooses, and the choice stays', async () => {
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

  test('works by keyboard alone, and the focus is always somewhere that can be seen', async () => {
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
    // A new page is told by its heading.
    expect(await focused()).toBe('Overview');
    await tabTo(/^Skip to the content$/).catch(async () => {
      await page.evaluate('document.activeElement.blur()');
      await tabTo(/^Skip to the content$/);
    });
    await tabTo(/^Documents$/);
    await page.keyboard.press('Enter');
    await heading(page, 'Documents');
    await expect.poll(focused).toBe('Documents');
    expect(await page.title()).toMatch(/^\(\d+\) Documents – receiptd$/);
    await shows(page.getByText('50 shown.'));
    await tabTo(/^scan_\d+-/);
    await page.keyboard.press('Enter');
    await shows(page.getByText('What happened'));
    const name = await focused();
    expect(name).toMatch(/^scan_\d+-/);
    await page.goBack();
    await heading(page, 'Documents');
    // Typing in a filter must not lose the focus to the heading.
    await page.getByLabel('Search').focus();
    await page.keyboard.type('Beleg');
    await page.waitForURL(/search=Beleg/);
    await page.keyboard.type(' M');
    await page.waitForURL(/search=Beleg\+M/);
    expect(await page.getByLabel('Search').inputValue()).toBe('Beleg M');
  });

  test('a dialog keeps the focus, and gives it back', async () => {
    const page = await here.browser.open('#/folders');
    const button = page.getByRole('button', { name: 'Remove /srv/scans/branch' });
    await button.focus();
    await page.keyboard.press('Space');
    await shows(page.getByRole('dialog'));
    const isInside = () => page.evaluate<boolean>("document.activeElement.closest('dialog') !== null");
    expect(await isInside()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(
      await button.evaluate((it: object) => it === Reflect.get(globalThis, 'document').activeElement),
    ).toBe(true);
  });

  test('asks nothing of any other machine, on any page', async () => {
    const page = await here.browser.open('#/');
    for (const place of [...Object.keys(PAGES), documentPage()]) await goTo(page, place);
    const hosts = new Set(
      here.browser.requests.filter((url) => !url.startsWith('blob:')).map((url) => new URL(url).host),
    );
    expect([...hosts]).toEqual([new URL(here.stub.url).host]);
  });
});
