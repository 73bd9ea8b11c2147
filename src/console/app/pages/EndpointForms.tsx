import { useState } from 'preact/hooks';
import type { ConfigState } from '../../../control/protocol/settings.ts';
import { call } from '../api.ts';
import { ConfigForm } from '../parts/ConfigForm.tsx';
import { Form, SelectField, TextField } from '../parts/Field.tsx';
import { useAct, useCall } from '../parts/hooks.ts';
import { Answer, Failure, announce } from '../parts/Notice.tsx';
import { ConfigProblems } from '../parts/LastChange.tsx';
import { Page } from '../parts/Page.tsx';
import { Unsaved } from '../parts/Unsaved.tsx';
import { go, href } from '../router.ts';
import { editsBetween, objectAt, valueAt, type EditedObject } from '../settings/edits.ts';
import { fieldsOf } from '../settings/fields.ts';
import { wordsFor } from '../settings/labels.ts';
import { t } from '../texts.ts';

const BACK = { href: href(['endpoints']), text: t.endpoints.pageTitle };

export function EndpointEdit({ alias }: { readonly alias: string }) {
  return (
    <SectionEdit title={t.endpoints.editTitle(alias)} path={['endpoints', alias]} below="endpoints.*." />
  );
}

export function DeliveryEdit() {
  return <SectionEdit title={t.endpoints.delivery} path={['delivery']} isOptional below="delivery." />;
}

interface SectionEditProps {
  readonly title: string;
  readonly path: readonly string[];
  /** Where the keys of its settings begin. */
  readonly below: string;
  /** The section may be missing from the file. */
  readonly isOptional?: boolean;
}

function SectionEdit({ title, path, below, isOptional = false }: SectionEditProps) {
  const asked = useCall('config', {});
  const values = (state: ConfigState): EditedObject | null =>
    objectAt(state.values, path) ?? (isOptional ? {} : null);
  return (
    <Page title={title} back={BACK}>
      <Answer asked={asked}>
        {(data) => (
          <ConfigForm
            key={path.join('/')}
            config={data}
            groups={fieldsOf(data, path[0] ?? '', below)}
            values={values}
            edits={(state, before, next) => {
              // Remove a section that would become empty, and add a missing one, in a single edit.
              const isThere = valueAt(state.values, path) !== undefined;
              const isEmpty = Object.keys(next).length === 0;
              if (isThere && !(isOptional && isEmpty)) return editsBetween(before, next, path);
              return editsBetween(isThere ? before : undefined, isEmpty ? undefined : next, path);
            }}
            saved={t.form.saved}
            onSaved={() => go(BACK.href)}
            cancel={BACK.href}
          />
        )}
      </Answer>
    </Page>
  );
}

const accountsOf = ({ values }: ConfigState): string[] => Object.keys(objectAt(values, ['accounts']) ?? {});

const CREATE = ['name', 'alias', 'language', 'outgoingUrl'] as const;
const REQUIRED: readonly string[] = ['name', 'alias'];
type EndpointGiven = Record<(typeof CREATE)[number], string>;

/** Creates an endpoint at the service. Never retried automatically, because each request would create another one. */
export function EndpointCreate() {
  const [given, setGiven] = useState<EndpointGiven>({ name: '', alias: '', language: '', outgoingUrl: '' });
  const [account, setAccount] = useState('');
  const act = useAct();
  // If this fails, endpoints can still be created with the default account.
  const { data: config } = useCall('config', {});
  const accounts = config === null ? [] : accountsOf(config);
  const create = async () => {
    const { name, alias, language, outgoingUrl } = given;
    if (Object.hasOwn(objectAt(config?.values, ['endpoints']) ?? {}, alias.trim()))
      throw new Error(t.create.taken(alias.trim()));
    const { uid } = await call('createEndpoint', {
      name: name.trim(),
      alias: alias.trim(),
      ...(account === '' ? {} : { account }),
      ...(language.trim() === '' ? {} : { language: language.trim() }),
      ...(outgoingUrl.trim() === '' ? {} : { outgoingUrl: outgoingUrl.trim() }),
    });
    announce(t.create.done(alias.trim(), uid));
    go(BACK.href);
  };
  return (
    <Page title={t.create.title} back={BACK}>
      <Unsaved isTyped={CREATE.some((key) => given[key] !== '')} />
      {config !== null && <ConfigProblems config={config} />}
      <p class="muted lead">{t.create.means}</p>
      <Form class="config-form" onSubmit={() => void act.run(create)}>
        <div class="group">
          <div class="fields">
            {CREATE.map((key) => (
              <TextField
                key={key}
                id={`create-${key}`}
                {...t.create.fields[key]}
                isMarked={REQUIRED.includes(key)}
                required={REQUIRED.includes(key)}
                value={given[key]}
                spellcheck={false}
                autocomplete="off"
                onValue={(value) => setGiven((before) => ({ ...before, [key]: value }))}
              />
            ))}
            {accounts.length > 0 && (
              <SelectField
                id="create-account"
                {...t.create.fields.account}
                value={account}
                options={[
                  { value: '', text: wordsFor('endpoints.*.account').options?.['none'] ?? '' },
                  ...accounts.map((value) => ({ value, text: value })),
                ]}
                onValue={setAccount}
              />
            )}
          </div>
        </div>
        <Failure error={act.error} />
        <div class="form-actions">
          <button type="submit" class="primary" disabled={act.busy}>
            {act.busy ? t.create.running : t.create.submit}
          </button>
          <a class="button" href={BACK.href}>
            {t.cancel}
          </a>
        </div>
      </Form>
    </Page>
  );
}
