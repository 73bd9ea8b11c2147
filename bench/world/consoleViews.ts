import type { Page } from 'playwright-core';
import { callControl } from '../../src/control/client.ts';
import { hasChromium, startChromium } from '../../test/console/app/support/browser.ts';
import type { Figure } from '../scenario.ts';
import type { LongOffice } from './longOffice.ts';
import { median, times } from './measure.ts';

/** Rows on a page of the console. */
export const PAGE = 50;
/** Limits of an imperceptible wait and of an acceptable one. */
export const [FIRST_PAGE_MS, SEARCH_MS] = [200, 1_000];
const VIEWS = 5;

/** Milliseconds from entering an address to its content, with an empty browser cache; null without a browser. */
export async function firstViews(stateDir: string, office: LongOffice): Promise<Figure[] | null> {
  if (!hasChromium) return null;
  const { browser, close } = await startChromium();
  try {
    const overviews: number[] = [];
    const lists: number[] = [];
    const searches: number[] = [];
    for (let run = 0; run < VIEWS; run += 1) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const { url } = await callControl(stateDir, 'openConsole', {});
      overviews.push(
        ...(await times(async () => {
          await page.goto(url);
          await shown(page, rowsOf('Folders', 1));
        }, 1)),
      );
      const documents = page.getByRole('link', { name: 'Documents', exact: true });
      lists.push(await since('click', page, () => documents.click(), rowsOf('Documents', PAGE)));
      const search = page.getByLabel('Search');
      const isFound = `[...document.querySelectorAll('main [role="status"]')].some((each) => each.textContent.includes('1 shown'))`;
      searches.push(await since('input', page, () => search.fill(office.oldest), isFound));
      await context.close();
    }
    const figure = (name: string, all: readonly number[], note: string, target?: number): Figure => ({
      name: `in a browser, ${name}`,
      value: median(all),
      unit: 'ms',
      better: 'less',
      note,
      ...(target !== undefined && { target }),
    });
    return [
      figure(
        'first view',
        overviews,
        `From opening the link to the overview on the screen, with an empty cache; ${VIEWS} times.`,
      ),
      figure('first page of documents', lists, 'From the click to the display of fifty rows.', FIRST_PAGE_MS),
      figure(
        'search for the oldest',
        searches,
        'From the last key to the end of the search through everything.',
        SEARCH_MS,
      ),
    ];
  } finally {
    await close();
  }
}

/** JavaScript condition: the table with this caption has at least `count` rows. */
function rowsOf(caption: string, count: number): string {
  return `[...document.querySelectorAll('caption')].some((each) =>
    each.textContent === '${caption}' && each.parentElement.querySelectorAll('tbody tr').length >= ${count})`;
}

const SHOWN_MS = 60_000;

/** Checks in every frame, because locators only poll after 20, 70, 170 and 270 ms. */
async function shown(page: Page, condition: string): Promise<void> {
  await page.evaluate(`new Promise((done, fail) => { ${lookFor(condition)} })`);
}

/** Milliseconds from the event caused by `act` to the first frame that fulfils `condition`; excludes Playwright's work before a click. */
async function since(
  event: 'click' | 'input',
  page: Page,
  act: () => Promise<void>,
  condition: string,
): Promise<number> {
  const took = page.evaluate<number>(`new Promise((done, fail) => {
    const begin = ({ timeStamp }) => {
      ${lookFor(condition, 'performance.now() - timeStamp')}
    };
    addEventListener('${event}', begin, { capture: true, once: true });
  })`);
  await act();
  return took;
}

function lookFor(condition: string, result = ''): string {
  return `const endsAt = performance.now() + ${SHOWN_MS};
    const look = () => {
      if (${condition}) done(${result});
      else if (performance.now() > endsAt) fail(new Error('never shown: ' + ${JSON.stringify(condition)}));
      else requestAnimationFrame(look);
    };
    look();`;
}
