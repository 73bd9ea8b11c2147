import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { axeViolations, sideways } from '../../console/app/support/browser.ts';
import { announced, inBrowser, shows } from '../../console/app/support/inBrowser.ts';

inBrowser('acting on many documents', (here) => {
  const asked = () =>
    here.stub.agent.asked.filter(({ operation }) => operation === 'actOnMany').map(({ request }) => request);
  const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });
  const idsOf = (state: string) =>
    here.stub.agent.rows.filter((row) => row.state === state).flatMap((row) => row.documentId ?? []);

  test('retries the selected documents, by keyboard alone', async () => {
    here.stub.agent.fill();
    const ids = idsOf('failed');
    const page = await here.browser.open('#/documents?state=failed');
    await shows(page.getByText(/shown \(all\)/));
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await shows(bar(page).getByText('2 selected'));
    await bar(page).getByRole('button', { name: 'Retry 2' }).focus();
    await page.keyboard.press('Enter');
    await announced(page, 'Queued again: 2 documents.');
    await bar(page).waitFor({ state: 'detached' });
    expect(asked()).toEqual([{ act: 'retry', documents: ids.slice(0, 2), sightings: [] }]);
  });

  test('shows how many of the selected documents each act concerns', async () => {
    here.stub.agent.fill();
    const page = await here.browser.open('#/documents');
    await shows(page.getByText('50 shown.'));
    await page.getByRole('button', { name: 'Select these 50' }).click();
    await shows(bar(page).getByText('50 selected'));
    const shown = here.stub.agent.rows.slice(0, 50);
    const accepted = shown.filter(({ state }) => state === 'accepted').length;
    const images = shown.filter(({ documentId, sightingId }) => documentId !== null && sightingId === null);
    await shows(bar(page).getByRole('button', { name: `Send ${accepted} again` }));
    const zip = bar(page).getByRole('link', { name: `Download ${images.length} images (ZIP)` });
    const ids = images.map(({ documentId }) => documentId).join(',');
    expect(await zip.getAttribute('href')).toBe(`/v1/documents.zip?ids=${ids}&`);
    // Documents are sent again only after an explanation.
    await bar(page)
      .getByRole('button', { name: `Send ${accepted} again` })
      .click();
    const dialog = page.getByRole('dialog');
    await shows(dialog.getByText('This counts against your limits'));
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
  });
});
