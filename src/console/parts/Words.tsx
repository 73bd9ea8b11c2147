import { instant, moment } from '../format.ts';
import { t } from '../texts.ts';
import { wordsOf } from '../words.ts';

/** A sentence that was not written for this page: commands as such, times by the reader's clock, what programs say folded. */
export function Words({ text }: { readonly text: string }) {
  return (
    <>
      {wordsOf(text).map((word, index) => {
        switch (word.kind) {
          case 'text':
            return word.text;
          case 'code':
            return <code key={index}>{word.text}</code>;
          case 'time':
            return (
              <time key={index} dateTime={word.text} title={instant(word.text)}>
                {moment(word.text)}
              </time>
            );
          case 'folded':
            return (
              <span key={index}>
                {word.text}{' '}
                <details class="folded">
                  <summary>{t.details}</summary>
                  <code>{word.whole}</code>
                </details>
              </span>
            );
        }
      })}
    </>
  );
}
