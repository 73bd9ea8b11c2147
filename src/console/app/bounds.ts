/** An amount or a day as somebody types it, as the agent compares it: 1.234,50 is 1234.50, 14.05.2026 is 2026-05-14. Null: neither. */
export function boundOf(typed: string): string | null {
  const text = typed.trim();
  const day = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  if (day !== null) return `${day[3]}-${day[2]?.padStart(2, '0')}-${day[1]?.padStart(2, '0')}`;
  if (/^\d{4}-\d\d(?:-\d\d)?$/.test(text)) return text;
  // In whatever language, as the agent reads amounts of results (`amountOf`); a test holds the two together.
  const digits = text.replaceAll(/[' \u00a0\u202f]/g, '');
  const [, whole, decimals] = /^([+-]?\d[\d.,]*?)(?:[.,](\d{1,2}|\d{4,}))?$/.exec(digits) ?? [];
  if (whole === undefined) return null;
  return `${whole.replaceAll(/[.,]/g, '')}${decimals === undefined ? '' : `.${decimals}`}`;
}
