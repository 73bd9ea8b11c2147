import { join } from 'node:path';
import { putSafely, targetStore, UNIT_CREDENTIALS_DIR } from '../../wiring/credentialStores.ts';
import { isOddUid, oddUid } from '../../config/oddUids.ts';
import type { Config } from '../../config/config.ts';
import { demandConfigWritable } from '../../config/configFile.ts';
import { writeDurably } from '../../system/durableFile.ts';
import { prepareStateDir } from '../../state-dir/stateDir.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { joined, says, saysError, saysFinding, type Said } from '../../core/domain/setupWords.ts';
import { ofError } from '../../core/domain/why.ts';
import { findAccount, noSuchUser } from '../../features/os-service/account.ts';
import { checkUnit } from '../checkUnit.ts';
import { storePassword } from '../console.ts';
import { giveConfig } from '../serviceConfig.ts';
import { hostOf } from '../serviceHost.ts';
import { operatorName } from '../operator.ts';
import { withService } from '../serviceClient.ts';
import { agentAnswers, hurryAgent, operate, underLock } from '../session.ts';
import type { MailTest } from './alertMail.ts';
import type { ConsoleAnswer } from './console.ts';
import type { CredentialsAnswer } from './credentials.ts';
import type { AnswerStore } from './answers.ts';
import { plan, TO_BE_CREATED, writePlanned } from './plan.ts';
import { uncreatable } from './folder.ts';
import { demandManager, installOnce, type SetupService } from './installing.ts';
import { asOwner, giveToOwner, otherOwner } from '../owner.ts';
import { leavesPractice, practiceStateDir } from './practiceState.ts';
import { SetupEnded } from './prompts.ts';
import { linesOf, reroutedBy, type Rerouted } from './rerouted.ts';
import { wantedOf, type Answers } from './steps.ts';
import type { Talk } from './talk.ts';
import { acceptedBefore, sendTestReceipt, type Delivered } from './testReceipt.ts';
import { makeDirectory } from '../../system/makeDirectory.ts';

/** Result of setup; `--json` prints it. */
export interface AppliedSetup {
  readonly changed: boolean;
  readonly config: { readonly file: string; readonly result: 'created' | 'changed' | 'unchanged' };
  readonly service: { readonly baseUrl: string; readonly company: string | null };
  readonly credentials: { readonly store: string; readonly result: 'stored' | 'unchanged' };
  readonly endpoint: { readonly alias: string; readonly uid: string; readonly created: boolean };
  readonly folder: {
    readonly path: string;
    readonly result: 'created' | 'added' | 'unchanged';
    readonly existing: string | null;
    /** Folder that shows people what could not be sent. */
    readonly needsAttention: string | null;
  };
  /** All folders watched now. */
  readonly folders: readonly { readonly path: string; readonly endpoint: string }[];
  /** Folders that were already watched and now feed a different endpoint or service. */
  readonly rerouted: readonly Rerouted[];
  readonly stateDir: string;
  readonly rate: string;
  /** Recipients of alert mails; null: none. */
  readonly alerts: { readonly to: readonly string[]; readonly server: string } | null;
  readonly testMail: MailTest | null;
  readonly installed: SetupService | null;
  readonly console: {
    /** New address, as in the configuration; null: unchanged. */
    readonly listen: string | null;
    /** Whether a password was set. */
    readonly password: boolean;
    /** Whether settings can be saved in it, where setup decided that; null: as before. */
    readonly saves: boolean | null;
  };
  readonly testReceipt:
    (Delivered & { readonly sent: true }) | { readonly sent: false; readonly why: string } | null;
}

/**
 * Carries out the answers, each part whole or not at all, and reports each completed part through `tell`. The config file is
 * written once, after everything that it refers to exists.
 */
