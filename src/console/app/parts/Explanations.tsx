import type { InvalidSettings } from '../../../texts/en/settingFlaws.ts';
import { isErrorKey } from '../../../texts/errors.ts';
import { errorWords } from '../../../texts/explain.ts';
import { phrase } from '../../../texts/phrase.ts';
import { ApiError } from '../api.ts';
import { keyInTable, labelOf } from '../settings/labels.ts';
import { answerIn, explanationOf, reasonText, told, type Told } from '../explanations.ts';
import { t } from '../texts.ts';
import { saidIn } from '../words.ts';
import { Words } from './Words.tsx';

/** The agent's own message, folded. */
export function Details({ text }: { readonly text: string }) {
  return (
    <details class="folded">
      <summary>{t.details}</summary>
      <div>
        <Words text={text} isFolded />
      </div>
    </details>
  );
}

interface WhyProps {
  readonly reason: string | null;
  readonly message: string | null;
  readonly fact: Told['fact'];
  readonly state?: string;
  /** For lists: shows the agent's message only if it says more. */
  readonly isShort?: boolean;
}

/** Why something was not sent: in the reader's language, then in the service's words. */
export function Why({ reason, message, fact, state, isShort = false }: WhyProps) {
  const text = reason === null ? null : reasonText(reason, state);
  const answer = answerIn(fact);
  const said = answer === '' ? null : saidIn(answer);
  const isMore = text === null || !isShort || (answer !== '' && said !== answer);
  return (
    <>
      {text ?? (message === null ? '' : t.reasons.unknown)} {said !== null && t.reasons.quoted(said)}
      {message !== null && isMore && <Details text={told({ message, fact })} />}
    </>
  );
}

/** Explains why a request failed. */
export function Problem({ error }: { readonly error: unknown }) {
  if (!(error instanceof ApiError) || error.isLocal)
    return <Words text={error instanceof Error ? error.message : String(error)} />;
  const { said, code } = error;
  const flaws = flawsIn(said);
  // Words of an agent of another version, or a list of what is wrong with settings.
  const general = isWorded(said) && flaws.length === 0 ? null : explanationOf(code);
  return (
    <>
      <Words text={general === null ? errorWords(t, said) : `${general.what}. ${general.cure}`} />
      {flaws.length > 0 && (
        <ul>
          {flaws.map(({ key, flaw }, index) => (
            // The key is empty if the whole file is meant, and one key can have several flaws.
            <li key={index}>{[labelOf(key), phrase(t.flaws, flaw)].filter(Boolean).join(': ')}</li>
          ))}
        </ul>
      )}
      {general !== null && flaws.length === 0 && <Details text={errorWords(t, said)} />}
    </>
  );
}

/** What is wrong with settings, by key in the table of settings. */
export function flawsByKey(error: unknown): ReadonlyMap<string, string> {
  const flaws = error instanceof ApiError && !error.isLocal ? flawsIn(error.said) : [];
  return new Map(flaws.map(({ key, flaw }) => [keyInTable(key), phrase(t.flaws, flaw)]));
}

/** `params`: as another version may have sent them. */
function flawsIn({ params }: ApiError['said']): InvalidSettings['problems'] {
  const { problems = [] } = (params ?? {}) as Partial<InvalidSettings>;
  return problems;
}

function isWorded({ key }: ApiError['said']): boolean {
  return key !== undefined && isErrorKey(t.errors, key);
}

/** The same beside the pressed button; nothing without an error. */
export function Refusal({ error }: { readonly error: unknown }) {
  if (error === null) return null;
  return (
    <div class="act-error" role="alert">
      <Problem error={error} />
    </div>
  );
}
