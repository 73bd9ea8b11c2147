/** `receiptd setup --browser`: from an empty machine to a working agent, on one page. */
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import {
  axeViolations,
  hasChromium,
  startBrowser,
  startChromium,
  type Chromium,
} from '../../console/app/support/browser.ts';
import { heading, shows } from '../../console/app/support/inBrowser.ts';
import { ask, own, perform, signIn } from '../../console/server/browser.ts';
import { cleanUp } from '../../support/cleanUp.ts';
import { OFFICE, until } from '../support/agent.ts';
import { SECRET, desk, runsServices, type Desk } from '../support/desk.ts';
import { Resident } from '../support/inProcess.ts';

/** A setup that waits for its link to be opened. */
async function waiting(here: Desk, ...args: string[]): Promise<{ link: string; setup: Resident }> {
  const given = ['--browser', '--no-open', '--config', here.config, ...args];
  const setup = new Resident(given, { cwd: here.dir, env: here.env }, 'setup');
  cleanUp(() => setup.stop());
  return { setup, link: await setup.printed(/http:\S+/) };
}

/** Options that answer all questions before the folder. */
function untilFolder({ sandbox }: Desk): string[] {
  return ['--base-url', sandbox.url, '--client-id', 'e2e', '--endpoint-uid', OFFICE, '--no-verify'];
}

