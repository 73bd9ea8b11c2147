import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import type { Request } from '../../../../src/control/protocol/protocol.ts';
import { hasChromium, startBrowser, type TestBrowser } from './browser.ts';
import { StubAgent } from './stubAgent.ts';
import { startStub, type StubService } from './stubService.ts';

export interface Here {
  browser: TestBrowser;
  stub: StubService;
}

/**
 * Tests that share one browser and one stand-in of the daemon. The agent of the stand-in is reset before each test. Each test fails if the page
 * contacted another machine, broke its policy or threw.
 */
export function inBrowser(name: string, tests: (here: Here) => void): void {
  describe.skipIf(!hasChromium)(`in a browser, ${name}`, () => {
    const here = {} as Here;
    beforeAll(async () => {
      here.stub = await startStub();
      here.browser = await startBrowser(here.stub);
    });
    beforeEach(() => {
      Object.assign(here.stub.agent, new StubAgent());
    });
    afterEach(async () => {
      here.browser.expectNoTrouble();
      await here.browser.closePages();
    });
    afterAll(async () => {
      await here.browser?.close();
      await here.stub?.close();
    });
    tests(here);
  });
}

/** Waits for the message that a page reads out, and shows at its edge, after an action. */
export async function announced(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('.announcer').getByText(text).waitFor();
}

/** Fails if it does not become visible in time. */
export async function shows(locator: Locator): Promise<void> {
  await locator.waitFor();
}

export async function heading(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Rows of a table, without the header. */
export function rows(page: Page, table: string) {
  return page.getByRole('table', { name: table }).locator('tbody').getByRole('row');
}

/** Saved edits of the configuration, one list per save. */
export function savedEdits({ stub }: Here) {
  return stub.agent.asked
    .filter(({ operation }) => operation === 'changeConfig')
    .map(({ request }) => request as Request<'changeConfig'>)
    .filter(({ dryRun = false }) => !dryRun)
    .map(({ edits }) => edits);
}

/** Unfolds the filters of a list. */
export const openFilters = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^Filters?$/ }).click();

/** The filters in use, as the page shows them while they are folded. */
export async function filtersInUse(page: Page): Promise<string[]> {
  const texts = await page.locator('.saved .chip[aria-current]').allTextContents();
  return texts.map((text) => text.replace(/ ×$/, ''));
}
