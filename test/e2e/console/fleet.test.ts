/** Two built agents on one PostgreSQL, and the console of one of them. */
import { writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  axeViolations,
  hasChromium,
  sideways,
  startBrowser,
  type TestBrowser,
} from '../../console/app/support/browser.ts';
import { announced, heading, rows, shows } from '../../console/app/support/inBrowser.ts';
import { drawReceipt } from '../../support/images.ts';
import { freshDatabase, needsPostgres } from '../../support/postgres.ts';
import { practiceService, Site, temporaryDirectory } from '../support/agent.ts';
import { cleanUp } from '../../support/cleanUp.ts';

interface Agent {
  readonly name: string;
  readonly state: string;
  readonly paused: { readonly by: string } | null;
}

describe.skipIf(!hasChromium || !needsPostgres())('the console of an agent that shares its ledger', () => {
  let sites: readonly [Site, Site];
  let browser: TestBrowser;

  beforeEach(async () => {
    const database = await freshDatabase();
    cleanUp(() => database.remove());
    const sandbox = await practiceService();
    const machine = async (agent: string, env: Record<string, string> = {}): Promise<Site> => {
      const site = new Site(await temporaryDirectory(), sandbox);
      Object.assign(site.env, env);
      await site.configure({ ledger: { kind: 'postgres', url: database.url, agent } });
      await site.quickStart();
      return site;
    };
    sites = [await machine('front-office'), await machine('archive', { RECEIPTD_CLIENT_SECRET: 'wrong' })];
    await writeFile(sites[1].file('inbox', 'a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a' }));
    const link = await sites[0].quickMust('console', '--no-open');
    browser = await startBrowser({ url: new URL(link).origin, link: async () => link.trim() });
  });

  afterEach(async () => {
    browser?.expectNoTrouble();
    await browser?.close();
  });

  /** The output of `fleet status` on the machine of the other agent. */
  const told = async (name: string): Promise<Agent | undefined> => {
    const { stdout } = await sites[1].look('fleet', 'status', '--json');
    return (JSON.parse(stdout) as { agents: Agent[] }).agents.find((each) => each.name === name);
  };

  test('shows both agents, and pauses and resumes the other one, by keyboard alone', async () => {
    const page = await browser.open();
    // The file of the page fails to load at first.
    await page.route('**/FleetPage-*.js', (route) => route.abort());
    const link = page.getByRole('navigation').getByRole('link', { name: 'Fleet' });
    await link.focus();
    await page.keyboard.press('Enter');
    await shows(page.getByRole('alert').getByText('This page could not be loaded.'));
    await page.unroute('**/FleetPage-*.js');
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await heading(page, 'Fleet');
    expect(await link.getAttribute('aria-current')).toBe('page');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Fleet');

    const table = rows(page, 'Fleet');
    await expect.poll(() => table.count()).toBe(2);
    const other = table.filter({ has: page.getByRole('rowheader', { name: 'archive' }) });
    const own = table.filter({ has: page.getByRole('rowheader', { name: 'front-office' }) });
    for (const row of [own, other]) await shows(row.getByText('running', { exact: true }));
    // The page refreshes itself.
    await shows(other.getByText(/^Credentials http:.*credentials/));
    expect(await other.getByRole('cell').nth(3).textContent()).toBe('1');

    await page.getByRole('button', { name: 'Pause archive' }).press('Space');
    await announced(page, 'archive was paused.');
    await shows(other.getByText('by console, since'));
    expect(await told('archive')).toMatchObject({ state: 'running', paused: { by: 'console' } });
    expect(await own.getByText('paused').count()).toBe(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await sideways(page)).toEqual({ by: 0, what: '' });

    await page.getByRole('button', { name: 'Resume archive' }).press('Space');
    await announced(page, 'archive was resumed.');
    await shows(page.getByRole('button', { name: 'Pause archive' }));
    expect(await told('archive')).toMatchObject({ paused: null });
  });
});
