import { expect, test } from 'vitest';
import type { Request } from '../../../src/control/protocol/protocol.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { axeViolations, sideways } from '../../console/app/support/browser.ts';
import { filtersInUse, inBrowser, openFilters, rows, shows } from '../../console/app/support/inBrowser.ts';
import type { Row } from '../../console/app/support/stubData.ts';
import { isMeant } from '../../console/app/support/stubList.ts';

const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
const widthOf = (image: object): unknown => Reflect.get(image, 'naturalWidth');

inBrowser('documents', (here) => {
  const lastAsked = () =>
    here.stub.agent.asked.findLast(({ operation }) => operation === 'documents')
      ?.request as Request<'documents'>;

  test('shows a page, moves to the next one and back, has a bookmark for each page, and counts what each filter lists', async () => {
    const { agent } = here.stub;
    agent.fill();
    const all = agent.rows.length.toLocaleString('en-GB');
    const accepted = agent.rows.filter(({ state }) => state === 'accepted').length.toLocaleString('en-GB');
    const page = await here.browser.open('#/documents');
    const top = rows(page, 'Documents').first();
    await shows(page.getByText('50 shown.'));
    await shows(page.getByText(`${all} in all.`));
    const first = await top.getByRole('link').textContent();
    await page.getByRole('link', { name: 'Next page' }).click();
    await shows(page.getByRole('link', { name: 'First page' }));
    await shows(page.getByText('50 shown.'));
    const second = await top.getByRole('rowheader').textContent();
    expect(second).not.toContain(first);
    const { hash } = new URL(page.url());
    await page.getByRole('link', { name: 'Previous page' }).click();
    await shows(top.getByText(String(first)));
    await here.browser.reopen(page, hash);
    await shows(top.getByText(String(second).slice(0, 20)).first());

    // A search ends after some rows, so a page of few takes several requests.
    agent.asked.length = 0;
    await openFilters(page);
    await page.getByLabel('State').selectOption('failed');
    const failed = agent.rows.filter(({ state }) => state === 'failed').length;
    await shows(page.getByText(`${failed} shown (all).`));
    expect(agent.asked.filter(({ operation }) => operation === 'documents').length).toBeGreaterThan(3);
    expect(await rows(page, 'Documents').count()).toBe(failed);
    await page.getByLabel('State', { exact: true }).selectOption({ label: `sent (${accepted})` });
    await shows(page.getByText(`${accepted} in all.`, { exact: true }));
    await page.getByLabel('Search').fill('Beleg');
    const found = agent.rows.filter((row) => isMeant(row, { states: ['accepted'], search: 'Beleg' })).length;
    await shows(page.getByText(new RegExp(`^${found} (in all|shown \\(all\\))\\.`)));
  });

  test('shows the progress of a long search, which can be stopped, and the reason of a failed one, which can be repeated', async () => {
    const { agent } = here.stub;
    const page = await here.browser.open('#/documents');
    await openFilters(page);
    await page.getByLabel('Order').selectOption('oldest');
    await shows(
      rows(page, 'Documents')
        .first()
        .getByText(String(agent.rows.at(-1)?.name)),
    );
    const release = here.stub.hold('documents');
    await page.getByLabel('Search').fill('Beleg');
    await shows(page.getByText('Searching …'));
    await page.getByRole('button', { name: 'Stop' }).click();
    await shows(page.getByText('The search was stopped.'));
    release();
    await page.getByLabel('Search').fill('no such thing');
    await shows(page.getByText('Nothing found. Try broader filters.'));

    const damaged = new ReceiptdError({
      code: 'LEDGER_DAMAGED',
      message: 'The ledger is damaged.',
      hint: 'Restore it.',
    });
    here.stub.fail('documents', damaged);
    await page.getByRole('link', { name: 'Clear filters' }).click();
    const alert = page.getByRole('alert');
    await shows(alert.getByText('The ledger is or was damaged.'));
    await alert.getByText('Details').click();
    await shows(alert.getByText('The ledger is damaged. Restore it.'));
    await page.getByRole('button', { name: 'Try again' }).click();
    await shows(page.getByText(/shown \(all\)/));
  });

  test("mentions a lost answer until the document is accepted, and folds the service's JSON except for its message", async () => {
    const { agent } = here.stub;
    const lost = 'An answer was lost';
    const fact = { is: 'refused', words: '{"error":{"code":"E7","message":"Too dark"}}' };
    const told = { reason: 'HTTP_422', message: 'The service refused the document.', fact };
    agent.rows = agent.rows
      .map((row): Row => (row.state === 'failed' ? { ...row, ...told } : row))
      .map((row, index) =>
        index < 2 ? { ...row, answerLost: true, state: index === 0 ? 'accepted' : 'queued' } : row,
      );
    const page = await here.browser.open('#/documents');
    await shows(rows(page, 'Documents').nth(1).getByText(lost));
    expect(await rows(page, 'Documents').first().getByText(lost).count()).toBe(0);

    const refused = rows(page, 'Documents').filter({ hasText: 'Too dark' });
    await shows(refused.getByText('The service refused it (HTTP 422). “Too dark”'));
    expect(await refused.getByText('"code"').isVisible()).toBe(false);
    await refused.getByText('Details').click();
    await shows(refused.getByText('"code": "E7"'));
  });

  test('filters by text, state, folder, endpoint and days, all of which are in the address', async () => {
    const { agent } = here.stub;
    agent.fill();
    // Rows of several days, too few to fill a page.
    agent.rows = agent.rows.filter(
      ({ needsPerson, folder }, index) => (needsPerson && folder.endsWith('branch')) || index % 100 === 0,
    );
    const page = await here.browser.open('#/documents');
    await page.getByLabel('Search').fill('scan_0');
    await page.waitForURL(/search=scan_0/);
    await openFilters(page);
    await page.getByLabel('Attention').selectOption({ label: 'Needs attention' });
    await page.getByLabel('Folder').selectOption('/srv/scans/branch');
    await page.getByLabel('Endpoint').selectOption({ label: 'branch' });
    const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('From').fill(day(4));
    await page.getByLabel('To', { exact: true }).fill(day(1));
    await page.waitForURL(/until=/);
    await expect.poll(() => lastAsked().until).toBeDefined();
    const { order: _, limit: __, cursor: ___, ...filter } = lastAsked();
    expect(Date.parse(String(filter.until)) - Date.parse(String(filter.since))).toBe(4 * 86_400_000);
    // Midnight in the browser's time zone (Berlin, in winter).
    expect(filter.since).toBe(`${day(5)}T23:00:00.000Z`);
    expect(filter.attention).toBe('needed');
    const meant = agent.rows.filter((row) => isMeant(row, filter));
    expect(meant.length).toBeGreaterThan(0);
    await shows(page.getByText(`${meant.length} shown (all).`));

    const csv = new URL(
      String(await page.getByRole('link', { name: 'Download as CSV' }).getAttribute('href')),
      here.stub.url,
    );
    expect(Object.fromEntries(csv.searchParams)).toEqual({
      attention: 'needed',
      folder: '/srv/scans/branch',
      language: 'en',
      timeZone: 'Europe/Berlin',
      endpoint: `${filter.endpoint?.baseUrl}#${filter.endpoint?.uid}`,
      search: 'scan_0',
      since: filter.since,
      until: filter.until,
      bom: '1',
    });
    await here.browser.reopen(page, new URL(page.url()).hash);
    expect(await page.getByLabel('Search').inputValue()).toBe('scan_0');
    const inUse = await filtersInUse(page);
    expect(inUse.map((text) => text.split(':')[0])).toEqual([
      'Attention',
      'Folder',
      'Endpoint',
      'From',
      'To',
    ]);
    expect(inUse).toContain('Folder: /srv/scans/branch');
    await page.getByRole('link', { name: /^Remove Folder/ }).click();
    await expect.poll(() => lastAsked().folder).toBeUndefined();
    expect(lastAsked().endpoint).toEqual(filter.endpoint);
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await shows(page.getByText(`${agent.rows.length} shown (all).`));
    expect(await page.getByLabel('Search').inputValue()).toBe('');
  });

  test('shows a thumbnail of every type, never the full image, and the type if there is no thumbnail', async () => {
    const { agent } = here.stub;
    // New images, because the browser may have thumbnails from another test.
    agent.rows = agent.rows.map((row) => ({ ...row, sha256: `${String(row.sha256).slice(1)}0` }));
    const page = await here.browser.open('#/documents');
    const images: string[] = [];
    page.on('request', (request) => images.push(new URL(request.url()).pathname));
    const drawn = page.locator('img.thumb').first();
    await shows(drawn);
    expect(await drawn.getAttribute('loading')).toBe('lazy');
    await expect.poll(() => drawn.evaluate(widthOf)).toBe(96);
    for (const type of ['jpeg', 'heic', 'pdf', 'tiff'])
      await expect.poll(() => agent.pictures).toContain(`thumbnail ${type}`);
    await shows(page.locator('.thumb.type', { hasText: 'bmp' }).first());
    expect(images.filter((path) => path.endsWith('/image'))).toEqual([]);
    // A lost document has no image, so its type is shown.
    await here.browser.reopen(page, '#/documents?state=lost');
    await shows(page.locator('.thumb.type').first());
    await expect.poll(() => page.locator('img.thumb').count()).toBe(0);
  });

  test('shows new documents at the top, but only on request while the pointer is on the list, and updates or removes a changed row', async () => {
    const { agent } = here.stub;
    const page = await here.browser.open('#/documents');
    const before = agent.rows.length;
    await shows(page.getByText(`${before} shown (all).`));
    await page.mouse.move(5, 5);
    const one = agent.add();
    here.stub.changed();
    await shows(rows(page, 'Documents').first().getByText(String(one.name)));
    await rows(page, 'Documents').nth(4).hover();
    const two = agent.add();
    here.stub.changed();
    await page.getByRole('button', { name: 'Show 1 new document' }).click();
    await shows(rows(page, 'Documents').first().getByText(String(two.name)));
    expect(await rows(page, 'Documents').count()).toBe(before + 2);

    const pending = ['queued', 'uploading', 'held'];
    const count = agent.rows.filter(({ state }) => pending.includes(state)).length;
    await page.goto(`${here.stub.url}/#/documents?state=${pending.join(',')}`);
    await shows(page.getByText(`${count} shown (all).`));
    agent.rows = agent.rows.map((row) => (row === agent.rows[2] ? { ...row, state: 'accepted' } : row));
    here.stub.changed();
    await shows(page.getByText(`${count - 1} shown (all).`));
  });

  test('dismisses a problem with a button, shows who did it, and can undo it', async () => {
    const page = await here.browser.open('#/documents?attention=needed');
    const needed = () => here.stub.agent.rows.filter(({ needsPerson }) => needsPerson).length;
    const before = needed();
    const row = page.locator('tbody tr').first();
    const name = await row.getByRole('link').first().innerText();
    await row.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(needed).toBe(before - 1);
    const gone = here.stub.agent.rows.find((each) => each.name === name.replaceAll('\n', ''));
    expect(gone).toMatchObject({ needsPerson: false, dismissedBy: 'anna' });
    await here.browser.reopen(page, `#/documents/${gone?.documentId}`);
    await shows(page.getByText(/^Dismissed by anna/));
    await page.getByRole('button', { name: 'Undo' }).click();
    await shows(page.getByRole('button', { name: 'Dismiss' }));
    expect(needed()).toBe(before);
  });

  test('offers days with one click, and saves, applies and removes filters under any name', async () => {
    const page = await here.browser.open('#/documents');
    const saved = page.getByRole('navigation', { name: 'Days and saved filters' });
    await saved.getByRole('link', { name: 'Last week' }).click();
    await page.waitForURL(/since=/);
    const { since: monday = '', until: sunday = '' } = Object.fromEntries(
      new URLSearchParams(new URL(page.url()).hash.split('?')[1]),
    );
    expect([monday, sunday].map((day) => new Date(day).getUTCDay())).toEqual([1, 0]);
    const days = (Date.now() - Date.parse(sunday)) / 86_400_000;
    expect(days).toBeGreaterThan(0);
    expect(days).toBeLessThan(8.5);
    await saved.getByRole('link', { name: 'Last week' }).click();
    await page.waitForURL(/documents$/);
    await saved.getByRole('link', { name: 'Yesterday' }).click();
    await page.waitForURL(/since=/);
    const { since, until } = Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.split('?')[1]));
    expect(since).toBe(until);
    expect(await filtersInUse(page)).toEqual(['Yesterday']);
    await saved.getByRole('button', { name: 'Save this filter …' }).click();
    const name = '<img src=x onerror=alert(1)> Tuesday';
    await page.getByRole('dialog').getByLabel('Name').fill(name);
    await page.keyboard.press('Enter');
    await shows(saved.getByRole('link', { name }));
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.reload();
    await saved.getByRole('link', { name }).click();
    await page.waitForURL(new RegExp(`since=${since}`));
    await saved.getByRole('button', { name: `Remove ${name}` }).click();
    await saved.getByRole('link', { name }).waitFor({ state: 'detached' });
  });

  test('each count links to that many documents; named values of results are columns, whose content stays text', async () => {
    const { agent } = here.stub;
    agent.columns = [
      { name: 'total', pointer: '/total' },
      { name: 'merchant', pointer: '/merchant' },
    ];
    agent.rows = agent.rows.map((row) => ({
      ...row,
      status: HOSTILE,
      posted: [{ '/total': 1 }, { '/total': 12.5, '/merchant': HOSTILE }],
    }));
    const failed = agent.rows.filter(({ state }) => state === 'failed').length;
    const page = await here.browser.open('#/documents');
    const row = rows(page, 'Documents').first();
    expect(await row.locator('[data-label="total"]').textContent()).toBe('12.5');
    expect(await row.locator('[data-label="merchant"]').textContent()).toBe(HOSTILE);
    const heads = await page.getByRole('columnheader').allTextContents();
    expect(heads.join(', ')).toBe(
      'Select, Image, Name and path, State, Service status, total, merchant, Endpoint, Size, First seen',
    );
    const facets = page.locator('.facets');
    await openFilters(page);
    await shows(facets.getByText(HOSTILE));
    expect(await page.locator('main img[src="x"], main script').count()).toBe(0);
    expect(await page.title()).toMatch(/Documents/);

    await facets.getByRole('link', { name: `refused ${failed}` }).click();
    await shows(page.getByText(`${failed} shown (all)`));
    // The other states can still be chosen instead.
    await shows(facets.getByRole('link', { name: /^sent/ }));
    await page.getByLabel('Column').selectOption('total');
    await shows(page.getByRole('group', { name: 'total' }));
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sideways(page)).toMatchObject({ by: 0 });
    await facets.locator('[aria-current]').first().click();
    await shows(page.getByText(`${agent.rows.length} shown (all)`));
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

    await openFilters(page);
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
    await openFilters(page);
    await expect.poll(() => total.getByLabel('Von').inputValue()).toBe('1234,50');
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sideways(page)).toMatchObject({ by: 0 });
    await total.getByLabel('Von').fill('viel');
    expect(await total.getByLabel('Von').getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Entfernen: Summe' }).click();
    await expect.poll(() => sums.allTextContents()).toEqual(['1234,5', '12']);
  });

  test.each([
    ['en-GB', 'More', 'Download as CSV'],
    ['de-DE', 'Mehr', 'Als CSV herunterladen'],
  ])(
    'on a phone (%s), the first receipt is above the fold; a menu holds what the row of buttons does otherwise',
    async (locale, more, csv) => {
      const { agent } = here.stub;
      agent.fill();
      const height = 640;
      const page = await here.browser.open('#/documents', { locale, viewport: { width: 360, height } });
      const card = page.locator('.documents tbody tr').first();
      const isAboveFold = async () => {
        await shows(card);
        await shows(page.locator('.total'));
        expect(await page.evaluate('scrollY')).toBe(0);
        const { y, height: tall } = (await card.boundingBox()) ?? { y: height, height: 0 };
        expect(y + tall).toBeLessThan(height);
        expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
      };
      await here.browser.reopen(page, '#/documents?state=accepted&order=oldest');
      await isAboveFold();
      const inUse = await page.locator('.saved [aria-current]').first().boundingBox();
      expect(inUse?.x).toBeLessThan(20);
      await here.browser.reopen(page, '#/documents');
      await isAboveFold();
      expect(await axeViolations(page)).toEqual([]);

      const link = page.getByRole('link', { name: csv });
      const button = page.getByRole('button', { name: more, exact: true });
      expect(await link.isVisible()).toBe(false);
      await button.press('Enter');
      await shows(link);
      await page.keyboard.press('Tab');
      expect(await page.evaluate(`document.activeElement.getAttribute('href')`)).toBe('#/rejected');
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await link.waitFor({ state: 'hidden' });
      expect(await button.evaluate((its) => its.matches(':focus'))).toBe(true);

      // At a zoom of 200 %, the page and the menu still fit.
      await page.setViewportSize({ width: 180, height: height / 2 });
      expect(await sideways(page)).toMatchObject({ by: 0 });
      await button.press('Enter');
      const menu = page.locator('.menu');
      expect((await menu.boundingBox())?.y).toBeGreaterThanOrEqual(0);
      expect(await menu.evaluate((its) => its.scrollWidth - its.clientWidth)).toBe(0);
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 1280, height: 900 });
      await shows(link);
      expect(await button.isVisible()).toBe(false);
    },
  );
});
