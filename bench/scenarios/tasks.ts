import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { callControl } from '../../src/control/client.ts';
import { openSqliteLedger } from '../../src/ledger/open.ts';
import { systemClock } from '../../src/system/systemClock.ts';
import { hasChromium, startBrowser } from '../../test/console/app/support/browser.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { furnish } from '../world/agent.ts';
import { startDaemon } from '../world/daemon.ts';
import { Hand } from '../world/hand.ts';
import { LIMIT, managersOffice, scanToday, type ManagersOffice } from '../world/managersOffice.ts';
import { startSink } from '../world/sinkProcess.ts';

interface Task {
  readonly name: string;
  /** Resolves when the answer is on the screen, or the action is done. */
  readonly perform: (hand: Hand, office: ManagersOffice) => Promise<unknown>;
}

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first();
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const rows = (page: Page) => page.getByRole('table', { name: 'Documents' }).locator('tbody').getByRole('row');
const count = (page: Page, text: string) => page.getByText(text).first().waitFor();

/** In this order, because some tasks prepare the next one. */
const TASKS: readonly Task[] = [
  {
    name: 'find the hotel receipt of a month',
    async perform(hand, { hotelMonth }) {
      const { page } = hand;
      await hand.click(link(page, 'Documents'));
      await hand.type(page.getByLabel('Search'), `hotel ${hotelMonth}`);
      await count(page, '1 shown (all).');
      await hand.click(rows(page).first().getByRole('link').first());
      await page.locator('.viewer img').waitFor();
    },
  },
  {
    name: 'send the 30 refused on Monday again',
    async perform(hand, { monday, counts: { refused } }) {
      const { page } = hand;
      await hand.click(link(page, 'Documents'));
      await hand.choose(page.getByLabel('State'), 'failed');
      await hand.date(page.getByLabel('From'), monday);
      await hand.date(page.getByLabel('To', { exact: true }), monday);
      await count(page, `${refused} shown (all).`);
      await hand.click(button(page, `Select these ${refused}`));
      await hand.click(button(page, `Retry ${refused}`));
      await count(page, `Queued again: ${refused} documents.`);
    },
  },
  {
    name: "did all of today's scans arrive?",
    async perform(hand, { counts: { tooLarge, today } }) {
      await hand.click(link(hand.page, 'Days'));
      await count(hand.page, `${tooLarge} of ${tooLarge + today}`);
    },
  },
  {
    name: "check today's 20 for a bad picture",
    async perform(hand, { counts: { today } }) {
      const { page } = hand;
      await hand.click(link(page, 'Documents'));
      await hand.click(link(page, 'Today'));
      await hand.choose(page.getByLabel('State'), 'accepted');
      await count(page, `${today} shown (all).`);
      await hand.click(rows(page).first().getByRole('link').first());
      for (let seen = 1; ; seen += 1) {
        await page.locator('.viewer img').waitFor();
        if (seen === today) return;
        const before = await page.getByRole('heading', { level: 1 }).textContent();
        await page.locator('a[rel=next]').first().waitFor();
        await hand.press('ArrowRight');
        await page
          .getByRole('heading', { level: 1 })
          .filter({ hasNotText: String(before) })
          .waitFor();
      }
    },
  },
  {
    name: 'send the 12 that are too large',
    async perform(hand) {
      const { page } = hand;
      await hand.click(link(page, 'Documents'));
      await hand.click(link(page, 'Files not sent'));
      await hand.click(button(page, 'Raise the limit'));
      await hand.click(button(page, 'Save and look again'));
      const dialog = page.getByRole('dialog', { name: 'Save this change?' });
      await hand.click(dialog.getByRole('button', { name: 'Save' }));
      await count(page, 'No file is kept back.');
    },
  },
  {
    name: 'download all images of last month',
    async perform(hand, { counts: { month } }) {
      const { page } = hand;
      await hand.click(link(page, 'Documents'));
      await hand.click(link(page, 'Last month'));
      await count(page, `${month} in all.`);
      await hand.click(button(page, /^Select these/));
      await hand.click(button(page, `Select all ${month} of this list`));
      const zip = link(page, `Download ${month} images (ZIP)`);
      const address = new URL(String(await zip.getAttribute('href')), page.url()).href;
      const begun = page.waitForEvent('download');
      await hand.click(zip);
      await begun;
      // A browser of another user can't write its downloads, so the file is fetched here.
      await (await page.request.get(address)).body();
    },
  },
  {
    name: 'dismiss 20 unwanted ones',
    async perform(hand, { counts: { unwanted } }) {
      const { page } = hand;
      await hand.click(link(page, 'Documents'));
      await hand.choose(page.getByLabel('State'), 'failed');
      await count(page, `${unwanted} shown (all).`);
      await hand.click(button(page, `Select these ${unwanted}`));
      await hand.click(button(page, `Dismiss ${unwanted}`));
      await count(page, `Dismissed: ${unwanted}`);
    },
  },
  {
    name: "count this week's files by folder",
    async perform(hand) {
      const { page } = hand;
      await hand.click(link(page, 'Days'));
      await hand.click(button(page, 'Week'));
      await page.getByRole('table', { name: 'Files by folder' }).locator('tbody tr').nth(1).waitFor();
    },
  },
  {
    name: 'set up alerts through a webhook',
    async perform(hand) {
      const { page } = hand;
      await hand.click(link(page, 'Settings'));
      await hand.click(link(page, 'Alerts'));
      await hand.type(page.getByLabel('Webhook', { exact: true }), 'http://127.0.0.1:9/hook');
      await hand.click(button(page, 'Save'));
      await page.getByText(/^Changed here at .*: alerts/).waitFor();
    },
  },
  {
    name: 'slow uploads down',
    async perform(hand) {
      const { page } = hand;
      await hand.click(link(page, 'Endpoints'));
      await hand.click(link(page, 'Edit office'));
      await hand.type(page.getByLabel('Rate'), '10/min');
      await hand.click(button(page, 'Save'));
      await count(page, 'Saved and in effect.');
    },
  },
];

