/** The console of a running agent: the built program, its own server, a real browser. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { hasChromium, startBrowser } from '../../console/support/browser.ts';
import { announced, heading, rows, shows } from '../../console/support/inBrowser.ts';
import { drawReceipt } from '../../support/images.ts';
import { Site, cleanUp, practiceService, sha256, temporaryDirectory, until } from '../support/agent.ts';

async function running() {
  const site = new Site(await temporaryDirectory(), await practiceService());
  await site.configure();
  await writeFile(site.config, `# Ours.\n${await readFile(site.config, 'utf8')}`);
  const agent = await site.start();
  const link = async (): Promise<string> => {
    const said = await site.must('console', '--no-open');
    const found = /https?:\/\/\S+#token=\S+/.exec(said)?.[0];
    if (found === undefined) throw new Error(said);
    return found;
  };
  const browser = await startBrowser({ url: new URL(await link()).origin, link });
  cleanUp(() => browser.close());
  return { site, agent, browser };
}

describe.skipIf(!hasChromium)('in a browser, the console of a running agent', () => {
  test('shows a scan from its arrival to its image, its answer and its evidence', async () => {
    const { site, browser } = await running();
    const page = await browser.open('#/');
    await shows(page.getByText('Everything works'));
    const image = await drawReceipt({ type: 'jpeg', seed: 'scan', width: 300, height: 500 });
    await writeFile(site.file('inbox', 'SCAN0001.jpg'), image);
    await until(() => site.sandbox.received().length === 1);
    await page.getByRole('link', { name: 'Documents', exact: true }).click();
    await heading(page, 'Documents');
    const name = String(site.sandbox.received()[0]?.name);
    await page.getByRole('link', { name }).first().click();
    await heading(page, name);
    const shown = page.getByRole('img', { name: `Image of ${name}` });
    await expect.poll(() => shown.evaluate((each: object) => Reflect.get(each, 'naturalWidth'))).toBe(300);
    await shows(page.getByText(sha256(image)));
    await shows(page.getByText('Accepted by the service'));

    const behind = async (label: string): Promise<Buffer> => {
      const place = await page.getByRole('link', { name: label }).first().getAttribute('href');
      // As the browser would ask, without its way of keeping a file.
      const answer = await page.context().request.get(new URL(String(place), page.url()).href);
      expect(answer.headers()['content-disposition']).toMatch(/^attachment;/);
      return answer.body();
    };
    expect(sha256(await behind('Download image'))).toBe(sha256(image));
    expect(JSON.parse(String(await behind('Download evidence')))).toMatchObject({
      document: { name, state: 'accepted' },
    });
    browser.expectNoTrouble();
  });

  test('changes the configuration: its comments stay, it takes effect, and a bad change is refused', async () => {
    const { site, browser } = await running();
    await mkdir(site.file('second'));
    await writeFile(site.file('second', 'B.jpg'), await drawReceipt({ type: 'jpeg', seed: 'b' }));
    const page = await browser.open('#/folders');
    await page.getByRole('link', { name: 'Add folder' }).click();
    await heading(page, 'Add a folder');
    await page.getByLabel('Path').fill(site.file('second'));
    await page.getByLabel('Endpoint').selectOption('depot');
    await page.getByLabel('Name template').fill('{nonsense}');
    await page.getByRole('button', { name: 'Save' }).click();
    await shows(page.getByText('Not saved, nothing is changed:'));
    expect(await page.getByLabel('Path').inputValue()).toBe(site.file('second'));
    expect(await readFile(site.config, 'utf8')).not.toContain('second');

    await page.getByLabel('Name template').fill('second-{stem}');
    await page.getByRole('button', { name: 'Test before saving' }).click();
    await shows(rows(page, 'Names that files would get').getByText(/second-B/));
    await page.getByRole('button', { name: 'Save' }).click();
    await announced(page, 'The folder is added.');
    const text = await readFile(site.config, 'utf8');
    expect(text).toMatch(/^# Ours\.\n/);
    expect(text).toContain(site.file('second'));
    await until(() => site.sandbox.received().some(({ name }) => name.startsWith('second-B')));
    browser.expectNoTrouble();
  });

  test('pauses and resumes, tells so on a page that is open, shows the log, and ends with the session', async () => {
    const { site, agent, browser } = await running();
    const page = await browser.open('#/folders');
    await page.getByRole('button', { name: `Pause ${site.file('inbox')}` }).click();
    await announced(page, `${site.file('inbox')} is paused.`);
    expect(await site.must('status')).toContain('paused');
    await site.must('resume', site.file('inbox'));
    await shows(rows(page, 'Folders').first().getByText('watching'));
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await heading(page, 'Log');
    await shows(page.getByText('receiptd has started').first());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await shows(page.getByText('You are not signed in'));
    expect(await page.evaluate(`fetch('/v1/events').then(({ status }) => status)`)).toBe(401);
    expect(agent.alive).toBe(true);
    expect(await agent.stop()).toMatchObject({ status: 0 });
  });
});
