import { expect, test } from 'vitest';
import { heading, inBrowser, shows } from '../../console/app/support/inBrowser.ts';
import { PASSWORD } from '../../console/app/support/stubService.ts';

inBrowser('a session of the console', (here) => {
  test('begins with a link, whose token is removed from the address at once and works once', async () => {
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

  test('is explained to strangers with `receiptd console`, without a password field if no password is set', async () => {
    const page = await here.browser.blank();
    await page.goto(`${here.stub.url}/#/documents`);
    await heading(page, 'You are not signed in');
    await shows(page.getByText('receiptd console', { exact: true }));
    expect(await page.getByLabel('Password').count()).toBe(0);
  });

  test('begins with the password if one is set; a wrong password is reported on the same page', async () => {
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

  test('leaves no data visible after signing out or when it ends elsewhere', async () => {
    const page = await here.browser.blank();
    await page.goto(await here.stub.link());
    await heading(page, 'Overview');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await heading(page, 'You are not signed in');
    expect(await page.getByText('/srv/scans').count()).toBe(0);

    // In the open tab, only the part of the address after the # changes.
    await page.goto(await here.stub.link());
    await heading(page, 'Overview');
    expect(page.url()).not.toContain('token');
    here.stub.forgetSessions();
    await page.getByRole('link', { name: 'Settings' }).click();
    await heading(page, 'You are not signed in');
  });
});