export async function apply(talk: Talk, answers: Answers, tell: (said: Said) => void): Promise<AppliedSetup> {
  const { io, found } = talk;
  const { service, credentials, endpoint, folder } = answers;
  const isFresh = leavesPractice(found, wantedOf(talk, answers, endpoint.uid ?? TO_BE_CREATED));
  const goOn = () => {
    if (io.stop.aborted) throw new SetupEnded('ended by a signal');
  };
  // Check everything possible before changing anything.
  const { config: planned, text: plannedText } = plan(
    found,
    wantedOf(talk, answers, endpoint.uid ?? TO_BE_CREATED),
  );
  if (answers.install !== null) await demandManager(io, planned, answers.install);
  if (found.before?.text !== plannedText) await demandConfigWritable(found.place.file);
  // The state directory of a service belongs to its user, who prepares it.
  if ((await otherOwner(planned.stateDir)) === null) await prepareStateDir(planned);
  if (endpoint.uid === null) await demandRecording(planned);
  goOn();
  if (folder.create) {
    await makeDirectory(folder.path).catch((error: unknown) => {
      throw uncreatable(folder.path, error);
    });
    tell(says('done.folder', { path: folder.path }));
  }
  goOn();
  const uid = endpoint.uid ?? (await create(talk, planned, answers, tell));
  if (endpoint.uid === null) tell(says('done.endpoint', { name: endpoint.create?.name ?? '', uid }));
  goOn();
  const stored = await store(talk, planned, credentials, tell);
  goOn();
  const passwordFile = await storeMailPassword(answers, tell);
  // If the keychain failed, the credentials went to a file, and the config must say so.
  const inFact =
    credentials.kind === 'new' && stored !== null ? { ...credentials, store: stored } : credentials;
  if (answers.console.password !== null) {
    await storePassword(planned.stateDir, answers.console.password);
    tell(says('done.consolePassword'));
  }
  const target = plan(found, wantedOf(talk, { ...answers, credentials: inFact }, uid));
  const result = await writePlanned(found, target, new Date());
  await giveToOwner(target.config.stateDir, [
    target.config.credentials.file,
    join(target.config.stateDir, 'config-history'),
    ...(passwordFile === null ? [] : [passwordFile]),
  ]);
  const { file } = found.place;
  if (isOddUid(uid)) tell(saysFinding(oddUid(endpoint.alias, uid)));
  tell(says(result === 'unchanged' ? 'done.unchanged' : 'done.wrote', { file }));
  const { test: mailTest } = answers.alerts;
  if (mailTest?.sent === false)
    tell(says('mail.undeliveredWhy', { why: ofError(new ReceiptdError(mailTest.error)) }));
  // It notices config changes by itself, but waits out its back-off.
  await hurryAgent(target.config, 'tryHeld');
  goOn();
  const { config } = target;
  const { email } = config.alerts;
  const rerouted = reroutedBy(found, config);
  for (const line of linesOf(rerouted, isFresh)) tell(line);
  if (answers.existingOf.size > 0 && !isFresh && result !== 'unchanged') tell(says('done.existing'));
  if (config.stateDir === practiceStateDir(found)) tell(says('done.practice', { dir: config.stateDir }));
  const installed =
    answers.install === null
      ? null
      : await installOnce(io, config, { scope: answers.install, user: talk.given.serviceUser }, tell);
  if (answers.install === null) {
    const findings = await checkUnit(config, hostOf(io));
    for (const { fact } of findings) if (fact.is === 'error') tell(saysError(new ReceiptdError(fact.error)));
  }
  const isGiven = await give(talk, answers.console, tell);
  goOn();
  const testReceipt = answers.sendsTest ? await test(talk, config, folder.path, tell) : null;
  return {
    changed:
      result !== 'unchanged' ||
      stored !== null ||
      passwordFile !== null ||
      folder.create ||
      installed?.result === 'installed' ||
      answers.console.password !== null ||
      isGiven ||
      testReceipt?.sent === true,
    config: { file, result },
    service: { baseUrl: service.baseUrl, company: credentials.company },
    credentials: { store: stored ?? credentials.store, result: stored === null ? 'unchanged' : 'stored' },
    endpoint: { alias: endpoint.alias, uid, created: endpoint.uid === null },
    folder: {
      path: folder.path,
      result: folder.create ? 'created' : folder.isNew ? 'added' : 'unchanged',
      existing: folder.isNew ? folder.existing : null,
      needsAttention: config.folders.find(({ path }) => path === folder.path)?.needsAttention ?? null,
    },
    folders: config.folders.map(({ path, alias }) => ({ path, endpoint: alias })),
    rerouted,
    stateDir: config.stateDir,
    rate: answers.rate,
    alerts: email === null ? null : { to: email.to, server: email.server },
    testMail: mailTest,
    installed,
    console: {
      listen: answers.console.listen ?? null,
      password: answers.console.password !== null,
      saves: answers.console.saves?.may ?? null,
    },
    testReceipt,
  };
}

