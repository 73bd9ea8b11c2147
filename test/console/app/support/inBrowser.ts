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
 * Tests with one browser and one stand-in of the daemon for all of them, whose agent starts over before each. After
 * each, the page must have asked no other machine, have kept to its policy, and have thrown nothing.
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

/** What a page says to whoever did something: read out, and shown at its edge. */
export async function announced(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('.announcer').getByText(text).waitFor();
}

/** Fails where it does not come into sight within ten seconds. */
export async function shows(locator: Locator): Promise<void> {
  await locator.waitFor();
}

export async function heading(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Rows of a table without its head. */
export function rows(page: Page, table: string) {
  return page.getByRole('table', { name: table }).locator('tbody').getByRole('row');
}

/** Edits of the configuration that were saved, one list for each time. */
export function savedEdits({ stub }: Here) {
  return stub.agent.asked
    .filter(({ operation }) => operation === 'changeConfig')
    .map(({ request }) => request as Request<'changeConfig'>)
    .filter(({ dryRun = false }) => !dryRun)
    .map(({ edits }) => edits);
}
