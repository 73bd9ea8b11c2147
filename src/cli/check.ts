import type { Command } from './command.ts';
import { ledgerPath } from '../state-dir/stateFiles.ts';
import { databaseOf } from '../config/fleetMember.ts';
import { refuseOtherVersion } from '../wiring/ledger.ts';
import { checkStore } from '../wiring/checkStore.ts';
import type { ComposedService } from '../wiring/service.ts';
import { refuseExampleUid } from '../config/exampleUid.ts';
import type { Config } from '../config/config.ts';
import { oddUids } from '../config/oddUids.ts';
import { lookAtStateDir } from '../state-dir/stateDir.ts';
import { whyNotForState } from '../state-dir/statePrivacy.ts';
import { asUser, otherOwnerOf } from '../system/userName.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import { checkAlerts } from '../wiring/checkAlerts.ts';
import { checkSharedLedger } from '../wiring/checkLedger.ts';
import { checkInstalls } from '../wiring/installs.ts';
import { checkOriginals } from '../wiring/checkOriginals.ts';
import { checkFolder, checkTaken } from '../wiring/checkFolder.ts';
import { failure, type Finding } from '../core/domain/finding.ts';
import { checkAgent } from './checkAgent.ts';
import { checkListeners } from './checkListeners.ts';
import { checkMachine } from './checkMachine.ts';
import { checkUnit } from './checkUnit.ts';
import { checkPages } from '../wiring/pageSplitter.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { colorsFor, print, printJson, type Io } from './io.ts';
import { withService } from './serviceClient.ts';
import { hostOf } from './serviceHost.ts';
import { configOf, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';
import { findingWords } from '../texts/explain.ts';
import type { Texts } from '../texts/texts.ts';
import { inEnglish, textsOf } from './language.ts';
import { within } from '../core/domain/why.ts';

interface CheckOptions extends JsonOption {
  readonly offline?: boolean;
}

export function addCheck(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  const { help, option } = io.texts;
  program
    .command('check')
    .description(help.check.about)
    .option('--config <file>', option.config)
    .option('--offline', option.offline)
    .option('--json', help.check.json)
    .explain({ examples: ['check', 'check --offline --config /etc/receiptd/receiptd.yaml'] })
    .action(async (options: CheckOptions) => {
      const config = await configOf(io, options);
      const findings = await findingsOf(io, config, { offline: options.offline ?? false });
      if (findings.some(({ level }) => level === 'fail')) done(EXIT.failed);
      const texts = await textsOf(await inEnglish(io, options));
      const told = (finding: Finding) => ({ ...finding, message: findingWords(texts, finding) });
      if (!options.json) for (const finding of findings) printFinding(io, texts, finding);
      else
        printJson(
          io,
          findings.map(told).map(({ level, subject, message, fact }) => ({ level, subject, message, fact })),
        );
    });
}

/** Everything that `check` looks at. */
export async function findingsOf(
  io: Io,
  config: Config,
  { offline }: { readonly offline: boolean },
): Promise<Finding[]> {
  const findings: Finding[] = [checkConfig(config)];
  for (const fact of oddUids(config)) findings.push({ level: 'warn', subject: 'endpoint', fact });
  const access = await accessFindings(io, config);
  const about = (subject: string) => access.filter((finding) => finding.subject === subject);
  findings.push(await checkState(config), ...(await checkAgent(config)), ...about('ledger'));
  findings.push(...access.filter(({ subject }) => subject !== 'ledger' && subject !== 'alerts'));
  for (const folder of config.folders) findings.push(...(await checkTaken(folder, config.stateDir)));
  findings.push(
    ...about('alerts'),
    ...checkResults(config),
    ...(await checkListeners(config)),
    ...(await checkOriginals(config)),
  );
  findings.push(...(await checkUnit(config, hostOf(io))));
  findings.push(checkPages(config), ...(await checkMachine(config)), ...(await checkInstalls(io.env)));
  findings.push(...(await checkAccounts(io, config, offline)));
  return findings;
}

function checkConfig(config: Config): Finding {
  try {
    refuseExampleUid(config);
    return { level: 'ok', subject: 'config', fact: { is: 'configValid', file: config.file } };
  } catch (error) {
    return failure('config', error);
  }
}

async function checkState(config: Config): Promise<Finding> {
  const { stateDir } = config;
  try {
    // For a service's state directory root only looks: files that root creates would be unreadable to its user.
    const other = process.geteuid?.() === 0 ? await otherOwnerOf(stateDir) : null;
    if (other !== null && (await whyNotForState(stateDir)) === null) {
      const user = other.name ?? `#${other.uid}`;
      const command = asUser(user, true, process.platform).replace('…', 'check');
      const fact = { is: 'stateOfAgent', stateDir, user, command } as const;
      return { level: 'ok', subject: 'state', fact, names: [user] };
    }
    const { note } = await lookAtStateDir(config);
    return note === null
      ? { level: 'ok', subject: 'state', fact: { is: 'stateWritable', stateDir, ledger: placeOf(config) } }
      : { level: 'warn', subject: 'state', fact: { is: 'why', ...within(note) } };
  } catch (error) {
    return failure('state', error);
  }
}

/**
 * What the agent's user has to be able to read: ledger, folders, secrets for alerts. Checked with the rights of that user if root asks,
 * who can read everything.
 */
async function accessFindings(io: Io, config: Config): Promise<Finding[]> {
  const owner = process.geteuid?.() === 0 ? await otherOwnerOf(config.stateDir) : null;
  if (owner?.name) {
    const { findingsAs } = await import('./checkAsUser.ts');
    return findingsAs(io, config, owner.name);
  }
  const findings = await checkLedger(config);
  for (const folder of config.folders) findings.push(...(await checkFolder(folder)));
  return [...findings, ...(await checkAlerts(config, io.env))];
}

function placeOf(config: Config): string | ReturnType<typeof databaseOf> {
  return config.ledger.kind === 'sqlite' ? ledgerPath(config) : databaseOf(config.ledger);
}

/** Checks the version of an existing ledger. The agent repairs other problems, or `ledger verify` reports them. */
async function checkLedger(config: Config): Promise<Finding[]> {
  if (config.ledger.kind === 'postgres') return checkSharedLedger(config.ledger);
  try {
    await refuseOtherVersion(config);
    return [];
  } catch (error) {
    const isOlder = error instanceof ReceiptdError && error.key === 'LEDGER_OLDER.file';
    return [failure('ledger', error, isOlder ? 'warn' : 'fail')];
  }
}

function checkResults({ folders, results }: Config): Finding[] {
  if (results.listen !== null) return [];
  const waiting = folders.filter(
    ({ afterUpload, afterUploadOn }) => afterUpload !== 'keep' && afterUploadOn !== null,
  );
  return waiting.map(({ path: subject }) => ({ level: 'warn', subject, fact: { is: 'resultsOff' } }));
}

async function checkAccounts(io: Io, config: Config, offline: boolean): Promise<Finding[]> {
  return withService(io, config, { level: 'error' }, async (composed) => {
    const findings: Finding[] = [];
    for (const account of accountsInUse(config))
      findings.push(...(await checkAccount(io, config, composed, account, offline)));
    return findings;
  });
}

/** All accounts; the default one (null) only if an endpoint uses it. */
function accountsInUse({ endpoints, accounts }: Config): (string | null)[] {
  const isDefaultUsed = endpoints.some(({ account }) => account === null);
  return [...(isDefaultUsed ? [null] : []), ...accounts.map(({ name }) => name)];
}

async function checkAccount(
  io: Io,
  config: Config,
  { service, credentialsOf }: ComposedService,
  account: string | null,
  offline: boolean,
): Promise<Finding[]> {
  const end = account === null ? '' : ` ${account}`;
  const findings: Finding[] = [];
  try {
    const { store } = await credentialsOf(account).get(io.stop);
    findings.push(await checkStore(config, account, store, io.env, `credentials${end}`));
    if (offline) return findings;
    const { company } = await service.whoami(io.stop, account);
    const fact = { is: 'serviceAccepts', baseUrl: config.service.baseUrl, store, company } as const;
    findings.push({ level: 'ok', subject: `service${end}`, fact, names: [company] });
  } catch (error) {
    const subject = `${findings.length === 0 ? 'credentials' : 'service'}${end}`;
    // A configuration may be checked before its credentials are stored.
    findings.push(failure(subject, error, offline ? 'warn' : 'fail'));
  }
  return findings;
}

export function printFinding(io: Io, texts: Texts, finding: Finding): void {
  const colors = colorsFor(io, io.stdout);
  const mark = { ok: colors.green('ok  '), warn: colors.yellow('warn'), fail: colors.red('FAIL') }[
    finding.level
  ];
  const subject = texts.subjectText(finding.subject);
  print(io, `${mark}  ${escapeUnsafe(subject)}: ${escapeUnsafe(findingWords(texts, finding))}`);
}
