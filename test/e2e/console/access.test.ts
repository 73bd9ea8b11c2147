import { expect, test } from 'vitest';
import { axeViolations } from '../../console/app/support/browser.ts';
import { heading, inBrowser, rows, shows } from '../../console/app/support/inBrowser.ts';

inBrowser('the console for everybody', (here) => {
  test('has no accessibility violation in rarely shown parts of pages', async () => {
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
    await page.getByRole('button', { name: 'Remove /srv/scans/branch' }).click();
    await shows(page.getByRole('dialog'));
    await check('dialog');
    expect(found).toEqual([]);
  });

  test('has no accessibility violation when nobody is signed in', async () => {
    const page = await here.browser.blank();
    here.stub.setPassword(true);
    await page.goto(here.stub.url);
    await shows(page.getByLabel('Password'));
    here.stub.setPassword(false);
    expect(await axeViolations(page)).toEqual([]);
  });

  test('shows the current page on a phone', async () => {
    const page = await here.browser.open('#/config', { viewport: { width: 360, height: 740 } });
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

  test('keeps the focus in a dialog, and returns it afterwards', async () => {
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
});
