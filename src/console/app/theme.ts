import { keep, readKept } from './kept.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function savedTheme(): Theme {
  const saved = readKept('theme');
  return THEMES.find((theme) => theme === saved) ?? 'auto';
}

export function setTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  keep('theme', theme);
}
