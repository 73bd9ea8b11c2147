/**
 * Formats JSON with line breaks but keeps every token: parsing would round long numbers and drop repeated keys.
 * Returns other text unchanged.
 */
export function pretty(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let shown = '';
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const [index, token] of tokens.entries()) {
    const last = tokens[index - 1];
    const isOpened = last === '{' || last === '[';
    if (token === '}' || token === ']') {
      depth -= 1;
      shown += isOpened ? token : line() + token;
      continue;
    }
    if (isOpened || last === ',') shown += line();
    shown += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth += 1;
  }
  return shown;
}
