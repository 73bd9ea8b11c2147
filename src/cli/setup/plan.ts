import type { Config, LoadContext } from '../../config/config.ts';
import { createConfigFile, replaceConfigFile, revisionOf } from '../../config/configFile.ts';
import { isDeepStrictEqual } from 'node:util';
import type { ConfigChange, ConfigJson } from '../../config/change.ts';
import { applyEdits } from '../../config/edit.ts';
import { readConfig, readConfigFile, textOf } from '../../config/load.ts';
import type { ConfigPlace } from '../../config/locate.ts';
import { machineConfigDir, pathsOf, resolvePath } from '../../config/resolve.ts';
import { EXAMPLE_UID } from '../../config/exampleUid.ts';
import { shortConfigText } from '../../config/template.ts';
import { consoleSchema, folderSchema } from '../../config/schema.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { isOfSettings } from '../../core/domain/invalidSettings.ts';
import { rateText } from '../../core/domain/rate.ts';
import { entersPractice, leavesPractice, practiceStateDir } from './practiceState.ts';
import type { Before, ExistingConfig, SetupValues } from './wanted.ts';

export const DEFAULT_ALIAS = 'office';
export const DEFAULT_RATE = '60/min';
/** Placeholder for the uid of an endpoint that is not created yet. */
export const TO_BE_CREATED = 'to-be-created';

/** @throws ReceiptdError if the file is unreadable or invalid */
export async function readFound(place: ConfigPlace, context: LoadContext): Promise<ExistingConfig> {
  return { place, context, before: place.exists ? await readBefore(place.file, context) : null };
}

/** @throws ReceiptdError if the file is unreadable or invalid */
export async function readBefore(file: string, context: LoadContext): Promise<Before> {
  const bytes = await readConfigFile(file);
  const { config } = readConfig(textOf(bytes, file), file, context);
  const isExample = config.endpoints.every(({ key }) => key.uid === EXAMPLE_UID);
  // Keep a byte order mark as part of the text.
  return { text: bytes.toString('utf8'), revision: revisionOf(bytes), config, isExample };
}

/** Completes partial answers with the present values, or those of the example. */
export function provisional({ before }: ExistingConfig, some: Partial<SetupValues>): SetupValues {
  const [endpoint] = before?.config.endpoints ?? [];
  const [folder] = before?.config.folders ?? [];
  return {
    baseUrl: before?.config.service.baseUrl ?? 'https://service.example',
    alias: endpoint?.alias ?? DEFAULT_ALIAS,
    uid: endpoint?.key.uid ?? TO_BE_CREATED,
    folder: folder?.path ?? '/srv/scans',
    existing: 'send',
    rate: before === null ? DEFAULT_RATE : rateText(before.config.delivery.rate),
    ...some,
  };
}

export interface PlannedConfig {
  readonly text: string;
  readonly config: Config;
}

/** The planned text of the config file, and its parsed form. @throws ReceiptdError if it would be invalid */
export function plan(found: ExistingConfig, wanted: SetupValues): PlannedConfig {
  const { place, context, before } = found;
  const start =
    before?.text ?? shortConfigText({ baseUrl: wanted.baseUrl, uid: wanted.uid, folder: wanted.folder });
  const now = before?.config ?? edited(start, [], place.file, context).config;
  return edited(start, changes(found, now, wanted), place.file, context);
}

/** A valid text after changes. @throws ReceiptdError if it would be invalid */
export function edited(
  start: string,
  edits: readonly ConfigChange[],
  file: string,
  context: LoadContext,
): PlannedConfig {
  const text = applyEdits(start, edits, file);
  try {
    return { text, config: readConfig(text.replace(/^\uFEFF/, ''), file, context).config };
  } catch (error) {
    throw withoutPlaces(error);
  }
}

/** Lines and columns of a text that was not written are of no use. */
function withoutPlaces(error: unknown): unknown {
  return isOfSettings(error) ? new ReceiptdError(error.key, { ...error.params, file: null }) : error;
}

