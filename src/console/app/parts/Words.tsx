import { instant, moment } from '../format.ts';
import { t } from '../texts.ts';
import { pageOf, timesOf, wordsOf, type Word } from '../words.ts';

/**
 * Shows a sentence of the agent: commands become links to their page or code, times are in the reader's time zone, and
 * machine-readable answers are folded, unless the whole sentence `isFolded` already.
 */
export function Words({ text, isFolded = false }: { readonly text: string; readonly isFolded?: boolean }) {
  const words = wordsOf(text);
  return (
    <>
      {words.map(shown)}
      {words.map((word, index) =>
        word.kind !== 'folded' ? null : isFolded ? (
          <code key={index} class="block">
            {word.whole}
          </code>
        ) : (
          <details key={index} class="folded">
            <summary>{t.details}</summary>
            <code>{word.whole}</code>
          </details>
        ),
      )}
    </>
  );
}

/** Machine-readable text with times in the reader's time zone. */
export function Times({ text }: { readonly text: string }) {
  return <>{timesOf(text).map(shown)}</>;
}

function shown({ kind, text }: Word, index: number) {
  if (kind === 'code') return <Command key={index} text={text} />;
  if (kind !== 'time') return text;
  return (
    <time key={index} dateTime={text} title={instant(text)}>
      {moment(text)}
    </time>
  );
}

function Command({ text }: { readonly text: string }) {
  const its = pageOf(text);
  if (its === null) return <code>{text}</code>;
  return <a href={its.href}>{t.pages[its.page]}</a>;
}
