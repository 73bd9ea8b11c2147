import { createHash } from 'node:crypto';
import { serviceTexts } from '../../texts/en/written.ts';

const WORDS = serviceTexts.mark;

/**
 * Adds a comment line with a hash of the text, by which a manual edit is detected. `line` turns words into a comment;
 * `after`: number of lines before it.
 */
export function mark(text: string, line: (words: string) => string, after = 0): string {
  const lines = text.split('\n');
  return [...lines.slice(0, after), line(`${WORDS} ${hashOf(text)}`), ...lines.slice(after)].join('\n');
}

/** Whether the definition was written or changed by somebody else. */
export function isEdited(text: string): boolean {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes(WORDS));
  if (at < 0) return true;
  const rest = [...lines.slice(0, at), ...lines.slice(at + 1)].join('\n');
  return !lines[at]?.includes(hashOf(rest));
}

/** The lines in which the two differ, as `- line` and `+ line`. */
export function changesOf(before: string, after: string): string[] {
  const linesOf = (text: string): string[] =>
    text.split('\n').filter((line) => line !== '' && !line.includes(WORDS));
  const [was, is] = [linesOf(before), linesOf(after)];
  return [
    ...was.filter((line) => !is.includes(line)).map((line) => `- ${line}`),
    ...is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`),
  ];
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
