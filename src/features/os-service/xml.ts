import { plainText } from './plainText.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes a text for an XML element. @throws ReceiptdError for control characters */
export function xmlText(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** An XML comment. Separates double hyphens, which must not occur in it. */
export function xmlComment(words: string): string {
  return `<!-- ${words.replaceAll('--', '- -')} -->`;
}
