import { expect, test } from 'vitest';
import type { Request } from '../../../src/control/protocol/protocol.ts';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import { inBrowser, rows, shows } from '../../console/app/support/inBrowser.ts';
import { isMeant } from '../../console/app/support/stubList.ts';

const widthOf = (image: object): unknown => Reflect.get(image, 'naturalWidth');

inBrowser('the list of documents', (here) => {
  const lastAsked = () =>
    here.stub.agent.asked.findLast(({ operation }) => operation === 'documents')
      ?.request as Request<'documents'>;

  test('shows a page, moves to the next one and back, and has a bookmark for each page', async () => {
    here.stub.agent.fill();
    const page = await here.browser.open('#/documents');
    await shows(page.getByText('50 shown.'));
    const first = await rows(page, 'Documents').first().getByRole('link').textContent();
    await page.getByRole('link', { name: 'Next page' }).click();
    await shows(page.getByRole('link', { name: 'First page' }));
    await shows(page.getByText('50 shown.'));
    const second = await rows(page, 'Documents').first().getByRole('rowheader').textContent();
    expect(second).not.toContain(first);
    const bookmark = page.url();
    await page.getByRole('link', { name: 'Previous page' }).click();
    await shows(rows(page, 'Documents').first().getByText(String(first)));
    await page.goBack();
    await shows(rows(page, 'Documents').first().getByText(String(second).slice(0, 20)).first());
    await page.goBack();
    await here.browser.reopen(page, new URL(bookmark).hash);
    await shows(rows(page, 'Documents').first().getByText(String(second).slice(0, 20)).first());
  });

  test('fills a page with as many requests as needed, and says when it is complete', async () => {
    const { agent } = here.stub;
    agent.fill();
    const page = await here.browser.open('#/documents?state=failed');
    const failed = agent.rows.filter(({ state }) => state === 'failed').length;
    await shows(page.getByText(`${failed} shown (all).`));
    expect(agent.asked.filter(({ operation }) => operation === 'documents').length).toBeGreaterThan(3);
    expect(await rows(page, 'Documents').count()).toBe(failed);
  });

  test('shows the progress of a long search, which can be stopped', async () => {
    const page = await here.browser.open('#/documents');
    await shows(page.getByText(/shown \(all\)/));
    const release = here.stub.hold('documents');
    await page.getByLabel('Search').fill('Beleg');
    await shows(page.getByText('Searching …'));
    await page.getByRole('button', { name: 'Stop' }).click();
    await shows(page.getByText('The search was stopped.'));
    release();
    await page.getByLabel('Search').fill('no such thing');
    await shows(page.getByText('Nothing found. Try broader filters.'));
  });

  test('shows the total and the number of each state', async () => {
    here.stub.agent.fill();
    const { rows: all } = here.stub.agent;
    const accepted = all.filter(({ state }) => state === 'accepted').length;
    const page = await here.browser.open('#/documents');
    await shows(page.getByText(`${all.length.toLocaleString('en-GB')} in all.`));
    await page.getByLabel('State').selectOption({ label: `accepted (${accepted.toLocaleString('en-GB')})` });
    await shows(page.getByText(`${accepted.toLocaleString('en-GB')} in all.`, { exact: true }));
    await page.getByLabel('Search').fill('Beleg');
    const found = all.filter((row) => isMeant(row, { states: ['accepted'], search: 'Beleg' })).length;
    await shows(page.getByText(new RegExp(`^${found} (in all|shown \\(all\\))\\.`)));
  });

  test('does not mention a lost answer once the document is accepted', async () => {
    const { agent } = here.stub;
    const lost = 'An answer was lost';
    agent.rows = agent.rows.map((row, index) =>
      index < 2 ? { ...row, answerLost: true, state: index === 0 ? 'accepted' : 'queued' } : row,
    );
    const page = await here.browser.open('#/documents');
    await shows(rows(page, 'Documents').nth(1).getByText(lost));
    expect(await rows(page, 'Documents').first().getByText(lost).count()).toBe(0);
  });

  test("shows the message in the service's JSON, and folds the rest", async () => {
    const { agent } = here.stub;
    agent.rows = agent.rows.map((row) =>
      row.state === 'failed'
        ? {
            ...row,
            reason: 'HTTP_422',
            message: 'The service refused the document: "{"error":{"code":"E7","message":"Too dark"}}".',
          }
        : row,
    );
    const page = await here.browser.open('#/documents?state=failed');
    const first = rows(page, 'Documents').first();
    await shows(first.getByText('The service refused it (HTTP 422). “Too dark”'));
    expect(await first.getByText('"code"').isVisible()).toBe(false);
    await first.getByText('Details').click();
    await shows(first.getByText('"code": "E7"'));
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
    await page.getByLabel('Attention').selectOption({ label: 'Needs a person' });
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
      endpoint: `${filter.endpoint?.baseUrl}#${filter.endpoint?.uid}`,
      search: 'scan_0',
      since: filter.since,
      until: filter.until,
      bom: '1',
    });
    await here.browser.reopen(page, new URL(page.url()).hash);
    expect(await page.getByLabel('Search').inputValue()).toBe('scan_0');
    expect(await page.getByLabel('From').inputValue()).toBe(day(4));
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await shows(page.getByText(`${agent.rows.length} shown (all).`));
    expect(await page.getByLabel('Search').inputValue()).toBe('');
  });

  test('shows the oldest first on request', async () => {
    const page = await here.browser.open('#/documents');
    await page.getByLabel('Order').selectOption('oldest');
    const oldest = here.stub.agent.rows.at(-1)?.name;
    await shows(rows(page, 'Documents').first().getByText(String(oldest)));
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

  test('shows new documents at the top, but only on request while the pointer is on the list', async () => {
    const page = await here.browser.open('#/documents');
    const before = here.stub.agent.rows.length;
    await shows(page.getByText(`${before} shown (all).`));
    await page.mouse.move(5, 5);
    const one = here.stub.agent.add();
    here.stub.changed();
    await shows(rows(page, 'Documents').first().getByText(String(one.name)));
    await rows(page, 'Documents').nth(4).hover();
    const two = here.stub.agent.add();
    here.stub.changed();
    await page.getByRole('button', { name: 'Show 1 new document' }).click();
    await shows(rows(page, 'Documents').first().getByText(String(two.name)));
    expect(await rows(page, 'Documents').count()).toBe(before + 2);
  });

  test('updates a changed row in place, and removes it if the filter no longer matches', async () => {
    const page = await here.browser.open('#/documents?state=queued,uploading,held');
    await shows(page.getByText('3 shown (all).'));
    const { agent } = here.stub;
    agent.rows = agent.rows.map((row) => (row.state === 'uploading' ? { ...row, state: 'accepted' } : row));
    here.stub.changed();
    await shows(page.getByText('2 shown (all).'));
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
    await saved.getByRole('link', { name: 'Yesterday' }).click();
    await page.waitForURL(/since=/);
    const { since, until } = Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.split('?')[1]));
    expect(since).toBe(until);
    await expect.poll(() => page.getByLabel('From').inputValue()).toBe(since);
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

  test('shows the reason of a failed search, which can be repeated', async () => {
    const page = await here.browser.open('#/log');
    here.stub.fail(
      'documents',
      new ReceiptdError('LEDGER_DAMAGED', 'The ledger is damaged.', { hint: 'Restore it.' }),
    );
    await page.getByRole('link', { name: 'Documents' }).click();
    const alert = page.getByRole('alert');
    await shows(alert.getByText('The ledger is or was damaged.'));
    await alert.getByText('Details').click();
    await shows(alert.getByText('The ledger is damaged. Restore it.'));
    await page.getByRole('button', { name: 'Try again' }).click();
    await shows(page.getByText(/shown \(all\)/));
  });
});
