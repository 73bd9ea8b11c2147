import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { axeViolations, hasChromium, sideways, type TestBrowser } from '../../console/app/support/browser.ts';
import { heading, shows } from '../../console/app/support/inBrowser.ts';
import { drawReceipt } from '../../support/images.ts';
import { sha256, type Site } from '../support/agent.ts';
import { watchedForFile } from '../support/console.ts';

const mimeType = 'image/jpeg';
const draw = async (name: string, seed = name) => ({
  name,
  mimeType,
  buffer: Buffer.from(await drawReceipt({ type: 'jpeg', seed })),
});

/** Presses the button, and chooses these files. */
async function choose(page: Page, button: string, files: Awaited<ReturnType<typeof draw>>[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: button }).press('Enter'),
  ]);
  await chooser.setFiles(files);
}

/** One agent for all tests, one after the other. */
describe.skipIf(!hasChromium)('files by hand in the console', () => {
  const watched = watchedForFile();
  let site: Site;
  let browser: TestBrowser;
  beforeAll(() => void ({ site, browser } = watched()));

  test('chosen files are sent after a question, and the page says what became of each', async () => {
    const page = await browser.open('#/documents');
    const [taxi, lunch] = [await draw('taxi.jpg'), await draw('lunch.jpg')];
    const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Milk, eggs') };
    await choose(page, 'Send files …', [taxi, notes]);
    const dialog = page.getByRole('dialog', { name: 'Send 2 files?' });
    await dialog.getByLabel('To').selectOption('depot');
    await shows(dialog.getByText('Sends 2 files to depot.'));
    await dialog.getByLabel('To').selectOption('office');
    await shows(dialog.getByText('Sends 2 files to office.'));
    expect(await axeViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await site.list()).toEqual([]);

    await choose(page, 'Send files …', [taxi, notes]);
    await dialog.getByLabel('To').selectOption('office');
    await dialog.getByRole('button', { name: 'Send 2 files' }).click();
    const over = page.getByRole('dialog', { name: 'Result' });
    await shows(over.getByText('1 queued, 1 not sent.'));
    const items = over.getByRole('listitem');
    await shows(items.nth(0).getByText('Queued as taxi-'));
    await shows(items.nth(1).getByText('Not sent. Not an image'));
    expect(await axeViolations(page)).toEqual([]);
    await expect
      .poll(() => site.sandbox.received().map((each) => each.sha256))
      .toEqual([sha256(taxi.buffer)]);
    await over.getByRole('button', { name: 'Close' }).click();

    await choose(page, 'Send files …', [taxi, lunch]);
    await page.getByRole('button', { name: 'Send 2 files' }).click();
    await shows(over.getByText('1 queued, 1 already known.'));
    await shows(items.nth(0).getByText('Sent already as taxi-'));
    await over.getByRole('link', { name: 'taxi-' }).click();
    await heading(page, /^taxi-/);
  });

  test('dropped files are sent too, in German and on a phone, and held ones say why', async () => {
    await site.quickMust('pause', 'office');
    const viewport = { width: 360, height: 740 };
    const page = await browser.open('#/documents', { locale: 'de-DE', viewport });
    const { buffer } = await draw('beleg.jpg');
    const data = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      const bytes = Uint8Array.from(atob('${buffer.toString('base64')}'), (char) => char.codePointAt(0));
      transfer.items.add(new File([bytes], 'beleg.jpg'));
      return transfer;
    })()`);
    await page.dispatchEvent('main', 'dragover', { dataTransfer: data });
    await shows(page.getByText('Dateien hier ablegen, um sie zu senden'));
    await page.dispatchEvent('main', 'drop', { dataTransfer: data });
    expect(await page.getByText('Dateien hier ablegen, um sie zu senden').count()).toBe(0);
    const dialog = page.getByRole('dialog', { name: '1 Datei senden?' });
    await shows(dialog.getByText('Sendet 1 Datei an office.'));
    expect(await axeViolations(page)).toEqual([]);
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
    await dialog.getByRole('button', { name: '1 Datei senden' }).click();
    const over = page.getByRole('dialog', { name: 'Ergebnis' });
    await shows(over.getByText('Eingereiht als beleg-'));
    await shows(over.getByText(/Angehalten von|Pausiert von/));
    expect(await sideways(page)).toMatchObject({ by: 0, what: '' });
    await site.quickMust('resume', 'office');
    await expect
      .poll(() => site.sandbox.received().some((each) => each.sha256 === sha256(buffer)))
      .toBe(true);
  });
});
