import { useState } from 'preact/hooks';
import type { ConfigState } from '../../../control/protocol/settings.ts';
import { ConfigForm } from '../parts/ConfigForm.tsx';
import { useCall } from '../parts/hooks.ts';
import { ConfigProblems, LastChange } from '../parts/LastChange.tsx';
import { Answer } from '../parts/Notice.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { Words } from '../parts/Words.tsx';
import { href } from '../router.ts';
import { editsBetween, objectAt, valueAt, type EditedObject } from '../settings/edits.ts';
import { allOf, fieldsOf, plain } from '../settings/fields.ts';
import { wordsFor } from '../settings/labels.ts';
import { t } from '../texts.ts';
import { AlertTests } from './AlertTests.tsx';

export type SectionName = keyof typeof t.settings.sections;

/** One section of settings: those editable here, and those that can only be changed in the file. */
export function SettingsSectionPage({ name }: { readonly name: SectionName }) {
  const asked = useCall('config', {});
  const [turn, setTurn] = useState(0);
  const back = { href: href(['config']), text: t.settings.title };
  const taken = (config: ConfigState) => {
    asked.take(config);
    setTurn((before) => before + 1);
  };
  const { title, means } = t.settings.sections[name];
  return (
    <Page title={title} back={back}>
      <p class="muted lead">{means}</p>
      <Answer asked={asked}>
        {(data) => (
          <>
            <LastChange config={data} onUndone={taken} />
            {allOf(fieldsOf(data, name)).length === 0 ? (
              <ConfigProblems config={data} />
            ) : (
              <ConfigForm
                key={turn}
                config={data}
                groups={fieldsOf(data, name)}
                values={({ values }) => values}
                edits={(_, before, next) => editsBetween(before, next, [])}
                saved={t.form.saved}
                onSaved={taken}
                cancel={back.href}
              />
            )}
            {name === 'alerts' && <AlertTests key={data.revision} />}
            <InFile config={data} page={name} />
          </>
        )}
      </Answer>
    </Page>
  );
}

/** Settings changed only in the file: a hijacked session must not run programs, read secrets or open ports. */
function InFile({ config, page }: { readonly config: ConfigState; readonly page: SectionName }) {
  const rows = config.settings.flatMap(({ key, why, ...its }) =>
    its.page !== page || why === null
      ? []
      : keysOf(key, config.values as EditedObject).map((each) => ({
          key: each,
          help: `${wordsFor(key).help} ${t.settings.why[why]}`,
          value: shown(config, each),
        })),
  );
  if (rows.length === 0) return null;
  return (
    <Section title={t.settings.inFile} id="in-file">
      <p class="muted lead">{t.settings.inFileMeans(config.file)}</p>
      <dl class="facts in-file">
        {rows.map(({ key, help, value }) => (
          <div key={key}>
            <dt class="mono">{key}</dt>
            <dd>
              {value === null ? (
                <span class="muted">{t.settings.notSet}</span>
              ) : (
                <span class="mono">{value}</span>
              )}
              <span class="help">
                <Words text={help} />
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** Expands `*` in a key such as `accounts.*.file` to the names in the config. */
function keysOf(key: string, values: EditedObject): string[] {
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
