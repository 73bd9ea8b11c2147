import { expect, test } from 'vitest';
import { axeViolations, sideways } from '../../console/app/support/browser.ts';
import { inBrowser, shows } from '../../console/app/support/inBrowser.ts';

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>';

inBrowser('counts and columns', (here) => {
  test('each count links to that many documents, and back', async () => {
    const failed = here.stub.agent.rows.filter(({ state }) => state === 'failed').length;
    const page = await here.browser.open('#/documents');
    const facets = page.locator('details.facets');
    await facets.locator('summary').click();
    await facets.getByRole('link', { name: `refused ${failed}` }).click();
    await shows(page.getByText(`${failed} shown (all)`));
    // The other states can still be chosen instead.
    await shows(facets.getByRole('link', { name: /^accepted/ }));
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sideways(page)).toMatchObject({ by: 0 });
    await facets.locator('[aria-current]').click();
    await shows(page.getByText(`${here.stub.agent.rows.length} shown (all)`));
  });

  test('named values of results are columns, whose content stays text', async () => {
    here.stub.agent.columns = [
      { name: 'total', pointer: '/total' },
      { name: 'merchant', pointer: '/merchant' },
    ];
    here.stub.agent.rows = here.stub.agent.rows.map((row) => ({
      ...row,
      status: HOSTILE,
      posted: [{ '/total': 1 }, { '/total': 12.5, '/merchant': HOSTILE }],
    }));
    const page = await here.browser.open('#/documents');
    const row = page.getByRole('table', { name: 'Documents' }).locator('tbody tr').first();
    expect(await row.locator('[data-label="total"]').textContent()).toBe('12.5');
    expect(await row.locator('[data-label="merchant"]').textContent()).toBe(HOSTILE);
    await page.locator('details.facets summary').click();
    await shows(page.locator('details.facets').getByText(HOSTILE));
    expect(await page.locator('main img[src="x"], main script').count()).toBe(0);
    expect(await page.title()).toMatch(/Documents/);
  });

  test('a list is filtered by named values as people write amounts and days, and exported with the same filter', async () => {
    const { agent } = here.stub;
    agent.columns = [
      { name: 'Summe', pointer: '/total' },
      { name: 'Datum', pointer: '/date' },
    ];
    const posted = (total: number | string, date: string) => [{ '/total': total, '/date': date }];
    agent.rows = agent.rows.slice(0, 4).map((row, index) => ({
      ...row,
      posted:
        [posted(1234.5, '2026-05-14'), posted('1.300,00 €', '2026-05-20'), posted(12, '2026-05-14'), []][
          index
        ] ?? [],
    }));
    const page = await here.browser.open('#/documents', { locale: 'de-DE' });
    const sums = page.locator('td[data-label="Summe"]');
    await expect.poll(() => sums.allTextContents()).toEqual(['1234,5', '1.300,00 €', '12', '–']);
    expect(await page.locator('td[data-label="Datum"]').first().textContent()).toBe('14.05.2026');

    await page.getByLabel('Spalte').selectOption('Summe');
    const total = page.getByRole('group', { name: 'Summe' });
    await total.getByLabel('Von').fill('1.234,50');
    await total.getByLabel('Von').press('Enter');
    await expect.poll(() => sums.allTextContents()).toEqual(['1234,5', '1.300,00 €']);
    await page.getByLabel('Spalte').selectOption('Datum');
    const date = page.getByRole('group', { name: 'Datum' });
    await date.getByLabel('Bis').fill('15.5.2026');
    await date.getByLabel('Bis').press('Enter');
    await expect.poll(() => sums.allTextContents()).toEqual(['1234,5']);
    expect(await axeViolations(page)).toEqual([]);

    // The filter in the address applies to the export, and to the page when it is opened again.
    const wanted = [
      { pointer: '/total', from: '1234.50' },
      { pointer: '/date', to: '2026-05-15' },
    ];
    for (const kind of ['CSV', 'JSON']) {
      const link = page.getByRole('link', { name: `Als ${kind} herunterladen` });
      const address = new URL((await link.getAttribute('href')) ?? '', here.stub.url);
      expect(address.pathname).toBe(`/v1/documents.${kind.toLowerCase()}`);
      expect(JSON.parse(address.searchParams.get('values') ?? '')).toEqual(wanted);
    }
    await page.reload();
    await expect.poll(() => total.getByLabel('Von').inputValue()).toBe('1234,50');
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sideways(page)).toMatchObject({ by: 0 });
    await total.getByLabel('Von').fill('viel');
    expect(await total.getByLabel('Von').getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Entfernen: Summe' }).click();
    await expect.poll(() => sums.allTextContents()).toEqual(['1234,5', '12']);
  });
});