/** Decides who may write the configuration; the service's user exists by now. Resolves whether that changed. */
async function give(
  { io, found: { place } }: Talk,
  { saves }: ConsoleAnswer,
  tell: (said: Said) => void,
): Promise<boolean> {
  if (saves === null) return false;
  const account = await findAccount(hostOf(io), saves.user);
  if (account === null) throw noSuchUser(saves.user);
  const isChanged = await giveConfig(place.file, account, saves.may);
  if (isChanged)
    tell(says(saves.may ? 'done.consoleSaves' : 'done.consoleReads', { user: saves.user, file: place.file }));
  return isChanged;
}

/** Fails before an endpoint is created that can't be recorded: its uid would be lost, and each retry would create another. */
async function demandRecording(config: Config): Promise<void> {
  if (await agentAnswers(config)) return;
  await asOwner(config.stateDir, () => underLock(config, async () => {}));
}

/** Creates and records the endpoint before the config file refers to it, so that a later failure can't lose its uid. */
async function create(
  { io }: Talk,
  config: Config,
  { endpoint, credentials }: Answers,
  tell: (said: Said) => void,
): Promise<string> {
  const { name, language } = endpoint.create ?? { name: '', language: undefined };
  const given = credentials.kind === 'new' ? credentials : undefined;
  const record = await withService(io, config, { given, level: 'error' }, ({ service }) =>
    service.createEndpoint({ name, ...(language !== undefined && { dominantLanguage: language }) }, io.stop),
  );
  const { uid, verbatim } = record;
  try {
    const request = { uid, name: record.name, verbatim, by: operatorName() };
    await asOwner(config.stateDir, () => operate(io, config, 'recordEndpoint', request));
  } catch (error) {
    if (!(error instanceof ReceiptdError)) throw error;
    tell(says('done.endpoint', { name, uid }));
    // What can't be recorded keeps its own code, and so its exit status.
    const said = new ReceiptdError('CREATE_UNCERTAIN.unrecorded', { name, uid, ...error.within() }).facts();
    throw new ReceiptdError({ ...said, code: error.code }, { cause: error });
  }
  return uid;
}

/** Stores new credentials; resolves where, or null if the existing ones are kept. */
async function store(
  { io }: Talk,
  config: Config,
  answer: CredentialsAnswer,
  tell: (said: Said) => void,
): Promise<AnswerStore | null> {
  if (answer.kind === 'kept') return null;
  const { clientId, clientSecret, why } = answer;
  const put = (where: AnswerStore) =>
    putSafely(
      targetStore(where, { config, account: null, env: io.env, unitDirectory: UNIT_CREDENTIALS_DIR }),
      { clientId, clientSecret },
    );
  const { file } = config.credentials;
  try {
    await put(answer.store);
    const place = answer.store === 'keychain' ? says('done.keychain') : says('done.file', { file });
    tell(joined(place, why, says('done.storeEnd')));
    return answer.store;
  } catch (error) {
    // An explicitly chosen store is never replaced by another.
    const isAsked = why.text.startsWith('as ');
    if (isAsked || !(error instanceof ReceiptdError) || error.code !== 'KEYCHAIN_UNAVAILABLE') throw error;
    await put('file');
    tell(says('done.fileInstead', { why: ofError(error), file }));
    return 'file';
  }
}

/** Stores the mail password; resolves its file, or null if none was typed. */
async function storeMailPassword(
  { alerts: { mail, password } }: Answers,
  tell: (said: Said) => void,
): Promise<string | null> {
  if (password === null || mail === undefined || mail === 'none' || mail.passwordFile === null) return null;
  await writeDurably(mail.passwordFile, `${password}\n`);
  tell(says('done.mailPassword', { file: mail.passwordFile }));
  return mail.passwordFile;
}

async function test(
  { io, ask }: Talk,
  config: Config,
  folder: string,
  tell: (said: Said) => void,
): Promise<NonNullable<AppliedSetup['testReceipt']>> {
  // A person who confirmed it again wants another one sent.
  const before = ask === null ? await acceptedBefore(config, folder) : null;
  if (before !== null) {
    const why = says('done.testedBefore', { name: before });
    tell(why);
    return { sent: false, why: why.text };
  }
  tell(says('done.sending'));
  const delivered = await sendTestReceipt(io, config, folder);
  const { file, name, status, response } = delivered;
  tell(says('done.testFile', { file }));
  tell(says('done.testName', { name }));
  tell(status === null ? says('done.testState') : says('done.testStatus', { status }));
  if (response !== null) tell(says('done.testAnswer', { answer: response }));
  return { ...delivered, sent: true };
}