function changes(found: ExistingConfig, now: Config, wanted: SetupValues): ConfigChange[] {
  const { place, context, before } = found;
  const { alias, uid, folder, store } = wanted;
  const edits: ConfigChange[] = [];
  const set = (path: ConfigChange['path'], value: ConfigJson) => edits.push({ kind: 'set', path, value });
  const practised = practiceStateDir(found);
  if (practised !== null && entersPractice(found, now, wanted)) set(['stateDir'], practised);
  if (leavesPractice(found, wanted)) edits.push({ kind: 'remove', path: ['stateDir'] });
  if (now.service.baseUrl !== wanted.baseUrl) set(['service', 'baseUrl'], wanted.baseUrl);
  const endpoint = now.endpoints.find((each) => each.alias === alias);
  if (endpoint?.key.uid !== uid) set(['endpoints', alias, 'uid'], uid);
  const [only, ...others] = now.endpoints;
  // With a second endpoint, every folder has to name its own: existing folders keep the first.
  if (endpoint === undefined && only !== undefined && others.length === 0)
    for (const [index] of now.folders.entries()) set(['folders', index, 'endpoint'], only.alias);
  const resolved = resolvePath(folder, pathsOf(context.platform).dirname(place.file), context);
  const at = now.folders.findIndex(({ path }) => path === resolved);
  if (at < 0 && before?.isExample === true) {
    set(['folders', 0, 'path'], folder);
    set(['folders', 0, 'existing'], wanted.existing);
  } else if (at < 0) {
    const shown = wanted.needsAttention === undefined ? {} : { needsAttention: wanted.needsAttention };
    const value = { path: folder, endpoint: alias, existing: wanted.existing, ...shown };
    edits.push({ kind: 'append', path: ['folders'], value });
  } else if (before === null) set(['folders', at, 'existing'], wanted.existing);
  else if (wanted.routes === true && now.folders[at]?.alias !== alias)
    set(['folders', at, 'endpoint'], alias);
  for (const [path, existing] of wanted.existingOf ?? []) {
    const index = now.folders.findIndex((each) => each.path === path);
    const meant = folderSchema.shape.existing.parse(existing);
    if (index >= 0 && !isDeepStrictEqual(now.folders[index]?.existing, meant))
      set(['folders', index, 'existing'], existing);
  }
  const index = at < 0 && before?.isExample === true ? 0 : at;
  if (wanted.needsAttention !== undefined && index >= 0) {
    const meant =
      wanted.needsAttention === 'none' ? null : resolvePath(wanted.needsAttention, resolved, context);
    if ((now.folders[index]?.needsAttention ?? null) !== meant)
      set(['folders', index, 'needsAttention'], wanted.needsAttention);
  }
  const mail = mailEdit(now.alerts.email, wanted.alertMail);
  if (mail !== null) set(['alerts', 'email'], mail);
  // Administrators of office PCs check the event log, and the installer has registered the source.
  if (before === null && isOfWindowsMachine(place.file, context)) set(['alerts', 'eventLog'], true);
  if (rateText(now.delivery.rate) !== wanted.rate) set(['delivery', 'rate'], wanted.rate);
  const { consoleListen } = wanted;
  if (
    consoleListen !== undefined &&
    !isDeepStrictEqual(now.console.listen, consoleSchema.shape.listen.parse(consoleListen))
  )
    set(['console', 'listen'], consoleListen);
  if (store !== undefined && now.credentials.store !== store) set(['credentials', 'store'], store);
  return edits;
}

function isOfWindowsMachine(file: string, context: ExistingConfig['context']): boolean {
  if (context.platform !== 'win32') return false;
  const dir = pathsOf('win32').dirname(file);
  return dir.toLowerCase() === machineConfigDir(context).toLowerCase();
}

/** New value of `alerts.email`; null: unchanged. */
function mailEdit(now: Config['alerts']['email'], wanted: SetupValues['alertMail']): ConfigJson | null {
  if (wanted === undefined) return null;
  if (wanted === 'none') return now === null ? null : {};
  const { to, server, user, passwordFile } = wanted;
  const from = now?.from ?? null;
  if (isDeepStrictEqual(now, { server, user, passwordFile, from, to })) return null;
  return {
    server,
    ...(user !== null && { user }),
    ...(passwordFile !== null && { passwordFile }),
    ...(from !== null && { from }),
    to: [...to],
  };
}

/** Replaces the config file atomically; resolves what was done. */
export async function writePlanned(
  { place, before }: Pick<ExistingConfig, 'before'> & { readonly place: Pick<ConfigPlace, 'file'> },
  { text, config }: PlannedConfig,
  at: Date,
): Promise<'created' | 'changed' | 'unchanged'> {
  if (before === null) {
    await createConfigFile(place.file, text);
    return 'created';
  }
  if (before.text === text) return 'unchanged';
  const history = pathsOf(process.platform).join(config.stateDir, 'config-history');
  await replaceConfigFile(place.file, { revision: before.revision, text, history, at });
  return 'changed';
}
