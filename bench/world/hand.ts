import type { Locator, Page } from 'playwright-core';

/** A user at a browser; counts clicks and keys. */
export class Hand {
  clicks = 0;
  keys = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }

  async type(into: Locator, text: string): Promise<void> {
    await this.click(into);
    this.keys += text.length;
    await into.fill(text);
  }

  async press(key: string): Promise<void> {
    this.keys += 1;
    await this.page.keyboard.press(key);
  }

  /** Two clicks: opens the list and picks an entry. */
  async choose(list: Locator, value: string): Promise<void> {
    this.clicks += 2;
    await list.selectOption(value);
  }

  /** @param day YYYY-MM-DD; a user types only the digits */
  async date(into: Locator, day: string): Promise<void> {
    this.clicks += 1;
    this.keys += day.replaceAll('-', '').length;
    await into.fill(day);
  }
}
