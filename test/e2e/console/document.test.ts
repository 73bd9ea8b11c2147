import { expect, test } from 'vitest';
import { announced, heading, inBrowser, shows } from '../../console/app/support/inBrowser.ts';
import type { Row } from '../../console/app/support/stubData.ts';

const widthOf = (image: object): unknown => Reflect.get(image, 'naturalWidth');

inBrowser('the page of a document', (here) => {
  const find = (isIt: (row: Row) => boolean) => {
    const row = here.stub.agent.rows.find((each) => each.documentId !== null && isIt(each));
    if (row === undefined) throw new Error('no such row');
    return row;
  };
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
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
  });

  test('distinguishes a throttled request, a busy service and a missing answer from a refusal', async () => {
    const row = find(({ state }) => state === 'failed');
    const attempt = { id: 1, startedAt: row.createdAt, finishedAt: row.createdAt, bytes: 1, message: null };
    here.stub.agent.attempts = [
      { ...attempt, outcome: 'limited', httpStatus: 429 },
      { ...attempt, outcome: 'unknown', httpStatus: 503 },
      { ...attempt, outcome: 'unknown', httpStatus: null },
      { ...attempt, outcome: 'refused', httpStatus: 422 },
    ];
    const page = await open(row);
    const steps = await page.locator('.timeline strong').allTextContents();
    expect(steps.filter((step) => !/^File|^Named|^Result/.test(step))).toEqual([
      'The service asked to wait',
      'The service was busy or down',
      'Upload without an answer',
      'Refused by the service',
    ]);
  });

  test('shows the pages of a PDF one by one, and pictures of types that browsers do not show', async () => {
    const row = find(({ type, state }) => type === 'pdf' && state === 'accepted');
    const page = await open(row);
    const image = page.getByRole('img', { name: `Image of ${row.name}` });
    await expect.poll(() => image.evaluate(widthOf)).toBe(300);
    await shows(page.getByText('Page 1 of 3'));
    const next = page.getByRole('button', { name: 'Next page' });
    await next.click();
    await shows(page.getByText('Page 2 of 3'));
    await next.click();
    await shows(page.getByText('Page 3 of 3'));
    expect(await next.isDisabled()).toBe(true);
    const { pictures } = here.stub.agent;
    await expect.poll(() => pictures).toEqual(['preview pdf 1', 'preview pdf 2', 'preview pdf 3']);
    const { documentId } = find(({ type, state }) => type === 'tiff' && state === 'accepted');
    await here.browser.reopen(page, `#/documents/${documentId}`);
    await expect.poll(() => page.getByRole('img', { name: /^Image of/ }).evaluate(widthOf)).toBe(300);
    expect(await page.getByText('Page 1 of').count()).toBe(0);
  });

  test('offers the image for download if there is no picture', async () => {
    here.stub.agent.hasNoPictures = true;
    const row = find(({ type, state }) => type === 'tiff' && state === 'accepted');
    const page = await open(row);
    await shows(page.getByText('This TIFF has no preview.'));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download image' }).first().click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${row.documentId}.tiff`);
  });

  test('says if the image no longer exists', async () => {
    const row = find(({ state }) => state === 'lost');
    Object.assign(row, { type: 'jpeg' });
    const page = await open(row);
    await shows(page.getByText('The image is gone'));
  });

  test('offers a retry for a failed, unconfirmed, lost or queued document', async () => {
    const found = (['failed', 'unconfirmed', 'lost', 'queued'] as const).map((state) =>
      find((each) => each.state === state),
    );
    const page = await open(found[0]!);
    for (const [at, row] of found.entries()) {
      await page.goto(`${here.stub.url}/#/documents/${row.documentId}`);
      await heading(page, String(row.name));
      await page.getByRole('button', { name: 'Retry' }).click();
      await expect.poll(() => asked('retry')).toHaveLength(at + 1);
      await announced(page, 'Queued again: 1 document.');
      await shows(page.locator('.facts').getByText('waiting'));
    }
    expect(asked('retry')).toEqual(found.map(({ name }) => ({ names: [name] })));
  });

  test('sends an accepted document again only after a dialog that explains it', async () => {
    const row = find(
      ({ state, endpointUid }) =>
        state === 'accepted' && endpointUid !== null && endpointUid.startsWith('6f'),
    );
    const page = await open(row);
    await page.getByRole('button', { name: 'Send again …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send this document again?' });
    await shows(dialog.getByText('It is sent again under the same name'));
    await page.keyboard.press('Escape');
    // The page may not have handled the close event yet.
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(asked('resend')).toEqual([]);
    // The focus returns to where it was.
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await announced(page, `${row.name} is queued.`);
    expect(asked('resend')).toEqual([{ name: row.name }]);
  });

  test('sends a document to another endpoint, which may have it already', async () => {
    const row = find(
      ({ state, endpointUid }) =>
        state === 'accepted' && endpointUid !== null && endpointUid.startsWith('6f'),
    );
    const page = await open(row);
    await page.getByRole('button', { name: 'Send again …' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('To').locator('option').allTextContents()).toEqual([
      'the same endpoint',
      'branch',
    ]);
    await dialog.getByLabel('To').selectOption('branch');
    await shows(dialog.getByText('as a separate document'));
    await dialog.getByRole('button', { name: 'Send again' }).click();
    await announced(page, `branch already has this image, as ${row.name}. Nothing was sent.`);
    expect(asked('resend')).toEqual([{ name: row.name, endpoint: 'branch' }]);
  });

  test('reports an unknown document', async () => {
    const page = await here.browser.open('#/documents/999999');
    await shows(page.getByRole('alert').getByText('This document or file does not exist'));
    await here.browser.reopen(page, '#/documents/abc');
    await shows(page.getByRole('heading', { name: 'Page not found' }));
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
    await shows(page.locator('.facts').getByText('accepted'));
  });
});