describe.skipIf(!hasChromium)('setup in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium();
  });
  afterAll(() => chromium?.close());

  const next = (page: Page) => page.getByRole('button', { name: /^(?:Next|Weiter)$/ });
  async function typed(page: Page, question: string, answer: string): Promise<void> {
    await page.getByLabel(question).fill(answer);
    await next(page).click();
  }
  async function chosen(page: Page, question: string, choice: string | RegExp): Promise<void> {
    const asked = page.getByRole('group', { name: question });
    await asked.getByLabel(choice).check();
    await next(page).click();
  }
  async function said(page: Page, question: string, word: string): Promise<void> {
    await page.getByRole('group', { name: question }).getByRole('button', { name: word }).click();
  }

  test('leads from nothing to a working agent without a terminal, in German', async () => {
    const here = await desk();
    await mkdir(join(here.scans, 'From the copier'));
    await writeFile(join(here.scans, 'From the copier', 'of-last-year.jpg'), 'never read');
    // Root picks among folders that the agent's user may enter.
    await chmod(here.dir, 0o755);
    const { link, setup } = await waiting(here);
    const browser = await startBrowser({ url: new URL(link).origin, link: async () => link }, chromium);
    const page = await browser.blank({ locale: 'de-DE' });
    await page.goto(link);
    await heading(page, 'receiptd einrichten');
    expect(page.url()).not.toContain(new URL(link).hash.slice(7));
    await chosen(page, 'Wohin gehen die Belege?', 'An unseren Dienst zur Belegerkennung');
    await typed(page, 'Adresse des Dienstes:', 'ftp://nowhere');
    await shows(page.getByText('Erwartet wird eine Adresse wie'));
    await typed(page, 'Adresse des Dienstes:', here.sandbox.url);
    await typed(page, 'Client-ID:', 'e2e');
    await typed(page, 'Client-Secret:', 'wrong');
    await shows(page.getByText('Bitte geben Sie sie noch einmal ein (2 von 3).'));
    await typed(page, 'Client-ID:', '');
    await typed(page, 'Client-Secret:', SECRET);
    await shows(page.getByText('Der Dienst nimmt die Zugangsdaten an: Sandbox Company.'));
    await chosen(page, 'Welcher Endpunkt?', 'Ich habe die Uid eines Endpunkts');
    await typed(page, 'Uid des Endpunkts:', OFFICE);
    await shows(page.getByText(/In welchem Ordner kommen die Scans an|Pfad des Ordners/));
    // Likely folders of this machine are offered first.
    const which = 'In welchem Ordner kommen die Scans an?';
    if ((await page.getByRole('group', { name: which }).count()) > 0)
      await chosen(page, which, 'In einem anderen Ordner');
    const picker = page.getByRole('region', { name: 'Ordner' });
    expect(await axeViolations(page)).toEqual([]);
    // The choice begins at home; for root, at the file system root.
    while (process.geteuid?.() !== 0 && !(await picker.getByText(/^Ordner in \/$/).isVisible()))
      await picker.getByRole('button', { name: 'Eine Ebene höher' }).click();
    for (const step of here.scans.slice(1).split('/'))
      await picker.getByRole('button', { name: step, exact: true }).click();
    await picker.getByRole('button', { name: 'From the copier' }).click();
    await shows(picker.getByText('Hier sind keine Ordner.'));
    await next(page).click();
    const lying = page.getByRole('group', { name: 'Was soll mit den Dateien geschehen' });
    expect(await lying.getByLabel('Liegen lassen und nur neue senden').isChecked()).toBe(true);
    await next(page).click();
    await chosen(page, 'Soll am Scanner zu sehen sein', /^Nein$/);
    const many = 'Wie viele Belege dürfen höchstens gesendet werden?';
    await typed(page, many, '20');
    await shows(page.getByLabel('E-Mail-Adresse für Meldungen'));
    await page.getByRole('button', { name: 'Zurück' }).click();
    expect(await page.getByLabel(many).getAttribute('placeholder')).toBe('20');
    await typed(page, many, '');
    await typed(page, 'E-Mail-Adresse für Meldungen', 'none');
    if (runsServices) await said(page, 'receiptd als Dienst installieren', 'Nein');
    await said(page, 'Zur Probe einen Beleg senden?', 'Ja');
    await chosen(page, 'Einverstanden?', 'Ja');
    await heading(page, 'Die Einrichtung ist fertig');
    const shown = await page.locator('main').locator('li, p').filter({ visible: true }).allInnerTexts();
    expect(shown.length).toBeGreaterThan(30);
    const english = /\b(?:the|you|your|is|which|with|nothing|not)\b/;
    expect(shown.filter((each) => english.test(each.replace('From the copier', '')))).toEqual([]);
    expect(here.sandbox.received()).toHaveLength(1);
    expect(await page.content()).not.toContain(SECRET);
    await setup.logged('"Watching"');
    expect((await here.settings())['folders']).toEqual([
      expect.objectContaining({ path: join(here.scans, 'From the copier'), existing: 'skip' }),
    ]);
    browser.expectNoTrouble();
    await page.getByRole('link', { name: 'Konsole öffnen' }).click();
    await heading(page, 'Heute');
    // Setup has ended, and the agent continues with its own console.
    await expect(fetch(link)).rejects.toThrow('fetch failed');
    await browser.close();
    expect((await setup.stop()).status).toBe(0);
  });

  test('restarts at the first question on request, and a used link signs nobody in', async () => {
    const here = await desk();
    const { link } = await waiting(here);
    const browser = await startBrowser({ url: new URL(link).origin, link: async () => link }, chromium);
    const page = await browser.blank();
    await page.goto(link);
    await chosen(page, 'Where should the receipts go?', 'To our receipt analysis service');
    await shows(page.getByLabel('Address of the service:'));
    await page.getByRole('button', { name: 'Back' }).click();
    await chosen(page, 'Where should the receipts go?', 'To our receipt analysis service');
    await shows(page.getByLabel('Address of the service:'));
    await page.getByRole('button', { name: 'Start over' }).click();
    await shows(page.getByRole('group', { name: 'Where should the receipts go?' }));
    const other = await browser.blank();
    await other.goto(link);
    await heading(other, 'This page can only be opened with a link');
    await shows(other.getByText('This link has already been used'));
    await browser.close();
  });
});

