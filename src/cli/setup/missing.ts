import { lookAtFolder } from '../../wiring/lookAtFolder.ts';
import type { Config } from '../../config/config.ts';
import { resolvePath } from '../../config/resolve.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { hasCredentials } from './credentials.ts';
import { configuredFolders } from './folder.ts';
import { incomplete, type AnswerName } from './answers.ts';
import { leavesPractice } from './practiceState.ts';
import { knownBaseUrl } from './service.ts';
import type { Talk } from './talk.ts';

/**
 * Refuses an unattended setup with missing answers before anything is done. `config`: planned from the known answers.
 * @throws ReceiptdError SETUP_INCOMPLETE listing all missing answers
 */
export async function refuseMissing(talk: Talk, config: Config, isUnattended: boolean): Promise<void> {
  const { given, found } = talk;
  const { before, context } = found;
  const missing: (AnswerName | readonly AnswerName[])[] = [];
  const baseUrl = knownBaseUrl(talk);
  if (baseUrl === null && !given.sandbox) missing.push(['baseUrl', 'sandbox']);
  if (!given.sandbox) {
    const isStored = baseUrl !== null && (await hasCredentials(talk, config));
    if (!isStored && given.clientId === undefined) missing.push('clientId');
    if (!isStored && given.clientSecret === undefined) missing.push('clientSecretFile');
    const isKnown = before !== null && !before.isExample && before.config.service.baseUrl === baseUrl;
    if (!isKnown && given.endpointUid === undefined && given.createEndpoint === undefined)
      missing.push(['endpointUid', 'createEndpoint']);
  }
  const configured = configuredFolders(talk);
  if (given.folder === undefined) {
    if (configured.length === 0) missing.push('folder');
  } else {
    const path = resolvePath(given.folder, context.cwd, context);
    if (!configured.includes(path)) missing.push(...(await missingOf(path, config, talk)));
  }
  missing.push(...missingOfMail(talk));
  const backlogs: string[] = [];
  if (
    given.existing === undefined &&
    leavesPractice(found, { baseUrl: baseUrl ?? '', isPractice: given.sandbox })
  )
    for (const path of configured) if (await hasBacklog(path, config)) backlogs.push(path);
  if (backlogs.length > 0 && !missing.includes('existing')) missing.push('existing');
  if (missing.length > 0) throw incomplete(missing, { isUnattended, backlogs });
}

/** Missing mail settings, if any were given: an incomplete set could not send mail. */
function missingOfMail({ given, found }: Talk): AnswerName[] {
  const { alertEmail, mailServer, mailUser, mailPasswordFile } = given;
  const now = found.before?.config.alerts.email ?? null;
  const isAsked = [alertEmail, mailServer, mailUser, mailPasswordFile].some((each) => each !== undefined);
  if (!isAsked || alertEmail === 'none') return [];
  const missing: AnswerName[] = [];
  if (alertEmail === undefined && now === null) missing.push('alertEmail');
  if (mailServer === undefined && now === null) missing.push('mailServer');
  const user = mailUser ?? now?.user ?? 'none';
  if (user !== 'none' && mailPasswordFile === undefined && (now?.passwordFile ?? null) === null)
    missing.push('mailPasswordFile');
  if (user === 'none' && mailPasswordFile !== undefined) missing.push('mailUser');
  return missing;
}

/** Whether the folder contains files, which a new ledger does not know. */
async function hasBacklog(path: string, config: Config): Promise<boolean> {
  const look = await lookAtFolder(path, config);
  return look.state === 'present' && look.files !== 0;
}

/** Missing answers about a folder that is not configured yet. */
async function missingOf(path: string, config: Config, { given }: Talk): Promise<AnswerName[]> {
  try {
    const look = await lookAtFolder(path, config);
    if (look.state === 'missing') return given.createFolder === undefined ? ['createFolder'] : [];
    // Every image costs quota, so a person has to decide.
    const isBacklog = look.state === 'present' && look.files !== 0;
    return isBacklog && given.existing === undefined ? ['existing'] : [];
  } catch (error) {
    // The folder step reports this error.
    if (error instanceof ReceiptdError) return [];
    throw error;
  }
}
