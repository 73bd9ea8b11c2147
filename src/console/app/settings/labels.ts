import type { SettingText } from '../../../texts/en/settings.ts';
import { t } from '../texts.ts';

const WORDS: Readonly<Partial<Record<string, SettingText>>> = t.fields;

/** The words for a setting, by its key in the table of settings. */
export function wordsFor(key: string): SettingText {
  return WORDS[key] ?? { label: key, help: '' };
}

/** Label of a key such as folders[0].maxFileSize; the key itself if there is no such setting. */
export function labelOf(key: string): string {
  const general = key.replaceAll(/\[\d+\]/g, '[]').replace(/^(endpoints|accounts)\.[^.]+/, '$1.*');
  const words = WORDS[general] ?? WORDS[general.replace(/\[\]$/, '')];
  return words?.label ?? key;
}
