import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ReceiptdError } from '../../../src/core/domain/errors.ts';
import {
  announced,
  filtersInUse,
  heading,
  inBrowser,
  rows,
  shows,
} from '../../console/app/support/inBrowser.ts';

inBrowser('Today and the log', (here) => {
  /** Folded, because most people rarely need it. */
  const unfold = (page: Page) => page.getByText('For administrators').click();
  const allNow = () => {
    const { agent } = here.stub;
    const createdAt = new Date().toISOString();
    agent.rows = agent.rows.map((row) => ({ ...row, createdAt }));
    return agent.rows;
  };

  test('counts the files of today by folder: each row adds up, each number leads to that many documents, and the headline says the same', async () => {
    const all = allNow();
    const page = await here.browser.open();
    const table = rows(page, 'Files by folder');
    await shows(table.last());
    const numbersOf = async (row: Locator) => (await row.locator('.num').allTextContents()).map(Number);
    const found = await Promise.all((await table.all()).map(numbersOf));
    expect(found.length).toBe(4);
    for (const [arrived, ...parts] of found) expect(parts.reduce((sum, part) => sum + part, 0)).toBe(arrived);
    const needed = all.filter(({ needsPerson }) => needsPerson).length;
    const accepted = all.filter(({ state }) => state === 'accepted').length;
    const totals = [all.length, accepted, 3, needed, all.length - accepted - 3 - needed];
    expect(found.at(-1)).toEqual(totals);
    expect(Math.min(...totals)).toBeGreaterThan(0);
    await shows(page.getByRole('status').getByText(`${needed} of today’s ${all.length} files need your`));
    for (const [index, count] of totals.entries()) {
      await table.last().getByRole('link').nth(index).click();
      await shows(page.getByText(`${count} shown (all).`));
      await page.goBack();
      await shows(table.last());
    }
    const german = await here.browser.open('#/', { locale: 'de-DE' });
    await shows(german.getByText(`Von den ${all.length} Dateien von heute sind ${needed} zu klären.`));
    // A later test counts the streams.
    await german.close();
  });

  test('says in the headline that nothing arrived, everything is sent, or sending is paused', async () => {
    const { agent } = here.stub;
    const accepted = allNow().filter(({ state }) => state === 'accepted');
    agent.rows = [];
    const compare = here.stub.hold('compareFolder');
    const page = await here.browser.open();
    const headline = (tone: string, text: string) =>
      shows(page.locator(`.headline.${tone}`).getByText(text, { exact: true }));
    await headline('ok', 'Nothing has arrived yet today.');
    agent.rows = accepted;
    here.stub.changed();
    await headline('ok', `All ${accepted.length} files of today are sent.`);
    // Not all is well if the folders hold more.
    compare();
    await headline('warn', `All ${accepted.length} files of today are sent.`);
    await shows(page.locator('.headline').getByText('In the folders, 2 files are not accounted for.'));
    agent.paused.add('office').add('branch');
    here.stub.changed();
    await headline('calm', 'Sending is paused.');
  });

  test('compares the folders by itself, once within a few minutes; if that fails, a button remains', async () => {
    const compared = () =>
      here.stub.agent.asked.flatMap(({ operation, request }) =>
        operation === 'compareFolder' ? [(request as { folder: string }).folder] : [],
      );
    here.stub.fail('compareFolder', new ReceiptdError({ code: 'DISK_FULL', message: 'Full.' }));
    const page = await here.browser.open();
    await shows(rows(page, 'Files by folder').getByText('not compared').first());
    await page.getByRole('button', { name: 'Compare with the folders' }).click();
    await shows(page.getByText('12 files, all accounted for'));
    await page.getByText('2 of 12 files not accounted for').click();
    await shows(page.getByText('late.jpg: not picked up yet'));
    // The share can't be reached.
    const folders = ['/srv/scans/front-desk', '/srv/scans/branch'];
    await expect.poll(compared).toEqual([...folders, ...folders]);
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await heading(page, 'Documents');
    await page.getByRole('link', { name: 'Today', exact: true }).first().click();
    await shows(page.getByText('12 files, all accounted for'));
    expect(compared().length).toBe(4);
  });

  test('lists what needs attention, with a button for each remedy, apart from what resolves itself', async () => {
    const { agent } = here.stub;
    const { rows: all } = agent;
    agent.rows = all.filter(({ state }) => state === 'accepted');
    agent.held = 3;
    const page = await here.browser.open();
    const attention = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem');
    await shows(page.getByRole('region', { name: 'Resolves itself' }).getByText('does not answer properly'));
    await unfold(page);
    await shows(page.getByText('Everything waiting is on hold.'));
    expect(await attention.count()).toBe(0);

    agent.rows = all;
    agent.paused.add('office');
    agent.held = 40;
    here.stub.changed();
    await expect.poll(() => attention.count()).toBe(1);
    const paused = page.getByRole('region', { name: 'Paused' });
    await paused.getByRole('button', { name: 'Resume office' }).click();
    await announced(page, 'office was resumed.');
    await expect.poll(() => paused.count()).toBe(0);
    expect(agent.paused.size).toBe(0);
    await page.getByRole('button', { name: 'Try again now' }).click();
    await announced(page, 'Everything on hold is being retried.');
    await page.getByText('HTTP 503').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Show them' }).click();
    await heading(page, 'Documents');
    expect(page.url()).toContain('state=failed');
    expect(await filtersInUse(page)).toEqual([
      'State: refused',
      'Attention: Needs attention',
      'Folder: /srv/scans/front-desk',
    ]);
  });

  test('moves what waits for an endpoint that is gone to another', async () => {
    const { agent } = here.stub;
    agent.rows = agent.rows
      .filter(({ state }) => state === 'queued')
      .map((row) => ({ ...row, endpointUid: 'former' }));
    const page = await here.browser.open();
    await page.getByRole('button', { name: 'Move the documents to another endpoint' }).click();
    await page.getByRole('dialog').getByRole('combobox').selectOption('branch');
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await announced(page, /^Moved to branch: /);
    const [{ request } = {}] = agent.asked.filter(({ operation }) => operation === 'actOnMany');
    expect(request).toMatchObject({
      act: 'move',
      endpoint: 'branch',
      filter: { endpoint: { uid: 'former' } },
    });
    await page.getByText('no longer in the configuration').waitFor({ state: 'detached' });
  });

  test('shows the backlog and its age, the forecast, notes, folders and endpoints as they change; draws the last hour and day, also as text, as a table and under the pointer', async () => {
    const page = await here.browser.open();
    await unfold(page);
    await shows(page.getByText(/^the oldest since .* \(40 minutes\)$/));
    await shows(page.getByText('in 1 hour 23 minutes at this rate'));
    await shows(page.getByText('office: limited to 120/min. The backlog needs about 31 minutes more.'));
    expect(await rows(page, 'Folders').count()).toBe(3);
    expect(await rows(page, 'Folders').nth(2).textContent()).toContain('not reachable');
    expect(await rows(page, 'Endpoints').first().textContent()).toContain('4 at once · 120 per minute');
    const chart = page.getByRole('img', { name: /^Last hour: [\d,]+ sent \(.*\), \d+ refused/ });
    await shows(chart);
    await shows(page.getByRole('img', { name: /^Last hour: at worst, 95% of answers took up to/ }));
    await expect.poll(() => chart.locator('rect').count()).toBeGreaterThan(40);
    await chart.hover({ position: { x: 200, y: 60 } });
    // After midnight, the day precedes the time.
    await shows(page.getByText(/\b\d\d:\d\d: \d+ sent, \d+ refused, \d+ asked to wait, \d+ in trouble\.$/));
    await page.getByRole('button', { name: 'Last day' }).click();
    await shows(page.getByRole('img', { name: /^Last day: [\d,]+ sent/ }));
    await page.getByText('The same as a table').click();
    await expect.poll(() => rows(page, 'Uploads over time').count()).toBeGreaterThan(80);

    here.stub.agent.held = 9_996;
    here.stub.changed();
    await shows(page.getByText('9,999', { exact: true }));
    await rows(page, 'Folders').first().getByRole('link').first().click();
    await heading(page, 'Documents');
    expect(await filtersInUse(page)).toEqual(['State: sent', 'Folder: /srv/scans/front-desk']);
  });

  test('truncates no label of a chart, in any format of time and scale', async () => {
    const page = await here.browser.open('#/', { locale: 'en-US', viewport: { width: 390, height: 800 } });
    here.stub.agent.slowness = 1000;
    await page.getByRole('button', { name: 'Last day' }).click();
    await shows(page.getByRole('img', { name: /^Last day: at worst, 95% of answers took up to/ }));
    const cut = () =>
      page.evaluate<string[]>(
        `[...document.querySelectorAll('.chart svg')].flatMap((svg) => {
        const { left, right } = svg.getBoundingClientRect();
        const labels = [...svg.querySelectorAll('text')];
        if (!labels.some(({ textContent }) => /AM|PM/.test(textContent))) return ['no time'];
        return labels.filter((label) => {
          const box = label.getBoundingClientRect();
          return box.left < left - 0.5 || box.right > right + 0.5;
        }).map(({ textContent }) => textContent);
      })`,
      );
    await expect.poll(cut).toEqual([]);
    // The next test does not expect the stream of this page.
    await page.close();
  });

  test("shows every time by the browser's clock, and says once that the machine's clock differs", async () => {
    const { agent } = here.stub;
    agent.incidents = [
      {
        key: 'SPOOL_UNWRITABLE',
        code: 'SPOOL_UNWRITABLE',
        params: { detail: 'No room since 2026-03-02 09:12:00 +00:00.', keepsScans: true },
        since: '2026-03-02T09:12:00.000Z',
      },
    ];
    const page = await here.browser.open();
    await shows(
      page.getByText('All times are in this browser’s time zone (Europe/Berlin).', { exact: true }),
    );
    const trouble = page.locator('.troubles .notice', { hasText: 'Copies of images can’t be written' });
    await shows(trouble.getByText('Since 2 Mar 2026, 10:12.').first());
    expect(await trouble.getByRole('link', { name: 'Open Storage and log' }).getAttribute('href')).toBe(
      '#/config/storage',
    );
    await trouble.getByText('Details').click();
    expect(await trouble.textContent()).toContain('No room since 2 Mar 2026, 10:12.');
    agent.zone = { name: 'UTC', offsetMinutes: 0 };
    here.stub.changed();
    await shows(page.getByText('receiptd runs in the time zone UTC;'));
    expect(await page.getByText('All times are in').count()).toBe(1);
  });

  test('shows totals, each of which links to that many rows', async () => {
    const { agent } = here.stub;
    agent.fill();
    const total = (isMeant: (row: (typeof agent.rows)[number]) => boolean) =>
      agent.rows.filter(isMeant).length;
    const expected = {
      Sent: total(({ state }) => state === 'accepted'),
      'Needs attention': total(({ needsPerson }) => needsPerson),
      'Left out': total(({ state, needsPerson }) => /duplicate|rejected/.test(state) && !needsPerson),
      Waiting: 3,
    };
    const page = await here.browser.open();
    for (const [name, count] of Object.entries(expected)) {
      await unfold(page);
      const stat = page.locator('.stat', { has: page.getByText(name, { exact: true }) });
      const value = count.toLocaleString('en-GB');
      expect([name, await stat.getByRole('link').textContent()]).toEqual([name, value]);
      await stat.getByRole('link').click();
      const said = page.getByText(new RegExp(`^${value} (in all|shown \\(all\\))\\.`));
      await shows(said);
      // Even a page that is full to its last row offers no next one.
      const isTrue = async () =>
        (await said.textContent())?.includes('(all)') !==
        (await page.getByRole('link', { name: 'Next page' }).isVisible());
      await expect.poll(isTrue, { message: name }).toBe(true);
      await page.goBack();
      await heading(page, 'Today');
    }
  });

  test('says since when the connection is lost, reconnects by itself, and then shows the changes', async () => {
    const page = await here.browser.open();
    await shows(page.getByRole('status').getByText('Live'));
    await shows(page.locator('.headline'));
    await here.stub.down();
    await shows(page.getByText(/The connection to receiptd was lost at/));
    await page.getByText(/No connection; last known state at/).waitFor();
    here.stub.agent.paused.add('branch');
    await here.stub.up();
    await shows(page.getByText('Uploads to endpoint branch are paused'));
    await page.getByText(/The connection to receiptd was lost at/).waitFor({ state: 'detached' });
  });

  test('reconnects when a connection stays silent', async () => {
    const { browser } = here;
    const streams = () => browser.requests.filter((url) => url.endsWith('/v1/events')).length;
    const page = await browser.open('#/', { reducedMotion: 'reduce' });
    await page.clock.install();
    await page.reload();
    await shows(page.getByRole('status').getByText('Live'));
    const before = streams();
    await page.clock.fastForward(30_000);
    expect(streams()).toBe(before);
    // What the agent has just sent may still arrive, and would begin the silence anew.
    const later = async () => {
      await page.clock.fastForward(46_000);
      return streams();
    };
    await expect.poll(later).toBe(before + 1);
    await shows(page.getByRole('status').getByText('Live'));
    // No other test uses its clock and its stream.
    await page.close();
  });

  test('closes the stream of a hidden tab, and shows the changes when the tab is visible again', async () => {
    const { stub, browser } = here;
    const page = await browser.open();
    await shows(page.getByRole('status').getByText('Live'));
    const setHidden = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await expect.poll(() => stub.watchers()).toBe(1);
    await setHidden(true);
    await expect.poll(() => stub.watchers()).toBe(0);
    stub.agent.paused.add('branch');
    await setHidden(false);
    await shows(page.getByText('Uploads to endpoint branch are paused'));
    await expect.poll(() => stub.watchers()).toBe(1);
  });

  const say = (count: number, message: string, level = 'info') => {
    for (let n = 0; n < count; n += 1) here.stub.log(level, message, { n });
  };

  test('shows lines as they are written, filters them, can be paused, and follows the end until a user scrolls up', async () => {
    const page = await here.browser.open('#/log');
    const log = page.getByRole('log', { name: 'Log' });
    say(3, 'A scan was named');
    say(2, 'The service is slow', 'warn');
    here.stub.log('error', 'A folder cannot be reached', { folder: '/srv/scans/front-desk' });
    await shows(page.getByText('6 lines'));
    await shows(log.getByText('folder=/srv/scans/front-desk'));
    await page.getByLabel('Level').selectOption('warn');
    await shows(page.getByText('3 of 6 lines'));
    await page.getByLabel('Contains').fill('FOLDER');
    await shows(page.getByText('1 of 6 lines'));
    expect(page.url()).toContain('#/log?level=warn&match=FOLDER');
    await page.getByLabel('Level').selectOption('');
    await page.getByLabel('Contains').fill('');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    say(4, 'An upload began');
    await page.getByRole('button', { name: 'Continue (4 new)' }).click();
    await shows(page.getByText('10 lines'));

    const fromEnd = () =>
      log.evaluate((box: object) => {
        const { scrollHeight, scrollTop, clientHeight } = box as Record<string, number>;
        return Math.round(Number(scrollHeight) - Number(scrollTop) - Number(clientHeight));
      });
    say(150, 'A document was accepted');
    await shows(log.getByText('n=149'));
    await expect.poll(fromEnd).toBeLessThan(2);
    await log.hover();
    await page.mouse.wheel(0, -600);
    const toEnd = page.getByRole('button', { name: 'To the newest' });
    await shows(toEnd);
    const before = await fromEnd();
    say(5, 'A last word');
    await shows(log.getByText('A last word').last());
    expect(await fromEnd()).toBeGreaterThan(before);
    await toEnd.click();
    await expect.poll(fromEnd).toBeLessThan(2);
    await toEnd.waitFor({ state: 'detached' });
  });

  test('shows no line twice after the connection was lost', async () => {
    const page = await here.browser.open('#/log');
    here.stub.log('info', 'Before it was lost');
    await shows(page.getByText('Before it was lost'));
    await here.stub.down();
    await shows(page.getByText(/The connection to receiptd was lost at/));
    here.stub.log('info', 'While it was lost');
    await here.stub.up();
    await shows(page.getByText('While it was lost'));
    expect(await page.getByText('Before it was lost').count()).toBe(1);
  });
});
