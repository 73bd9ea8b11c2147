import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { announced, heading, inBrowser, rows, shows } from '../../console/app/support/inBrowser.ts';
import type { Row } from '../../console/app/support/stubData.ts';

const widthOf = (image: object): unknown => Reflect.get(image, 'naturalWidth');

inBrowser('the page of a document', (here) => {
  const find = (isIt: (row: Row) => boolean) => {
    const row = here.stub.agent.rows.find((each) => each.documentId !== null && isIt(each));
    if (row === undefined) throw new Error('no such row');
    return row;
  };
  const go = (page: Page, id: number | string | null) => page.goto(`${here.stub.url}/#/documents/${id}`);
  const open = (row: Row) => here.browser.open(`#/documents/${row.documentId}`);
  const asked = (operation: string) =>
    here.stub.agent.asked.filter((each) => each.operation === operation).map(({ request }) => request);

  test('shows the image, all facts, the events in order, and the answer as it arrived', async () => {
    here.stub.agent.results = [];
    const row = find(({ state, type }) => state === 'accepted' && type === 'jpeg');
    const page = await open(row);
    await heading(page, String(row.name));
    const image = page.getByRole('img', { name: `Image of ${row.name}` });
    await expect.poll(() => image.evaluate(widthOf)).toBe(300);
    await shows(page.getByText(String(row.sha256)));
    await shows(page.getByRole('link', { name: row.folder }));
    const steps = await page.getByRole('listitem').locator('strong').allTextContents();
    expect(steps).toEqual([
      'File seen',
      'Named and recorded',
      'The service was busy or down',
      'Accepted by the service',
      'File seen: duplicate',
      'File kept',
    ]);
    await shows(page.getByText('The service has a problem (HTTP 503).'));
    const raw = page.getByRole('group', { name: 'Answer of the service' });
    expect(await raw.isVisible()).toBe(false);
    await page.getByText('As received').click();
    const answer = await raw.textContent();
    // A number beyond the precision of browsers stays unchanged.
    expect(answer).toContain(
      '  "number": 12345678901234567890,\n  "pages": [\n    {\n      "index": 0\n    }\n  ],\n  "notes": []\n}',
    );
    expect(await page.getByRole('button', { name: 'Send now' }).count()).toBe(0);
  });

  test('shows the pages of a PDF one by one, and pictures of types that browsers do not show, or else the image for download', async () => {
    here.stub.agent.hasNoPictures = true;
    const { documentId } = find(({ type, state }) => type === 'tiff' && state === 'accepted');
    const page = await here.browser.open(`#/documents/${documentId}`);
    await shows(page.getByText('This TIFF has no preview.'));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download image' }).first().click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${documentId}.tiff`);

    here.stub.agent.hasNoPictures = false;
    const { pictures } = here.stub.agent;
    pictures.length = 0;
    const row = find(({ type, state }) => type === 'pdf' && state === 'accepted');
    await go(page, row.documentId);
    const image = page.getByRole('img', { name: `Image of ${row.name}` });
    await expect.poll(() => image.evaluate(widthOf)).toBe(300);
    await shows(page.getByText('Page 1 of 3'));
    const next = page.getByRole('button', { name: 'Next page' });
    await next.click();
    await shows(page.getByText('Page 2 of 3'));
    await next.click();
    await shows(page.getByText('Page 3 of 3'));
    expect(await next.isDisabled()).toBe(true);
    await expect.poll(() => pictures).toEqual(['preview pdf 1', 'preview pdf 2', 'preview pdf 3']);
    await go(page, documentId);
    await expect.poll(() => page.getByRole('img', { name: /^Image of/ }).evaluate(widthOf)).toBe(300);
    expect(await page.getByText('Page 1 of').count()).toBe(0);
  });

  test('says if the image or the document does not exist', async () => {
    const row = find(({ state }) => state === 'lost');
    Object.assign(row, { type: 'jpeg' });
    const page = await open(row);
    await shows(page.getByText('The image is gone'));
    await go(page, 999999);
    await shows(page.getByRole('alert').getByText('The ledger has no document with the number 999999.'));
    await go(page, 'abc');
    await heading(page, 'Page not found');
    await page.getByRole('main').getByRole('link', { name: 'Today' }).click();
    await heading(page, 'Today');
  });

  test('tells a refusal from a busy service, and sends a failed, unconfirmed or lost document again after a dialog, and a queued one at once', async () => {
    const found = (['failed', 'unconfirmed', 'lost', 'queued'] as const).map((state) =>
      find((each) => each.state === state),
    );
    const { createdAt } = found[0]!;
    const attempt = {
      id: 1,
      startedAt: createdAt,
      finishedAt: createdAt,
      bytes: 1,
      message: null,
      fact: null,
    };
    here.stub.agent.attempts = [
      { ...attempt, outcome: 'limited', httpStatus: 429 },
      { ...attempt, outcome: 'unknown', httpStatus: 503 },
      { ...attempt, outcome: 'unknown', httpStatus: null },
      { ...attempt, outcome: 'refused', httpStatus: 422 },
    ];
    const page = await open(found[0]!);
    const steps = await page.locator('.timeline strong').allTextContents();
    expect(steps.filter((step) => !/^File|^Named|^Result/.test(step))).toEqual([
      'The service asked to wait',
      'The service was busy or down',
      'Upload without an answer',
      'Refused by the service',
    ]);
    for (const [at, row] of found.entries()) {
      await go(page, row.documentId);
      await heading(page, String(row.name));
      if (row.state === 'queued') await page.getByRole('button', { name: 'Send now' }).click();
      else {
        await page.getByRole('button', { name: 'Send again …' }).click();
        const dialog = page.getByRole('dialog', { name: 'Send this document again?' });
        await shows(dialog.getByText(`under its name, ${row.name}`));
        await dialog.getByRole('button', { name: 'Send again' }).click();
      }
      await expect.poll(() => asked('retry')).toHaveLength(at + 1);
      await announced(page, 'Queued again: 1 document.');
      await shows(page.locator('.facts').getByText('waiting'));
    }
    expect(asked('retry')).toEqual(found.map(({ name }) => ({ names: [name] })));
  });

  test('sends an accepted document again only after a dialog that explains it, also to an endpoint that may have it', async () => {
    const row = find(
      ({ state, endpointUid }) =>
        state === 'accepted' && endpointUid !== null && endpointUid.startsWith('6f'),
    );
    const page = await open(row);
    await page.getByRole('button', { name: 'Send again …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send this document again?' });
    await shows(dialog.getByText('once more under the same name'));
    await page.keyboard.press('Escape');
    // The page may not have handled the close event yet.
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(asked('resend')).toEqual([]);
    // The focus returns to where it was.
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await announced(page, `${row.name} is queued.`);
    expect(asked('resend')).toEqual([{ name: row.name }]);

    await page.getByRole('button', { name: 'Send again …' }).click();
    expect(await dialog.getByLabel('To').locator('option').allTextContents()).toEqual([
      'the same endpoint',
      'branch',
    ]);
    await dialog.getByLabel('To').selectOption('branch');
    await shows(dialog.getByText('as a separate document'));
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await announced(page, `branch already has this image, as ${row.name}. Nothing was sent.`);
    expect(asked('resend')).toEqual([{ name: row.name }, { name: row.name, endpoint: 'branch' }]);
  });

  test('follows changes of the document', async () => {
    const row = find(({ state }) => state === 'uploading');
    const page = await open(row);
    await shows(page.locator('.facts').getByText('being sent'));
    const { agent } = here.stub;
    agent.rows = agent.rows.map((each) =>
      each === row ? { ...row, state: 'accepted', status: 'PROCESSING' } : each,
    );
    here.stub.changed();
    await shows(page.locator('.facts').getByText('sent', { exact: true }));
  });

  test('is reached from what the service posted, which is listed newest first and shown as it arrived', async () => {
    const { agent } = here.stub;
    agent.fill();
    const page = await here.browser.open('#/documents?state=failed');
    await page.getByRole('link', { name: 'Results' }).click();
    await heading(page, 'Results');
    const listed = rows(page, 'Results');
    await expect.poll(() => listed.count()).toBe(50);
    await shows(page.getByText('60 in all.'));
    await shows(listed.nth(1).getByRole('link', { name: agent.results[1]?.document?.name ?? '' }));

    await page.getByRole('link', { name: 'Only without a document' }).click();
    await expect.poll(() => listed.count()).toBe(3);
    const first = listed.first();
    await shows(first.getByText('elsewhere-60'));
    await first.getByRole('button', { name: 'Show' }).click();
    // A number beyond the precision of browsers stays unchanged.
    await shows(first.getByText('"number": 12345678901234567890'));
    await first.getByRole('button', { name: 'Hide' }).click();
    expect(await first.getByRole('group').count()).toBe(0);

    await page.goBack();
    await page.getByRole('link', { name: 'Next page' }).click();
    await expect.poll(() => listed.count()).toBe(10);
    await listed.nth(2).getByRole('link').click();
    await heading(page, agent.results[52]?.document?.name ?? '');
    // Among the other events of the document.
    await shows(page.getByText('Result received: DONE'));
    const section = page.getByRole('region', { name: 'Results of the service' });
    await section.getByRole('button', { name: 'Show' }).click();
    await shows(section.getByText('"total": "12.50"'));
  });
});
