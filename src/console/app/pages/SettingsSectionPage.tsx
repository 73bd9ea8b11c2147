import { useState } from 'preact/hooks';
import type { ConfigState } from '../../../control/protocol/settings.ts';
import { ConfigForm } from '../parts/ConfigForm.tsx';
import { useCall } from '../parts/hooks.ts';
import { ConfigProblems, LastChange } from '../parts/LastChange.tsx';
import { Answer } from '../parts/Notice.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { href } from '../router.ts';
import { editsBetween, objectAt, valueAt, type JsonObject } from '../settings/edits.ts';
import { allOf, plain } from '../settings/fields.ts';
import type { SettingsSection } from '../settings/sections.ts';
import { t } from '../texts.ts';
import { AlertTests } from './AlertTests.tsx';

/** One section of settings: those editable here, and those that can only be changed in the file. */
export function SettingsSectionPage({ section }: { readonly section: SettingsSection }) {
  const asked = useCall('config', {});
  const [turn, setTurn] = useState(0);
  const back = { href: href(['config']), text: t.settings.title };
  const taken = (config: ConfigState) => {
    asked.take(config);
    setTurn((before) => before + 1);
  };
  const { title, means } = t.settings.sections[section.name];
  return (
    <Page title={title} back={back}>
      <p class="muted lead">{means}</p>
      <Answer asked={asked}>
        {(data) => (
          <>
            <ConfigProblems config={data} />
            <LastChange config={data} onUndone={taken} />
            {allOf(section.groups).length > 0 && (
              <ConfigForm
                key={turn}
                config={data}
                groups={section.groups}
                values={({ values }) => values}
                edits={(_, before, next) => editsBetween(before, next, [])}
                saved={t.form.saved}
                onSaved={taken}
                cancel={back.href}
              />
            )}
            {section.name === 'alerts' && <AlertTests key={data.revision} />}
            <InFile config={data} section={section} />
          </>
        )}
      </Answer>
    </Page>
  );
}

/** Settings changed only in the file: a hijacked session must not run programs, read secrets or open ports. */
function InFile({ config, section }: { readonly config: ConfigState; readonly section: SettingsSection }) {
  const rows = config.fileOnly
    .filter(({ key }) => section.keys.includes(key.split('.', 1)[0] ?? ''))
    .flatMap(({ key, why }) =>
      keysOf(key, config.values as JsonObject).map((each) => ({
        key: each,
        why,
        value: shown(config, each),
      })),
    );
  if (rows.length === 0) return null;
  return (
    <Section title={t.settings.inFile} id="in-file">
      <p class="muted lead">{t.settings.inFileMeans(config.file)}</p>
      <dl class="facts in-file">
        {rows.map(({ key, why, value }) => (
          <div key={key}>
            <dt class="mono">{key}</dt>
            <dd>
              {value === null ? (
                <span class="muted">{t.settings.notSet}</span>
              ) : (
                <span class="mono">{value}</span>
              )}
              <span class="help">{t.settings.why[why]}</span>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** Expands `*` in a key such as `accounts.*.file` to the names in the config. */
function keysOf(key: string, values: JsonObject): string[] {
  const [before = '', after] = key.split('.*');
  if (after === undefined) return [key];
  const names = Object.keys(objectAt(values, before.split('.')) ?? {});
  return names.map((name) => `${before}.${name}${after}`);
}

function shown({ values }: ConfigState, key: string): string | null {
  const value = valueAt(values, key.split('.'));
  if (value === undefined || value === null) return null;
  return Array.isArray(value) ? value.map(plain).join(' ') : plain(value);
}
