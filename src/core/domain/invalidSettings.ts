import type { ErrorKey } from '../../texts/errors.ts';
import type { InvalidSettings } from '../../texts/en/settingFlaws.ts';
import { ReceiptdError } from './errors.ts';

export { areOfSettings } from '../../texts/phrase.ts';

/** Codes that what is wrong with settings can have. */
export type SettingsCode = CodeOf<ErrorKey>;
type CodeOf<K> = K extends `${infer C}.settings` ? C : never;

interface OfSettings {
  readonly key: `${SettingsCode}.settings`;
  readonly params: InvalidSettings;
}

/** Whether an error says what is wrong with which settings. */
export function isOfSettings(error: unknown): error is ReceiptdError & OfSettings {
  return error instanceof ReceiptdError && error.key?.endsWith('.settings') === true;
}
