import type { Amiss } from '../../core/domain/attention.ts';
import { escapeUnsafe, withoutUnseen } from '../../core/domain/escape.ts';
import { pageOf } from '../../core/domain/pages.ts';
import type { AllTexts } from '../../texts/texts.ts';
import { factOf } from '../../core/domain/why.ts';
import { whyWords } from '../../texts/explain.ts';

/** Limit on quoted service messages: they can be long, and are meant for administrators. */
const WORDS = 300;

/**
 * The note beside a scan: plain text that old Windows editors can read, with a byte order mark and CRLF. File names are untrusted:
 * escaped so that a name can't start a new line or reverse the reading direction.
 */
export function noteText(
  { path, bytes, amiss, at }: { path: string; bytes: number; amiss: Amiss; at: number },
  texts: AllTexts,
): string {
  const { scanNotes, format } = texts;
  const page = pageOf(path);
  const name = page === null ? path : scanNotes.page(page.file, page.page);
  const { what, cure } = sayings(amiss, bytes, texts);
  const lines = [
    `${scanNotes.notSent(escapeUnsafe(withoutUnseen(name)))} ${what}`,
    cure,
    scanNotes.disappears,
    `${format.time(at)} [${amiss.reason}]`,
  ];
  return `\u{feff}${lines.join('\r\n')}\r\n`;
}

function sayings({ state, reason, message }: Amiss, bytes: number, texts: AllTexts) {
  const { scanNotes } = texts;
  if (state === 'failed') {
    const fact = factOf(message);
    const said = fact !== null && 'words' in fact ? fact.words : '';
    return scanNotes.refused(short(said === '' ? whyWords(texts, { message, fact }) : said));
  }
  const reasons = scanNotes.reasons(bytes);
  const known: Readonly<Partial<Record<string, (typeof reasons)['rejected']>>> = reasons;
  return (Object.hasOwn(reasons, reason) ? known[reason] : undefined) ?? reasons[state];
}

function short(message: string): string {
  const line = escapeUnsafe(withoutUnseen(message.replace(/[\s\p{Cc}]+/gu, ' ').trim()));
  return line.length <= WORDS ? line : `${line.slice(0, WORDS)}...`;
}
