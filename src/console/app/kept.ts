/** Preferences in the browser's storage. If it stores nothing (private windows), they last until the page is closed. */
const PREFIX = 'receiptd.';

export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

export function keep(key: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + key, value);
  } catch {
    // Not stored; lasts until the page is closed.
  }
}
