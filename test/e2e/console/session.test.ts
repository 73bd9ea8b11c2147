import { expect, test } from 'vitest';
import { heading, inBrowser, shows } from '../../console/app/support/inBrowser.ts';
import { PASSWORD } from '../../console/app/support/stubService.ts';

inBrowser('a session of the console', (here) => {
  test('begins with the opening link, whose token leaves the address at once and works once', async () => {
    const { stub, browser } = here;
    const link = await stub.link();
    const page = await browser.blank();
    await page.goto(link);
    await heading(page, 'Overview');
    expect(page.url()).toBe(`${stub.url}/#/`);
    const other = await browser.blank();
    await other.goto(link);
    await heading(other, 'You are not signed in');
    await shows(other.getByText('This link has already been used'));
    expect(other.url()).not.toContain('token');
  });

  test('a stranger is told to run `receiptd console`, and gets no password field where there is none', async () => {
    const page = await here.browser.blank();
    await page.goto(`${here.stub.url}/#/documents`);
    await heading(page, 'You are not signed in');
    await shows(page.getByText('receiptd console', { exact: true }));
    expect(await page.getByLabel('Password').count()).toBe(0);
  });

  test('a password signs in where one is set; a wrong one says so and keeps the page', async () => {
    here.stub.setPassword(true);
    const page = await here.browser.blank();
    await page.goto(`${here.stub.url}/#/folders`);
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await shows(page.getByText('Wrong password.'));
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await heading(page, 'Folders');
    here.stub.setPassword(false);
  });

  test('signing out shows no data any more, and a session that ends elsewhere does the same', async () => {
    const page = await here.browser.blank();
    await page.goto(await here.stub.link());
    await heading(page, 'Overview');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'You are not signed in');
    expect(await page.getByText('/srv/scans').count()).toBe(0);

    // In the tab that is open: the address changes behind the # alone.
    await page.goto(await here.stub.link());
    await heading(page, 'Overview');
    expect(page.url()).not.toContain('token');
    here.stub.forgetSessions();
    await page.getByRole('link', { name: 'Settings' }).click();
    await heading(page, 'You are not signed in');
  });
});
