const LONGEST = /^.{60}(?=.)/su;

/** Truncates to 60 characters and replaces control characters, because the text is shown on terminals and in logs. */
export function shorten(text: string): string {
  const plain = text.replace(/\p{C}/gu, '\uFFFD');
  const [start] = LONGEST.exec(plain) ?? [];
  return start === undefined ? plain : `${start}…`;
}

/** A value for error messages. Lists and mappings are only named, because they may contain secrets. */
export function showValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object' && Object.keys(value).length === 0) return 'an empty mapping';
  if (typeof value === 'string') return `"${shorten(value)}"`;
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : 'a mapping';
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
