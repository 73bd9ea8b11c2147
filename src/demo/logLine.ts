import stringWidth from 'string-width';

const COLUMNS = 80;

/** Formats a line of the agent's log for people: time, message, subject. Other text is unchanged. */
export function logLine(line: string): string {
  const entry = parsed(line);
  if (entry === null) return line;
  const { timestamp, message, name, path, detail } = entry;
  const at = new Date(String(timestamp)).toLocaleTimeString('sv');
  const what = [message, name ?? path, detail]
    .filter((part) => part !== undefined && part !== null)
    .map(String);
  return cut(`${at}  ${what.join('  ')}`);
}

function parsed(line: string): Record<string, unknown> | null {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'object' && entry !== null && 'message' in entry ? { ...entry } : null;
  } catch {
    return null;
  }
}

function cut(text: string): string {
  if (stringWidth(text) <= COLUMNS) return text;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) >= COLUMNS) break;
    kept += segment;
  }
  return `${kept}…`;
}
