/** Finds what prevents somebody from using a page: enlarged, on a phone, in dark mode, or with only a keyboard. */
import type { Page } from 'playwright-core';
import { axeViolations, sideways } from './browser.ts';

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };
/** A desktop at 200 %. */
const ENLARGED = { width: 640, height: 450 };
/** Beyond that, a page repeats itself. */
const MOST_STEPS = 30;
const LOOKS = 40;
const LOOK_EVERY_MS = 50;

/** One line for each fault of the shown page. `narrow`: runs axe on the layout for phones. */
export async function closeLook(page: Page, { narrow }: { readonly narrow: boolean }): Promise<string[]> {
  const found: string[] = [];
  for (const [what, size] of [['at 200 %', ENLARGED] as const, ['at 360 px', PHONE] as const]) {
    await page.setViewportSize(size);
    let { by, what: wide } = await sideways(page);
    // A picture adapts to the page a moment after the window has changed.
    for (let looks = 1; looks < LOOKS && (by > 0 || wide !== ''); looks += 1) {
      await page.waitForTimeout(LOOK_EVERY_MS);
      ({ by, what: wide } = await sideways(page));
    }
    if (by > 0 || wide !== '') found.push(`${what} it scrolls sideways by ${by}: ${wide}`);
  }
  if (!narrow) await page.setViewportSize(DESKTOP);
  found.push(...(await axeViolations(page)), ...(await page.evaluate<string[]>(STRANGERS)));
  if (!narrow) found.push(...(await notReached(page)));
  await page.setViewportSize(DESKTOP);
  return found;
}

/** Clickable elements that are not controls, and elements that names from outside would become if they were parsed as HTML. */
const STRANGERS = `(() => {
  const controls = 'a, button, input, select, textarea, label, summary, option, [tabindex]';
  const clicked = [...document.querySelectorAll('main *')].filter((each) =>
    getComputedStyle(each).cursor === 'pointer' && each.closest(controls) === null);
  const made = document.querySelectorAll('[onerror], [onload], [onclick], [src="x"], script:not([src="/app.js"]), base, iframe, object');
  return [
    ...clicked.slice(0, 3).map((each) => 'no key clicks ' + each.outerHTML.slice(0, 120)),
    ...[...made].map((each) => 'made of a name: ' + each.outerHTML.slice(0, 120)),
  ];
})()`;

/** The first controls of a page that Tab does not reach from its beginning, or that show no focus. */
async function notReached(page: Page): Promise<string[]> {
  const count = await page.evaluate<number>(`(() => {
    const controls = 'a[href], button:not(:disabled), input:not(:disabled, [type=radio]), select:not(:disabled), textarea:not(:disabled), summary';
    globalThis.wanted = [...document.querySelectorAll('main :is(' + controls + ')')]
      .filter((each) => each.tabIndex >= 0 && each.checkVisibility({ visibilityProperty: true }))
      .slice(0, ${MOST_STEPS});
    globalThis.unseen = [];
    globalThis.reached = new Set();
    const main = document.querySelector('main');
    main.tabIndex = -1;
    main.focus();
    // Its fields and its button are steps of their own.
    return wanted.length + 4 * document.querySelectorAll('main [type=date]').length;
  })()`);
  // A group of radio buttons is one step, and so is a scrolling area.
  for (let steps = 0; steps < count + 5; steps += 1) {
    await page.keyboard.press('Tab');
    const isOver = await page.evaluate<boolean>(`(() => {
      const at = document.activeElement;
      const { outlineStyle, boxShadow } = getComputedStyle(at);
      if (wanted.includes(at) && !reached.has(at) && outlineStyle === 'none' && boxShadow === 'none') unseen.push(at);
      reached.add(at);
      return wanted.every((each) => reached.has(each));
    })()`);
    if (isOver) break;
  }
  return page.evaluate<string[]>(`[
    ...wanted.filter((each) => !reached.has(each)).map((each) => 'Tab does not come to ' + each.outerHTML.slice(0, 120)),
    ...unseen.map((each) => 'has the focus unseen: ' + each.outerHTML.slice(0, 120)),
  ]`);
}
