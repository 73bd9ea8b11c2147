import { expect, test } from 'vitest';
import { axeViolations, sideways } from '../../console/app/support/browser.ts';
import { announced, heading, inBrowser, rows, shows } from '../../console/app/support/inBrowser.ts';
import type { Page } from 'playwright-core';

const FOCUSED = 'document.activeElement.textContent.trim()';
const IMAGE = `(() => {
  const { width, height } = document.querySelector('.viewer img').getBoundingClientRect();
  return [Math.round(width), Math.round(height)];
})()`;
const sizeOf = (page: Page) => page.evaluate<[number, number]>(IMAGE);

inBrowser('going through receipts', (here) => {
  test('shows a grid of pictures, which are requested when they come into view', async () => {
    here.stub.agent.fill();
    const page = await here.browser.open('#/documents');
    await shows(page.getByText(/^\d+ shown/));
    await page.getByRole('button', { name: 'Grid' }).click();
    await shows(page.getByRole('list', { name: 'Documents' }));
    expect(await page.locator('.card').count()).toBe(50);
    await shows(page.locator('.card img.thumb').first());
    // Pictures that are not visible yet are not requested.
    expect(await page.locator('.card img.thumb').count()).toBeLessThan(40);
    await page.locator('.card').last().scrollIntoViewIfNeeded();
    await expect.poll(() => page.locator('.card').last().locator('img.thumb, .thumb').count()).toBe(1);
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

  const asked = () =>
    here.stub.agent.asked.filter(({ operation }) => operation === 'actOnMany').map(({ request }) => request);
  const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });
  const idsOf = (state: string) =>
    here.stub.agent.rows.filter((row) => row.state === state).flatMap((row) => row.documentId ?? []);

  test('sends the selected documents again, by keyboard alone', async () => {
    here.stub.agent.fill();
    const ids = idsOf('failed');
    const page = await here.browser.open('#/documents?state=failed');
    await shows(page.getByText(/shown \(all\)/));
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await shows(bar(page).getByText('2 selected'));
    await bar(page).getByRole('button', { name: 'Send 2 again …' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Send 2 documents again?' }).waitFor();
    expect(asked()).toEqual([]);
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
    await announced(page, 'Queued again: 2 documents.');
    await bar(page).waitFor({ state: 'detached' });
    expect(asked()).toEqual([{ act: 'retry', documents: ids.slice(0, 2), files: [] }]);
  });

  test('shows how many of the selected documents each act concerns', async () => {
    here.stub.agent.fill();
    const page = await here.browser.open('#/documents');
    await shows(page.getByText('50 shown.'));
    await page.getByRole('button', { name: 'Select these 50' }).click();
    await shows(bar(page).getByText('50 selected'));
    const shown = here.stub.agent.rows.slice(0, 50);
    const accepted = shown.filter(({ state }) => state === 'accepted').length;
    const images = shown.filter(({ documentId, fileId }) => documentId !== null && fileId === null);
    const undecided = shown.filter(({ state }) => ['failed', 'unconfirmed', 'lost'].includes(state)).length;
    expect(undecided).toBeGreaterThan(0);
    const zip = bar(page).getByRole('link', { name: `Download ${images.length} images (ZIP)` });
    const ids = images.map(({ documentId }) => documentId).join(',');
    expect(await zip.getAttribute('href')).toBe(
      `/v1/documents.zip?ids=${ids}&timeZone=Europe%2FBerlin&language=en`,
    );
    // Documents are sent again only after an explanation.
    await bar(page)
      .getByRole('button', { name: `Send ${accepted + undecided} again …` })
      .click();
    // What was sent is sent once more only if a person chooses that.
    const dialog = page.getByRole('dialog');
    await shows(dialog.getByRole('button', { name: `Send ${undecided} again` }));
    await dialog.getByLabel(`All ${accepted + undecided}`).check();
    await shows(dialog.getByRole('button', { name: `Send ${accepted + undecided} again` }));
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(asked()).toEqual([]);
    await bar(page).getByRole('button', { name: 'Select none' }).click();
    await bar(page).waitFor({ state: 'detached' });
    // The next page keeps the selection; another list starts with none.
    await page.getByRole('button', { name: 'Select these 50' }).click();
    await page.getByRole('link', { name: 'Next page' }).click();
    await shows(page.getByRole('link', { name: 'First page' }));
    await shows(bar(page).getByText('50 selected'));
    await page.getByLabel('Search').fill('Beleg');
    await bar(page).waitFor({ state: 'detached' });
  });

  test('dismisses everything that a filter lists, and undoes exactly that', async () => {
    const { agent } = here.stub;
    agent.fill();
    const needed = () => agent.rows.filter(({ needsPerson }) => needsPerson).length;
    const before = needed();
    const page = await here.browser.open('#/documents?attention=needed');
    await shows(page.getByText('50 shown.').or(page.getByText(/shown \(all\)/)));
    await page.locator('tbody input[type=checkbox]').first().check();
    const all = bar(page).getByRole('button', { name: /^Select all / });
    if ((await all.count()) > 0) await all.click();
    else await page.getByRole('button', { name: /^Select these/ }).click();
    await bar(page)
      .getByRole('button', { name: `Dismiss ${before}` })
      .click();
    const dialog = page.getByRole('dialog');
    if ((await dialog.count()) > 0) await dialog.getByRole('button', { name: `Dismiss ${before}` }).click();
    await expect.poll(needed).toBe(0);
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(needed).toBe(before);
  });

  test('says in the grid why a document needs a person, as in the list', async () => {
    here.stub.agent.fill();
    const page = await here.browser.open('#/documents?state=failed');
    const why = (of: string) => page.locator(`${of} .why`).allTextContents();
    await shows(page.getByText(/shown \(all\)/));
    const listed = await why('.documents td');
    expect(listed).not.toEqual([]);
    await page.getByRole('button', { name: 'Grid' }).click();
    await expect.poll(() => why('.card')).toEqual(listed);
  });

  test('works in the grid and on a phone, in dark mode', async () => {
    const page = await here.browser.open('#/documents', {
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
    });
    await shows(page.getByText(/shown \(all\)/));
    await page.locator('tbody input[type=checkbox]').first().check();
    await shows(bar(page).getByText('1 selected'));
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
    await page.getByRole('button', { name: 'Grid' }).click();
    await page.locator('.card input[type=checkbox]').nth(1).check();
    await shows(bar(page).getByText('2 selected'));
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
    expect(await axeViolations(page)).toEqual([]);
    await page.locator('.card a').first().click();
    await shows(page.getByRole('button', { name: 'Rotate' }));
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
  });
});
