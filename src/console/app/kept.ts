/** What this browser keeps for the person who uses it. One that keeps nothing (private windows) forgets with the page. */
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
    // It holds until the page is closed.
  }
}
