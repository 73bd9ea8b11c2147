import { expect, test } from 'vitest';
import { inBrowser, shows } from '../../console/app/support/inBrowser.ts';

inBrowser('the live log', (here) => {
  const say = (count: number, message: string, level = 'info') => {
    for (let n = 0; n < count; n += 1) here.stub.log(level, message, { n });
  };

  test('shows lines as they are written, filters them, and can be paused', async () => {
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
    await page.getByRole('button', { name: 'Pause' }).click();
    say(4, 'An upload began');
    await page.getByRole('button', { name: 'Continue (4 new)' }).click();
    await shows(page.getByText('10 lines'));
  });

  test('follows the end until a user scrolls up, and again on request', async () => {
    const page = await here.browser.open('#/log');
    const log = page.getByRole('log');
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
