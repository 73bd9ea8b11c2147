import { useState } from 'preact/hooks';
import type { ConfigState } from '../../../control/protocol/settings.ts';
import { call } from '../api.ts';
import { ConfigForm } from '../parts/ConfigForm.tsx';
import { useAct, useAsk } from '../parts/hooks.ts';
import { Failure, Loading, announce } from '../parts/Notice.tsx';
import { Page } from '../parts/Page.tsx';
import { Unsaved } from '../parts/Unsaved.tsx';
import { go, href } from '../router.ts';
import { editsBetween, isObject, valueAt, type JsonObject } from '../settings/edits.ts';
import { DELIVERY_FIELDS, endpointFields, type Field } from '../settings/fields.ts';
import { t } from '../texts.ts';

const BACK = { href: href(['endpoints']), text: t.endpoints.pageTitle };

export function EndpointEdit({ alias }: { readonly alias: string }) {
  return (
    <SectionEdit
      title={t.endpoints.editTitle(alias)}
      path={['endpoints', alias]}
      fields={(config) => endpointFields(accountsOf(config))}
      groups={[
        {
          title: t.form.groups.endpoint,
          ids: ['uid', 'account', 'endpointConcurrency', 'rate', 'perDay', 'perMonth'],
        },
      ]}
    />
  );
}

export function DeliveryEdit() {
  return (
    <SectionEdit
      title={t.endpoints.delivery}
      path={['delivery']}
      isOptional
      fields={() => DELIVERY_FIELDS}
      groups={[
        {
          title: t.form.groups.pace,
          ids: ['concurrency', 'rate', 'spread', 'perDay', 'perMonth', 'bandwidth', 'grace', 'parkAfter'],
        },
        { title: t.form.groups.hours, ids: ['hours'] },
      ]}
    />
  );
}

interface SectionEditProps {
  readonly title: string;
  readonly path: readonly string[];
  readonly fields: (config: ConfigState) => readonly Field[];
  readonly groups: readonly { readonly title: string; readonly ids: readonly string[] }[];
  /** The section may be missing from the file. */
  readonly isOptional?: boolean;
}

function SectionEdit({ title, path, fields, groups, isOptional = false }: SectionEditProps) {
  const { data, error, again } = useAsk((signal) => call('config', {}, signal), path.join('/'));
  const values = (state: ConfigState): JsonObject | null => {
    const section = valueAt(state.values, path);
    if (isObject(section)) return section;
    return isOptional ? {} : null;
  };
  return (
    <Page title={title} back={BACK}>
      <Failure error={error} again={again} />
      {data === null && error === null && <Loading />}
      {data !== null && (
        <ConfigForm
          config={data}
          fields={fields(data)}
          groups={groups}
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
    </Page>
  );
}

function accountsOf({ values }: ConfigState): string[] {
  const accounts = valueAt(values, ['accounts']);
  return isObject(accounts) ? Object.keys(accounts) : [];
}

const CREATE = ['name', 'alias', 'language', 'outgoingUrl'] as const;
type Given = Record<(typeof CREATE)[number], string>;

/** Creates an endpoint at the service. Never retried automatically, because each request would create another one. */
export function EndpointCreate() {
  const [given, setGiven] = useState<Given>({ name: '', alias: '', language: '', outgoingUrl: '' });
  const [account, setAccount] = useState('');
  const act = useAct();
  // If this fails, endpoints can still be created with the default account.
  const { data: config } = useAsk((signal) => call('config', {}, signal), '');
  const accounts = config === null ? [] : accountsOf(config);
  const create = async () => {
    const { name, alias, language, outgoingUrl } = given;
    const endpoints = config?.values['endpoints'];
    if (isObject(endpoints) && Object.hasOwn(endpoints, alias.trim()))
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
      <p class="muted lead">{t.create.means}</p>
      <form
        class="config-form"
        onSubmit={(event) => {
          event.preventDefault();
          void act.run(create);
        }}
      >
        <div class="group">
          <div class="fields">
            {CREATE.map((key) => (
              <div key={key} class="field">
                <label for={`create-${key}`}>
                  {t.create.fields[key].label}
                  {(key === 'name' || key === 'alias') && <span class="muted"> ({t.form.required})</span>}
                </label>
                <input
                  id={`create-${key}`}
                  type="text"
                  required={key === 'name' || key === 'alias'}
                  value={given[key]}
                  spellcheck={false}
                  autocomplete="off"
                  aria-describedby={`create-${key}-help`}
                  onInput={({ currentTarget }) =>
                    setGiven((before) => ({ ...before, [key]: currentTarget.value }))
                  }
                />
                <p class="help" id={`create-${key}-help`}>
                  {t.create.fields[key].help}
                </p>
              </div>
            ))}
            {accounts.length > 0 && (
              <div class="field">
                <label for="create-account">{t.create.fields.account.label}</label>
                <select
                  id="create-account"
                  value={account}
                  aria-describedby="create-account-help"
                  onChange={({ currentTarget }) => setAccount(currentTarget.value)}
                >
                  <option value="">{t.form.options['account.none']}</option>
                  {accounts.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
                <p class="help" id="create-account-help">
                  {t.create.fields.account.help}
                </p>
              </div>
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
      </form>
    </Page>
  );
}
