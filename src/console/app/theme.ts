export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'receiptd.theme';

/** A browser that keeps nothing (private windows) goes by the system. */
export function savedTheme(): Theme {
  try {
    const saved = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === saved) ?? 'auto';
  } catch {
    return 'auto';
  }
}

export function setTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds until the page is closed.
  }
}