describe('the server of setup', () => {
  const asSetup = (link: string) => signIn(link.replace('#setup=', '#token='));

  test('answers no request without a session, under another name, or from another page', async () => {
    const { link } = await waiting(await desk());
    const { origin, host } = new URL(link);
    const at = (headers: Record<string, string | undefined>) =>
      ask(origin, { method: 'POST', path: '/v1/setup', headers, body: '{}' });
    expect((await at(own(origin))).status).toBe(401);
    const cookie = await asSetup(link);
    await expect(asSetup(link)).rejects.toThrow('This link has already been used');
    expect((await at(own(origin, { cookie }))).status).toBe(200);
    expect((await at(own(origin, { cookie, host: 'rebound.example' }))).status).toBe(421);
    expect((await at(own('http://other.example', { cookie, host }))).status).toBe(403);
    expect((await at(own(origin, { cookie, 'x-receiptd': undefined }))).status).toBe(403);
    // No operation of the agent is offered, and no folder before its question.
    expect((await perform(origin, cookie, 'changeConfig', {})).status).toBe(404);
    expect((await perform(origin, cookie, 'directories', { path: '/' })).json).toMatchObject({
      code: 'CONSOLE_REFUSED',
    });
  });

  test('lists only directories that the agent may see', async () => {
    const here = await desk();
    const { scans } = here;
    await chmod(here.dir, 0o755);
    await mkdir(join(scans, 'in'));
    await mkdir(join(scans, 'closed'), { mode: 0o700 });
    await writeFile(join(scans, 'receipt.jpg'), 'a secret name');
    await symlink(join(scans, 'in'), join(scans, 'linked'));
    await symlink('/proc', join(scans, 'system'));
    const { link } = await waiting(here, ...untilFolder(here));
    const { origin } = new URL(link);
    const cookie = await asSetup(link);
    const look = async () => (await perform(origin, cookie, 'setup')).json as Asked;
    const answer = (question: number, given: unknown) =>
      perform(origin, cookie, 'answerSetup', { question, answer: given });
    let asked = await look();
    await until(async () => (asked = await look()).question !== null);
    await answer(asked.question?.id ?? 0, SECRET);
    await until(async () => /older/.test((asked = await look()).question?.said.text ?? ''));
    if (asked.question?.kind === 'choice') await answer(asked.question.id, asked.question.choices.length - 1);
    await until(async () => (asked = await look()).question?.kind === 'folder');
    const listed = async (path: string) => {
      const { status, json } = await perform(origin, cookie, 'directories', { path });
      return status === 200
        ? (json as { folders: { name: string }[] }).folders.map(({ name }) => name)
        : json;
    };
    expect(await listed(scans)).toEqual(['closed', 'in', 'linked', 'system']);
    const gone = { code: 'FOLDER_UNREADABLE' };
    expect(await listed(join(scans, 'in'))).toEqual([]);
    for (const path of ['receipt.jpg', 'nowhere', 'system']) {
      const refused = (await listed(join(scans, path))) as { message: string };
      expect(refused).toMatchObject({ ...gone, message: `${join(scans, path)} can't be opened.` });
    }
    // Its owner may enter it; root checks as the agent's user, who may not.
    const isRoot = process.geteuid?.() === 0;
    const closed = await listed(join(scans, 'closed'));
    expect(Array.isArray(closed) ? closed : (closed as { code: string }).code).toEqual(
      isRoot ? gone.code : [],
    );
    for (const path of [
      `${scans}/../../etc`,
      `${scans}/in/..`,
      'in',
      '',
      `${scans}\0`,
      '//etc',
      '/proc/self',
    ])
      expect(await listed(path), path).toMatchObject({ code: 'USAGE' });
    expect(await answer(asked.question?.id ?? 0, '/proc')).toMatchObject({
      json: { wrong: { text: expect.stringContaining('/proc') as string } },
    });
  });
});

interface Asked {
  readonly question: { id: number; kind: string; said: { text: string }; choices: unknown[] } | null;
}
