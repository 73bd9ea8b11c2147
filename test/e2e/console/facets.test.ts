import { expect, test } from 'vitest';
import { axeViolations, sideways } from '../../console/app/support/browser.ts';
import { inBrowser, shows } from '../../console/app/support/inBrowser.ts';

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>';

inBrowser('counts and columns', (here) => {
  test('each count leads to as many documents, and back', async () => {
    const failed = here.stub.agent.rows.filter(({ state }) => state === 'failed').length;
    const page = await here.browser.open('#/documents');
    const facets = page.locator('details.facets');
    await facets.locator('summary').click();
    await facets.getByRole('link', { name: `refused ${failed}` }).click();
    await shows(page.getByText(`${failed} shown (all)`));
    // The other states are still there to be chosen instead.
    await shows(facets.getByRole('link', { name: /^accepted/ }));
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sideways(page)).toMatchObject({ by: 0 });
    await facets.locator('[aria-current]').click();
    await shows(page.getByText('50 shown.'));
  });

  test('named values of results are columns, and whatever is in them stays text', async () => {
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
});
