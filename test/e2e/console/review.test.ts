import { expect, test } from 'vitest';
import { axeViolations, sideways } from '../../console/app/support/browser.ts';
import { heading, inBrowser, rows, shows } from '../../console/app/support/inBrowser.ts';
import type { Page } from 'playwright-core';

const FOCUSED = 'document.activeElement.textContent.trim()';
const IMAGE = `(() => {
  const { width, height } = document.querySelector('.viewer img').getBoundingClientRect();
  return [Math.round(width), Math.round(height)];
})()`;
const sizeOf = (page: Page) => page.evaluate<[number, number]>(IMAGE);

inBrowser('going through receipts', (here) => {
  const grid = async (options = {}) => {
    const page = await here.browser.open('#/documents', options);
    await shows(page.getByText(/^\d+ shown/));
    await page.getByRole('button', { name: 'Grid' }).click();
    await shows(page.getByRole('list', { name: 'Documents' }));
    return page;
  };

  test('shows a grid of pictures, without accessibility violations in light and dark mode', async () => {
    const { rows: few } = here.stub.agent;
    here.stub.agent.fill();
    const page = await grid();
    expect(await page.locator('.card').count()).toBe(50);
    await shows(page.locator('.card img.thumb').first());
    // Pictures that are not visible yet are not requested.
    expect(await page.locator('.card img.thumb').count()).toBeLessThan(40);
    await page.locator('.card').last().scrollIntoViewIfNeeded();
    await expect.poll(() => page.locator('.card').last().locator('img.thumb, .thumb').count()).toBe(1);
    here.stub.agent.rows = few;
    await page.reload();
    await shows(page.getByRole('list', { name: 'Documents' }));
    await shows(page.locator('.card img.thumb').first());
    expect(await axeViolations(page)).toEqual([]);
  });

  test('fits a phone', async () => {
    const page = await grid({ viewport: { width: 360, height: 740 } });
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
    await page.locator('.card a').first().click();
    await shows(page.getByRole('button', { name: 'Rotate' }));
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
  });

  test('works with keys along the list, through its documents, and back to the same list', async () => {
    here.stub.agent.fill();
    const page = await here.browser.open('#/documents?state=failed');
    await shows(page.getByText(/shown \(all\)/));
    const failed = await rows(page, 'Documents').getByRole('link').allTextContents();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await page.evaluate(FOCUSED)).toBe(failed[1]);
    await page.keyboard.press('k');
    expect(await page.evaluate(FOCUSED)).toBe(failed[0]);
    await page.keyboard.press('Enter');
    await heading(page, String(failed[0]));
    const next = page.getByRole('link', { name: 'Next →' });
    await expect.poll(() => next.getAttribute('href')).toContain('state=failed');
    for (const name of failed.slice(1, 4)) {
      await page.keyboard.press('ArrowRight');
      await heading(page, name);
      await expect.poll(() => next.getAttribute('href')).not.toBeNull();
    }
    await page.keyboard.press('k');
    await heading(page, String(failed[2]));
    await page.getByRole('link', { name: '← Documents' }).click();
    await shows(page.getByText(/shown \(all\)/));
    await page.keyboard.press('/');
    await page.keyboard.type('jk?');
    expect(await page.getByLabel('Search').inputValue()).toBe('jk?');
  });

  test('stops at the first document; help shows the keys, and switches them off', async () => {
    const page = await here.browser.open('#/documents');
    await rows(page, 'Documents').first().getByRole('link').first().click();
    await shows(page.getByRole('link', { name: 'Next →' }));
    const previous = page.getByText('← Previous');
    expect(await previous.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('ArrowLeft');
    expect(await axeViolations(page)).toEqual([]);
    await page.goBack();
    await shows(page.getByText(/shown \(all\)/));
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shows(help);
    expect(await axeViolations(page)).toEqual([]);
    await help.getByLabel('Use these shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    expect(await page.evaluate(FOCUSED)).toBe('Documents');
    await page.keyboard.press('?');
    await help.getByLabel('Use these shortcuts').check();
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    expect(await page.evaluate(FOCUSED)).toMatch(/^scan_/);
  });

  test('enlarges and turns an image, and fits it again, by buttons and by keys', async () => {
    const row = here.stub.agent.rows.find(({ type, state }) => state === 'accepted' && type === 'jpeg');
    const page = await here.browser.open(`#/documents/${row?.documentId}`);
    await page.locator('.viewer img').waitFor();
    await expect.poll(async () => (await sizeOf(page))[0]).toBeGreaterThan(0);
    const whole = await sizeOf(page);
    await page.getByRole('button', { name: 'Enlarge' }).click();
    await expect.poll(async () => (await sizeOf(page))[0]).toBeGreaterThan(whole[0] * 1.3);
    await page.keyboard.press('0');
    await expect.poll(() => sizeOf(page)).toEqual(whole);
    await page.keyboard.press('r');
    await expect
      .poll(async () => {
        const [width, height] = await sizeOf(page);
        return width / height;
      })
      .toBeCloseTo(whole[1] / whole[0], 1);
    await page.getByRole('button', { name: 'Full width' }).click();
    const box = await page.locator('.viewer-box').evaluate((it: object) => Reflect.get(it, 'clientWidth'));
    await expect.poll(async () => Math.abs((await sizeOf(page))[0] - Number(box))).toBeLessThan(3);
    // In an enlarged image, arrow keys move the image instead of the document.
    await page.keyboard.press('+');
    await page.locator('.viewer-box').focus();
    await page.keyboard.press('ArrowRight');
    await heading(page, String(row?.name));
  });

  test('shows in the tab title of every page how many problems need a person', async () => {
    const page = await here.browser.open('#/log');
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Log – receiptd$/);
    const { agent } = here.stub;
    agent.rows = agent.rows.filter(({ state }) => state !== 'failed');
    here.stub.changed();
    await expect.poll(() => page.title()).toBe('Log – receiptd');
  });
});
