import { expect, test } from 'vitest';
import { axeViolations, sideways } from '../../console/app/support/browser.ts';
import { inBrowser, rows, shows } from '../../console/app/support/inBrowser.ts';
import { isMeant } from '../../console/app/support/stubList.ts';

inBrowser('the page that says whether everything arrived', (here) => {
  const day = (back: number) => {
    const at = new Date(Date.now() - back * 86_400_000);
    // The browser's time zone.
    return at.toLocaleDateString('sv-SE', { timeZone: 'Europe/Berlin' });
  };
  const seenOn = (first: string, last: string) => {
    const midnight = (text: string, days: number) =>
      new Date(Date.parse(`${text}T00:00:00+01:00`) + days * 86_400_000).toISOString();
    const span = { since: midnight(first, 0), until: midnight(last, 1) };
    return here.stub.agent.rows.filter((row) => isMeant(row, span));
  };

  test('counts the files of a day by folder, and links to open ones', async () => {
    here.stub.agent.fill();
    const page = await here.browser.open(`#/days?day=${day(1)}`);
    const seen = seenOn(day(1), day(1));
    expect(seen.length).toBeGreaterThan(20);
    const total = rows(page, 'Files by folder').last();
    await shows(total.getByRole('cell').first().getByText(String(seen.length), { exact: true }));
    const accepted = seen.filter(({ state }) => state === 'accepted').length;
    const link = total.getByRole('link', { name: String(accepted), exact: true }).first();
    const open = [
      'rejected',
      'failed',
      'lost',
      'queued',
      'uploading',
      'held',
      'unconfirmed',
      'incomplete',
      'unreadable',
    ];
    const isOpen = seen.filter(({ state }) => open.includes(state)).length;
    await shows(page.getByText(new RegExp(`^${isOpen} of ${seen.length} files are pending:`)));
    await link.click();
    await shows(page.getByText(`${Math.min(50, accepted)} shown`));
    if (accepted > 50) await shows(page.getByText(`${accepted} in all.`));
    expect(page.url()).toContain(`since=${day(1)}`);
  });

  test('moves by day, week and month, all of which are in the address', async () => {
    const page = await here.browser.open(`#/days?day=2026-03-29`);
    await shows(page.getByRole('heading', { name: '29 Mar 2026' }));
    // The clocks go forward that night.
    await page.getByRole('button', { name: 'Later' }).click();
    await shows(page.getByRole('heading', { name: '30 Mar 2026' }));
    await page.getByRole('button', { name: 'Week' }).click();
    await shows(page.getByRole('heading', { name: '30 Mar 2026 – 5 Apr 2026' }));
    await page.getByRole('button', { name: 'Earlier' }).click();
    await shows(page.getByRole('heading', { name: '23 Mar 2026 – 29 Mar 2026' }));
    await page.getByRole('button', { name: 'Month' }).click();
    await shows(page.getByRole('heading', { name: '1 Mar 2026 – 31 Mar 2026' }));
    await page.getByLabel('Date').fill('2026-02-10');
    await shows(page.getByRole('heading', { name: '1 Feb 2026 – 28 Feb 2026' }));
    await shows(page.getByText('No file was seen in this period.'));
    await page.reload();
    await shows(page.getByRole('heading', { name: '1 Feb 2026 – 28 Feb 2026' }));
  });

  test('compares the folders with the ledger on request, whatever the files are called, also on a phone and in print', async () => {
    const page = await here.browser.open('#/days?span=week');
    await page.getByRole('button', { name: 'Compare' }).click();
    const branch = page.getByRole('region', { name: '/srv/scans/branch' });
    await shows(branch.getByText('2 of 12 files do not match the ledger:'));
    await shows(branch.getByText('late.jpg: not picked up yet'));
    await shows(
      branch.getByText('<img src=x onerror=alert(1)>.jpg: in the ledger, but no longer in the folder'),
    );
    await shows(page.getByText('12 files in the folder, all of them in the ledger.').first());
    await shows(rows(page, 'Files by folder').first());
    expect(await axeViolations(page)).toEqual([]);

    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
    expect(await axeViolations(page)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    // Without the parts for the screen only.
    expect(await page.getByRole('navigation', { name: 'Pages', exact: true }).isVisible()).toBe(false);
    expect(await page.getByRole('table', { name: 'Files by folder' }).isVisible()).toBe(true);
  });
});
