import type { SettingText } from '../../../texts/en/settings.ts';
import { number } from '../format.ts';
import { language, SETTING_TEXTS } from '../language.ts';
import { t } from '../texts.ts';

/** Empty until `loadLabels`. A refusal that names a setting answers a form, whose page has loaded them. */
let words: Readonly<Partial<Record<string, SettingText>>> = {};

/** Loads the words of all settings. A module that shows any waits for it. */
export async function loadLabels(): Promise<void> {
  words = await SETTING_TEXTS[language]();
}

/** The words for a setting, by its key in the table of settings. */
export function wordsFor(key: string): SettingText {
  return words[key] ?? { label: key, help: '' };
}

/** The unit of a rate such as 30/min in words; `bare`: that of a number alone, and of no text. Null if it is no rate. */
export function unitWords(rate: string, bare: Unit): string | null {
  const found = /^(?:\d+(?:\/(s|min|h))?)?$/.exec(rate.trim());
  return found === null ? null : t.form.per[(found[1] ?? bare) as Unit];
}

/** `30 per minute` for 30/min; any other text as it is. */
export function rateWords(rate: string, bare: Unit): string {
  const unit = /^\d/.test(rate) ? unitWords(rate, bare) : null;
  return unit === null ? rate : `${number(Number.parseInt(rate, 10))} ${unit}`;
}

type Unit = keyof typeof t.form.per;

/** `folders[].maxFileSize` for folders[0].maxFileSize. */
export function keyInTable(key: string): string {
  return key.replaceAll(/\[\d+\]/g, '[]').replace(/^(endpoints|accounts)\.[^.]+/, '$1.*');
}

/** Label of a key such as folders[0].maxFileSize; the key itself if there is no such setting. */
export function labelOf(key: string): string {
  const general = keyInTable(key);
  return (words[general] ?? words[general.replace(/\[\]$/, '')])?.label ?? key;
}
