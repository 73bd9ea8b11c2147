import { beforeEach, expect, test } from 'vitest';
import { heading, inBrowser, rows, shows } from '../../console/app/support/inBrowser.ts';

inBrowser('what the service posted', (here) => {
  beforeEach(() => here.stub.agent.fill());

  test('is listed newest first, page by page, with its document', async () => {
    const page = await here.browser.open('#/documents');
    await page.getByRole('link', { name: 'Results' }).click();
    await heading(page, 'Results');
    await expect.poll(() => rows(page, 'Results').count()).toBe(50);
    await shows(page.getByText('60 in all.'));
    const name = here.stub.agent.results[1]?.document?.name ?? '';
    await shows(rows(page, 'Results').nth(1).getByRole('link', { name }));
    await page.getByRole('link', { name: 'Next page' }).click();
    await expect.poll(() => rows(page, 'Results').count()).toBe(10);
    await rows(page, 'Results').nth(2).getByRole('link').click();
    await heading(page, here.stub.agent.results[52]?.document?.name ?? '');
  });

  test('is shown as it arrived, even without a document', async () => {
    const page = await here.browser.open('#/results');
    await page.getByRole('link', { name: 'Only without a document' }).click();
    await expect.poll(() => rows(page, 'Results').count()).toBe(3);
    const first = rows(page, 'Results').first();
    await shows(first.getByText('elsewhere-60'));
    await first.getByRole('button', { name: 'Show' }).click();
    // A number beyond the precision of browsers stays unchanged.
    await shows(first.getByText('"number": 12345678901234567890'));
    await first.getByRole('button', { name: 'Hide' }).click();
    expect(await first.getByRole('group').count()).toBe(0);
  });

  test('is shown on the page of its document, among the other events', async () => {
    const about = here.stub.agent.results[1]?.document;
    const page = await here.browser.open(`#/documents/${about?.id}`);
    await shows(page.getByText('Result received: DONE'));
    const section = page.getByRole('region', { name: 'Results of the service' });
    await section.getByRole('button', { name: 'Show' }).click();
    await shows(section.getByText('"total": "12.50"'));
  });
});
