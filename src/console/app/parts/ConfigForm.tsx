import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Consequence } from '../../../control/protocol/consequences.ts';
import type { ConfigEdit, ConfigState } from '../../../control/protocol/settings.ts';
import { call } from '../api.ts';
import { allOf, applied, textOf, type FieldGroups, type Typed } from '../settings/fields.ts';
import type { EditedObject } from '../settings/edits.ts';
import { t } from '../texts.ts';
import { Input } from './Input.tsx';
import { Notice, announce } from './Notice.tsx';
import { Button } from './Button.tsx';
import { ConsequencesDialog, type Originals } from './Consequences.tsx';
import { Form } from './Field.tsx';
import { OriginalsDialog, originalsOf, type ExistingOriginals } from './OriginalsDialog.tsx';
import { ConfigProblems } from './LastChange.tsx';
import { Unsaved } from './Unsaved.tsx';
import { flawsByKey, Problem } from './Explanations.tsx';

interface ConfigFormProps {
  readonly config: ConfigState;
  /** Current values in the file; null if it has none (any more). */
  readonly values: (config: ConfigState) => EditedObject | null;
  readonly edits: (config: ConfigState, before: EditedObject, next: EditedObject) => ConfigEdit[];
  readonly groups: FieldGroups;
  /** Shown when asked for. */
  readonly more?: FieldGroups;
  /** Label of the button that saves. */
  readonly submit?: string;
  readonly saved: string;
  readonly onSaved: (config: ConfigState) => void;
  readonly cancel: string;
  /** Folder whose files the change may affect, which needs a decision. */
  readonly folder?: string | null;
  /** What follows the fields of a group. `type` fills in a field. */
  readonly about?: (
    group: string,
    next: EditedObject,
    type: (id: string, value: string) => void,
  ) => ComponentChildren;
  readonly extra?: (next: EditedObject) => ComponentChildren;
}

/** What the person has to know or decide before saving. */
interface SaveQuestion {
  readonly consequences: readonly Consequence[];
  readonly originals: Originals | null;
}

const TITLES: Readonly<Record<string, string>> = { ...t.form.groups, ...t.settings.groups };

type SaveRefusal =
  | { readonly kind: 'refused'; readonly error: unknown }
  | { readonly kind: 'conflict'; readonly newer: ConfigState };

function showFirstFlaw(): void {
  const field = document.querySelector('.flawed')?.querySelector<HTMLElement>('input,select,textarea');
  const folded = field?.closest('details');
  if (folded) folded.open = true;
  field?.focus();
}

/**
 * Keeps input separate from the file, so that a refusal loses nothing, and input can be applied to a file that changed
 * meanwhile.
 */
export function ConfigForm(props: ConfigFormProps) {
  const [config, setConfig] = useState(props.config);
  const [typed, setTyped] = useState<Typed>({});
  const [refusal, setRefusal] = useState<SaveRefusal | null>(null);
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState<SaveQuestion | null>(null);
  useEffect(() => showFirstFlaw(), [refusal]);
  const values = props.values(config);
  if (values === null) {
    return (
      <Notice tone="warn" urgent>
        <p>{t.form.goneFromFile}</p>
      </Notice>
    );
  }
  const { groups, more } = props;
  const next = applied([...allOf(groups), ...allOf(more ?? {})], values, typed);
  const edits = props.edits(config, values, next);

  const save = async (isDecided = false, existing?: ExistingOriginals) => {
    setBusy(true);
    setRefusal(null);
    setAsked(null);
    try {
      const { revision } = config;
      if (!isDecided) {
        const { originals = [], consequences = [] } = await call('changeConfig', {
          revision,
          edits,
          dryRun: true,
        });
        const concerned = originalsOf(originals, props.folder ?? null, values, next);
        if (consequences.length > 0 || concerned !== null)
          return setAsked({ consequences, originals: concerned });
      }
      const wanted =
        existing === undefined
          ? edits
          : props.edits(config, values, { ...next, afterUploadExisting: existing });
      const state = await call('changeConfig', { revision, edits: wanted });
      const later = state.restartNeeded.length > 0 ? ` ${t.config.restartNeeded(state.restartNeeded)}` : '';
      announce(props.saved + later);
      props.onSaved(state);
    } catch (error) {
      const newer = await call('config', {}).catch(() => null);
      const isConflict = newer !== null && newer.revision !== config.revision;
      setRefusal(isConflict ? { kind: 'conflict', newer } : { kind: 'refused', error });
    } finally {
      setBusy(false);
    }
  };
  const reload = (isKept: boolean) => {
    if (refusal?.kind === 'conflict') setConfig(refusal.newer);
    if (!isKept) setTyped({});
    setRefusal(null);
    announce(isKept ? t.form.reloadedKept : t.form.reloaded);
  };

  const flaws = flawsByKey(refusal?.kind === 'refused' ? refusal.error : null);
  const type = (id: string, value: string) => setTyped((before) => ({ ...before, [id]: value }));
  const shown = (some: FieldGroups) =>
    Object.entries(some).map(([name, fields]) => (
      <fieldset key={name} class="group">
        <legend>{TITLES[name]}</legend>
        <div class="fields">
          {fields.map((field) => (
            <Input
              key={field.id}
              field={field}
              value={typed[field.id] ?? textOf(field, values)}
              flaw={flaws.get(field.key)}
              onValue={(value) => type(field.id, value)}
            />
          ))}
        </div>
        {props.about?.(name, next, type)}
      </fieldset>
    ));
  const extra = props.extra?.(next);

  return (
    <>
      <ConfigProblems config={config} />
      <Unsaved isTyped={edits.length > 0} />
      {asked !== null &&
        (asked.originals?.stay ? (
          <OriginalsDialog
            originals={asked.originals}
            consequences={asked.consequences.filter(({ kind }) => kind !== 'deletes')}
            onDecided={(existing) => void save(true, existing)}
            onClose={() => setAsked(null)}
          />
        ) : (
          <ConsequencesDialog
            title={t.consequences.title}
            confirm={t.consequences.confirm}
            originals={asked.originals}
            consequences={asked.consequences}
            onConfirm={() => void save(true)}
            onClose={() => setAsked(null)}
          />
        ))}
      <Form class={`config-form ${more === undefined ? '' : 'asks'}`} onSubmit={() => !busy && void save()}>
        {shown(groups)}
        {more === undefined ? (
          extra
        ) : (
          <details class="more">
            <summary>{t.form.more}</summary>
            {shown(more)}
            {extra}
          </details>
        )}
        {refusal?.kind === 'refused' && (
          <Notice tone="bad" urgent>
            <p>
              <strong>{t.form.refused}</strong>
            </p>
            <Problem error={refusal.error} />
          </Notice>
        )}
        {refusal?.kind === 'conflict' && (
          <Notice
            tone="warn"
            urgent
            actions={
              <>
                <Button class="primary" onClick={() => reload(true)}>
                  {t.form.reloadKeep}
                </Button>
                <Button onClick={() => reload(false)}>{t.form.reloadDiscard}</Button>
              </>
            }
          >
            <p>{t.form.conflict(refusal.newer.file)}</p>
          </Notice>
        )}
        <div class="form-actions">
          <button type="submit" class="primary" disabled={busy || edits.length === 0}>
            {busy ? t.form.saving : (props.submit ?? t.form.save)}
          </button>
          <a class="button" href={props.cancel}>
            {t.cancel}
          </a>
          {edits.length === 0 && <span class="muted">{t.form.unchanged}</span>}
        </div>
      </Form>
    </>
  );
}
