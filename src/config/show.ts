import type { Found } from '../texts/en/settingFlaws.ts';

const LONGEST = /^.{60}(?=.)/su;

/** Truncates to 60 characters and replaces control characters, because the text is shown on terminals and in logs. */
export function shorten(text: string): string {
  const plain = text.replace(/\p{C}/gu, '\uFFFD');
  const [start] = LONGEST.exec(plain) ?? [];
  return start === undefined ? plain : `${start}…`;
}

/** A value for error messages. Lists and mappings are only named, because they may contain secrets. */
export function foundAt(value: unknown): Found {
  if (value === undefined || value === null) return { is: 'nothing' };
  if (Array.isArray(value)) return { is: value.length === 0 ? 'emptyList' : 'list' };
  if (typeof value === 'object') return { is: Object.keys(value).length === 0 ? 'emptyMapping' : 'mapping' };
  return { is: 'value', text: typeof value === 'string' ? `"${shorten(value)}"` : JSON.stringify(value) };
}

/** `folders[0].settle.long` */
export function showPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      const name = shorten(String(key));
      return index === 0 ? name : `.${name}`;
    })
    .join('');
}
