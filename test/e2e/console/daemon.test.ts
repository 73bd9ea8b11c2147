import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, hasChromium, sideways, type TestBrowser } from '../../console/app/support/browser.ts';
import { announced, heading, openFilters, rows, shows } from '../../console/app/support/inBrowser.ts';
import { drawReceipt } from '../../support/images.ts';
import { sha256, type Site } from '../support/agent.ts';
import { watchedForFile, type Watched } from '../support/console.ts';

/** One agent for all tests, one after the other. */
describe.skipIf(!hasChromium)('the console of a real agent', () => {
  const watched = watchedForFile();
  let site: Site;
  let browser: TestBrowser;
  let link: Watched['link'];
  beforeAll(() => void ({ site, browser, link } = watched()));

  test('shows a scan from its arrival to its answer, sends it again, and exports its evidence', async () => {
    const page = await browser.open();
    await shows(page.getByText('Nothing has arrived yet today.'));
    await page.getByRole('link', { name: 'Documents' }).click();
    await shows(page.getByText('Nothing found. Try broader filters.'));
    await page.mouse.move(2, 2);
    await writeFile(site.file('inbox', 'lunch.jpg'), await drawReceipt({ type: 'jpeg', seed: 'lunch' }));
    const row = rows(page, 'Documents').first();
    await shows(row.getByText('sent', { exact: true }));
    const thumb = row.locator('img.thumb');
    await expect
      .poll(() => thumb.evaluate((it: object): unknown => Reflect.get(it, 'naturalWidth')))
      .toBe(96);
    await row.getByRole('link').click();
    await heading(page, /^lunch-/);
    await shows(page.getByText('Accepted by the service'));
    await page.getByText('As received').click();
    expect(await page.getByRole('group', { name: 'Answer of the service' }).textContent()).toContain(
      '"PROCESSING"',
    );
    const image = await page.getByRole('link', { name: 'Download image' }).first().getAttribute('href');
    // Requested like the browser does, without saving a file.
    const kept = await page.context().request.get(new URL(String(image), page.url()).href);
    expect(sha256(await kept.body())).toBe(site.sandbox.received()[0]?.sha256);
    const [evidence] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download evidence' }).click(),
    ]);
    expect(evidence.suggestedFilename()).toMatch(/\.json$/);
    await page.getByRole('button', { name: 'Send again …' }).click();
    await page.getByRole('dialog').getByLabel('To').selectOption('depot');
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await announced(page, /is queued\./);
    await expect.poll(() => site.sandbox.received().length).toBe(2);
    await page.getByRole('link', { name: 'Documents' }).first().click();
    await expect.poll(() => rows(page, 'Documents').count()).toBe(2);
    await page.getByLabel('Search').fill('unch-');
    await openFilters(page);
    await page.getByLabel('Endpoint').selectOption('depot');
    await expect.poll(() => rows(page, 'Documents').count()).toBe(1);
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await shows(
      page
        .getByRole('log')
        .getByText(/lunch-/)
        .first(),
    );
  });

  test('changes limits and folders in the file, refuses an invalid value, and tests a folder', async () => {
    const page = await browser.open('#/endpoints');
    const folder = site.file('inbox');
    await page.getByRole('link', { name: 'Edit office' }).click();
    await page.getByLabel('Rate').fill('quickly');
    await page.getByLabel('Uploads a day').fill('100');
    await page.getByRole('button', { name: 'Save' }).click();
    const alert = page.getByRole('alert');
    await shows(alert.getByText('Not saved, and nothing was changed:'));
    await shows(alert.getByText('Rate: expected N/s, N/min or N/h'));
    // Also at the field, which is the one to type in.
    await shows(page.locator('.flawed').getByText('expected N/s, N/min or N/h'));
    await shows(page.locator('.flawed input:focus'));
    expect(await page.getByLabel('Rate').inputValue()).toBe('quickly');
    expect(await page.getByLabel('Uploads a day').inputValue()).toBe('100');
    await page.getByLabel('Rate').fill('90');
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'Saved and in effect.');
    await shows(rows(page, 'Endpoints').getByText('90 per minute · 100 a day'));
    expect(await readFile(site.config, 'utf8')).toContain('rate: 90/min');

    await page.getByRole('link', { name: 'Folders', exact: true }).click();
    await page.getByRole('button', { name: `Test ${folder}` }).click();
    await shows(page.getByText('Fine.').first());
    await page.getByRole('button', { name: `Pause ${folder}` }).click();
    await announced(page, `${folder} was paused.`);
    await shows(rows(page, 'Folders').getByText('paused'));
    await page.getByRole('link', { name: 'Today', exact: true }).click();
    const paused = page.getByRole('region', { name: 'Paused' });
    await paused.getByRole('button', { name: `Resume ${folder}` }).click();
    await expect.poll(() => paused.count()).toBe(0);
    await shows(page.locator('.headline.ok'));
  });

  test('pauses everything from any page until a time, and resumes it', async () => {
    const page = await browser.open('#/folders');
    await page.getByRole('button', { name: 'Pause …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause everything' });
    await dialog.getByLabel('Until').selectOption('other');
    await dialog.getByLabel('Day and time').fill('2020-01-31T08:00');
    await dialog.getByRole('button', { name: 'Pause everything' }).click();
    await shows(dialog.getByText("A pause can't end at"));
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByLabel('Until').selectOption('tomorrow');
    await dialog.getByRole('button', { name: 'Pause everything' }).click();
    await shows(page.locator('.pausing').getByText('Paused until'));
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
    await page.getByRole('link', { name: 'Endpoints', exact: true }).click();
    const badges = page.getByRole('table', { name: 'Endpoints', exact: true }).locator('.badge');
    await shows(badges.first());
    expect([...new Set(await badges.allTextContents())]).toEqual(['everything paused']);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Today', exact: true }).click();
    await shows(page.getByText('Sending is paused.'));
    await page.locator('.pausing').getByRole('button', { name: 'Resume' }).click();
    await announced(page, 'Sending has resumed.');
    await shows(page.getByRole('button', { name: 'Pause …' }));
  });

  test('lets unsent files be sent once their folder accepts them, and dismisses and restores others', async () => {
    const strict = site.file('strict');
    await site.configure({
      folders: [
        { path: site.file('inbox'), endpoint: 'office' },
        { path: strict, endpoint: 'office', maxFileSize: '2kB', accept: ['jpeg'] },
      ],
    });
    await site.quickMust('reload');
    for (const type of ['jpeg', 'png'] as const)
      await writeFile(
        join(strict, `scan.${type}`),
        await drawReceipt({ type, seed: type, width: 400, height: 600 }),
      );
    const page = await browser.open('#/rejected');
    await shows(page.getByRole('heading', { name: 'Too large (2)' }));
    expect(await axeViolations(page)).toEqual([]);

    await page.getByRole('button', { name: 'Dismiss 2' }).click();
    await shows(page.getByText('No files are held back.'));
    await page.locator('.notice').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Raise the limit …' }).click();
    const dialog = page.getByRole('dialog');
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByLabel('Largest file').fill('nonsense');
    await dialog.getByRole('button', { name: 'Save and check again' }).click();
    await shows(dialog.getByRole('alert'));
    await dialog.getByLabel('Largest file').fill('20MB');
    await dialog.getByRole('button', { name: 'Save and check again' }).click();
    await shows(dialog.getByText(/^2 files in .* will be checked again/));
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();

    await shows(page.getByRole('heading', { name: 'Type not accepted (1)' }));
    await page.getByRole('button', { name: 'Accept PNG …' }).click();
    await shows(dialog.getByText('will then send such files'));
    await dialog.getByRole('button', { name: 'Save and check again' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await shows(page.getByText('No files are held back.'));
    await expect
      .poll(async () => (await site.list('--state', 'accepted', '--folder', strict)).length)
      .toBe(2);
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
  });

  test('leaves nothing in the browser after signing out, not even for its Back button', async () => {
    // A separate session, which this test ends.
    const page = await browser.blank();
    await page.goto(await link());
    await page.getByRole('link', { name: 'Documents' }).click();
    const row = rows(page, 'Documents').filter({ hasText: 'lunch-' }).first();
    await shows(row.getByText('sent', { exact: true }));
    const thumbnail = await row.locator('img.thumb').getAttribute('src');
    await row.getByRole('link').click();
    await heading(page, /^lunch-/);
    const href = await page.getByRole('link', { name: 'Download image' }).first().getAttribute('href');
    const image = new URL(String(href), page.url()).href.replace(/\?.*$/, '');
    const form = new URL('/session', page.url()).href;

    const kept = `Promise.all(${JSON.stringify([image, thumbnail])}.map((each) =>
      fetch(each, { cache: 'force-cache' }).then(({ status }) => status)))`;
    // The browser keeps a thumbnail for a day unless the user signs out.
    await expect.poll(() => page.evaluate(kept)).toEqual([200, 200]);

    // Another tab: the image under its own address, then another page.
    const other = await page.context().newPage();
    expect((await other.goto(image))?.status()).toBe(200);
    await other.goto(form);
    const answer = page.waitForResponse((each) => each.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect((await (await answer).allHeaders())['clear-site-data']).toBe('"cache"');
    await heading(page, 'You are not signed in');

    await other.goBack();
    expect(other.url()).toBe(image);
    await shows(other.getByText('CONSOLE_SIGNED_OUT'));
    expect(await other.locator('img').count()).toBe(0);
    await other.close();
    expect(await page.evaluate(kept)).toEqual([401, 401]);
    await page.goBack();
    await heading(page, 'You are not signed in');
    expect(await page.getByText('lunch-').count()).toBe(0);
    expect(await page.locator('img').count()).toBe(0);
    await page.reload();
    await heading(page, 'You are not signed in');
  });
});
