import { accountsHeldBySystemd } from '../features/os-service/hosted.ts';
import type { Config } from '../config/config.ts';
import { gidOf } from '../system/group.ts';
import { ReceiptdError, type ErrorCode } from '../core/domain/errors.ts';
import { codeOf, type Finding } from '../core/domain/finding.ts';
import {
  createAccount,
  findAccount,
  noSuchUser,
  runAs,
  STRANGER,
  type Account,
} from '../features/os-service/account.ts';
import { DEFAULT_USER, type HostedAgent } from '../features/os-service/agent.ts';
import type { Host } from '../features/os-service/host.ts';
import { demandProgram, demandReach, folderAdvice } from '../features/os-service/reach.ts';
import type { CliTexts } from '../texts/cli.ts';
import { findingWords } from '../texts/explain.ts';
import { languageOfTerminal } from '../texts/language.ts';
import type { Texts } from '../texts/texts.ts';
import type { InstallSteps } from './installSteps.ts';
import { UNIT } from './checkUnit.ts';
import { demandGivable, giveStateDir } from './serviceState.ts';

const CHECK_MS = 5 * 60_000;
/** Findings of `check` that make it pointless to start the service. */
const GRAVE: readonly ErrorCode[] = [
  'FOLDER_UNREADABLE',
  'FOLDER_UNWRITABLE',
  'FOLDER_NOT_A_DIRECTORY',
  'ATTENTION_UNWRITABLE',
  'STATE_UNWRITABLE',
];
/** What is said about the service as it is now, which the installation replaces. */
const OF_RUNNING: readonly string[] = ['agent', UNIT];

/**
 * Creates the account and its state directory if needed, and checks that it can access what the agent needs.
 * @throws ReceiptdError INSTALL_REFUSED
 */
export async function prepareAccount(
  host: Host,
  config: Config,
  agent: HostedAgent,
  user: string,
  {
    steps,
    words,
    texts,
  }: { readonly steps: InstallSteps; readonly words: CliTexts['installing']; readonly texts: Texts },
): Promise<void> {
  let account = await findAccount(host, user);
  if (account === null) {
    if (user !== DEFAULT_USER) throw noSuchUser(user);
    // Check the program before creating the user: if a stranger can't run it, neither can the new user.
    await demandProgram(host, { ...STRANGER, name: user }, agent);
    await steps.take(words.would.user(user), async () => {
      await createAccount(host, user, config.stateDir);
      return [words.userCreated(user)];
    });
    account = await findAccount(host, user);
    if (account === null && steps.isDry) {
      steps.say(words.checkedLater(user));
      return;
    }
  }
  if (account === null) throw noSuchUser(user);
  const { name } = account;
  const found = account;
  await demandReach(host, found, agent);
  if (host.uid === 0) {
    const isGiven = await demandGivable(config.stateDir, found);
    const would = words.would.stateDir(config.stateDir, name);
    if (!isGiven) await steps.take(would, () => giveStateDir(config.stateDir, found, words));
  }
  const findings = await checkAs(host, config, agent, found);
  // A dry run has not created the state directory.
  const isDue = (finding: Finding): boolean => steps.isDry && codeOf(finding) === 'STATE_UNWRITABLE';
  for (const finding of findings) {
    const code = codeOf(finding);
    if (finding.level !== 'fail' || code === null || OF_RUNNING.includes(finding.subject)) continue;
    if (GRAVE.includes(code) && !isDue(finding)) throw await refusal(host, config, found, finding, code);
  }
  // systemd passes its credentials only to the unit, so `check` can't find them.
  const held = accountsHeldBySystemd(config, host.credentialStores).map((name) =>
    name === null ? 'credentials' : `credentials ${name}`,
  );
  const others = findings.filter(
    (finding) =>
      finding.level !== 'ok' &&
      finding.subject !== UNIT &&
      !isDue(finding) &&
      !(codeOf(finding) === 'CREDENTIALS_MISSING' && held.includes(finding.subject)),
  );
  steps.say(
    ...others.map((finding) => `${texts.subjectText(finding.subject)}: ${findingWords(texts, finding)}`),
  );
}

/** Findings of `receiptd check`, run with the rights of the account. */
export async function checkAs(
  host: Host,
  config: Config,
  agent: Pick<HostedAgent, 'command' | 'environment'>,
  account: Account,
): Promise<readonly Finding[]> {
  const command = [...agent.command, 'check', '--offline', '--json', '--config', config.file];
  const extraGroup = config.control.group === null ? null : await gidOf(config.control.group);
  // Its own error, if it can't check, is told as it is.
  const language = languageOfTerminal(host.env);
  const variables = { RECEIPTD_STATE_DIR: config.stateDir, LC_MESSAGES: language, ...agent.environment };
  const { status, stdout, stderr, why } = await runAs(host, account, command, {
    variables,
    extraGroup,
    limitMs: CHECK_MS,
  });
  try {
    return JSON.parse(stdout) as Finding[];
  } catch {
    const detail = stderr.trim().replace(/^error: /, '') || why;
    throw new ReceiptdError('INSTALL_REFUSED.checkFailed', { account: account.name, detail, status });
  }
}

async function refusal(
  host: Host,
  config: Config,
  account: Account,
  { subject, fact }: Finding,
  code: ErrorCode,
): Promise<Error> {
  const folder = config.folders.find(({ path }) => path === subject);
  const error =
    fact.is === 'error'
      ? fact.error
      : code === 'FOLDER_NOT_A_DIRECTORY'
        ? new ReceiptdError('FOLDER_NOT_A_DIRECTORY.chosen', { folder: subject }).facts()
        : null;
  if (error !== null) {
    const { message, hint } = error;
    const detail = [message, hint].filter(Boolean).join(' ');
    return new ReceiptdError('INSTALL_REFUSED.finding', { account: account.name, subject, detail, error });
  }
  const needsWriting =
    folder !== undefined && (folder.afterUpload !== 'keep' || folder.needsAttention !== null);
  return new ReceiptdError('INSTALL_REFUSED.folderOutOfReach', {
    user: account.name,
    folder: subject,
    code,
    ...(await folderAdvice(host, account, subject, needsWriting)),
  });
}
