/** Shorter secrets would match ordinary words, and make every line unreadable. */
export const SHORTEST_SECRET = 4;

/**
 * How a secret may appear in a text: as it is, and as JSON (also within JSON, with `/` escaped, in ASCII), URLs, forms, HTML, hexadecimal
 * digits and base64 write it, the last at any offset, as in `user:password`.
 */
export function formsOf(value: string): string[] {
  // The Buffer replaces lone surrogates, on which encodeURIComponent throws.
  const bytes = Buffer.from(value);
  const json = inJson(value);
  const ascii = json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const uri = encodeURIComponent(bytes.toString());
  const all = [
    value,
    json,
    inJson(json),
    json.replaceAll('/', '\\/'),
    ascii,
    ascii.replaceAll('/', '\\/'),
    inJson(ascii),
    uri,
    uri.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    new URLSearchParams([['', value]]).toString().slice(1),
    inHtml(value, '&#39;'),
    inHtml(value, '&#x27;'),
    inHtml(value, "'"),
    bytes.toString('hex'),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ];
  for (let shift = 0; shift < 3; shift += 1) {
    const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
    // The first and last characters depend on the neighbouring bytes.
    const from = Math.ceil((shift * 8) / 6);
    const until = Math.floor((padded.length * 8) / 6);
    for (const kind of ['base64', 'base64url'] as const) all.push(padded.toString(kind).slice(from, until));
  }
  // Four characters of base64 are three bytes, and in many words.
  return [...new Set(all)].filter(
    (form) => form === value || form.length >= Math.max(SHORTEST_SECRET, value.length),
  );
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function inHtml(value: string, quote: string): string {
  const marks: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": quote,
  };
  return value.replace(/[&<>"']/g, (mark) => marks[mark] ?? mark);
}