/** Tasks of an office manager in the console, in clicks, keys and seconds without thinking time. */
export const tasks: Scenario = {
  name: 'tasks',
  title: "An office manager's tasks in the console",
  async run({ scratch, say }) {
    if (!hasChromium) return { figures: [], skipped: ['This machine has no Chromium.'] };
    const dir = join(scratch, 'tasks');
    const sink = await startSink();
    try {
      await mkdir(join(dir, 'state'), { recursive: true, mode: 0o700 });
      const [desk, warehouse] = [join(dir, 'scans'), join(dir, 'warehouse')];
      const receiptd = await furnish({
        dir,
        baseUrl: sink.url,
        settings: {
          folders: [desk, warehouse].map((path) => ({ path, endpoint: 'office', maxFileSize: LIMIT })),
        },
      });
      const ledger = await openSqliteLedger({ path: join(dir, 'state', 'ledger.db'), clock: systemClock });
      const office = await managersOffice(ledger, sink.url, [desk, warehouse]);
      say('the ledger contains seven months');
      const daemon = await startDaemon(dir, receiptd('run'));
      try {
        await daemon.reconciled();
        await scanToday(desk);
        const state = join(dir, 'state');
        const today = office.counts.today + office.counts.tooLarge;
        while ((await seenToday(state, office)) < today)
          await new Promise((resolve) => setTimeout(resolve, 200));
        const url = async () => (await callControl(state, 'openConsole', {})).url;
        const first = await url();
        const browser = await startBrowser({ url: new URL(first).origin, link: url });
        const page = await browser.open('#/', { timezoneId: 'UTC' });
        const figures: Figure[] = [];
        let took = 0;
        for (const { name, perform } of TASKS) {
          await page.goto(`${new URL(first).origin}/#/`);
          await page.getByRole('table', { name: 'Folders' }).locator('tbody tr').first().waitFor();
          const hand = new Hand(page);
          const startedAt = performance.now();
          await perform(hand, office);
          const seconds = (performance.now() - startedAt) / 1_000;
          say(`${name}: ${hand.clicks} clicks, ${hand.keys} keys, ${seconds.toFixed(1)} s`);
          took += seconds;
          const note = `Clicks, plus ${hand.keys} keys; ${seconds.toFixed(1)} s.`;
          figures.push({ name, value: hand.clicks, unit: 'count', better: 'less', note });
        }
        await browser.close();
        figures.push({
          name: 'all tasks',
          value: took,
          unit: 's',
          better: 'less',
          note: 'Without thinking time.',
        });
        return { figures, skipped: [] };
      } finally {
        await daemon.stop();
      }
    } finally {
      await sink.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
};

async function seenToday(state: string, { today }: ManagersOffice): Promise<number> {
  const page = { order: 'newest', limit: 100, since: `${today}T00:00:00.000Z` } as const;
  const { rows: found } = await callControl(state, 'documents', page);
  return found.filter((row) => row.state === 'accepted' || row.state === 'rejected').length;
}
