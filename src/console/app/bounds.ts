/** Normalizes a typed amount or day: 1.234,50 to 1234.50, 14.05.2026 to 2026-05-14. Null if it is neither. */
export function boundOf(typed: string): string | null {
  const text = typed.trim();
  const day = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  if (day !== null) return `${day[3]}-${day[2]?.padStart(2, '0')}-${day[1]?.padStart(2, '0')}`;
  if (/^\d{4}-\d\d(?:-\d\d)?$/.test(text)) return text;
  // Same rules in every language, like the agent's `amountOf`; a test keeps the two in step.
  const digits = text.replaceAll(/[' \u00a0\u202f]/g, '');
  const [, whole, decimals] = /^([+-]?\d[\d.,]*?)(?:[.,](\d{1,2}|\d{4,}))?$/.exec(digits) ?? [];
  if (whole === undefined) return null;
  return `${whole.replaceAll(/[.,]/g, '')}${decimals === undefined ? '' : `.${decimals}`}`;
}
