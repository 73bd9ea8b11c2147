import { plainText } from './plainText.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A text as the content of an XML element. @throws ReceiptdError for control characters */
export function xmlText(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Two hyphens end an XML comment. */
export function xmlComment(words: string): string {
  return `<!-- ${words.replaceAll('--', '- -')} -->`;
}
