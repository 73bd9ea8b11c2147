import { chooseLanguage, language, LANGUAGE_NAMES, nameOf } from '../language.ts';
import { useOverview } from '../live.ts';
import { t } from '../texts.ts';

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Names the reader's time zone, in which all times are shown, and the agent's if it differs. */
export function Foot() {
  const zone = useOverview()?.zone;
  const isOther = zone !== undefined && zone.offsetMinutes !== -new Date().getTimezoneOffset();
  return (
    <footer class="muted small foot">
      <p>
        {t.zone.here(HERE)}
        {isOther && ` ${t.zone.other(zone.name)}`}
      </p>
      <LanguageChoice />
    </footer>
  );
}

/** Footer of pages without an agent or before sign-in. */
export const LanguageFoot = () => (
  <footer class="muted small foot">
    <LanguageChoice />
  </footer>
);

function LanguageChoice() {
  return (
    <label class="language">
      {t.language}{' '}
      <select
        onChange={({ currentTarget }) => {
          const chosen = LANGUAGE_NAMES.find((each) => each === currentTarget.value);
          if (chosen !== undefined) chooseLanguage(chosen);
        }}
      >
        {LANGUAGE_NAMES.map((each) => (
          <option key={each} value={each} lang={each} selected={each === language}>
            {nameOf(each)}
          </option>
        ))}
      </select>
    </label>
  );
}
