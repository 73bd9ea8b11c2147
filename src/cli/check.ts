import type { Command } from './command.ts';
import { ledgerPath } from '../state-dir/stateFiles.ts';
import { databasePlace } from '../config/fleetMember.ts';
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
import { checkPages } from '../wiring/pageSplitter.ts';
import { EXIT, type ExitStatus } from './exitStatus.ts';
import { colorsFor, print, printJson, type Io } from './io.ts';
import { withService } from './serviceClient.ts';
import { configOf, type JsonOption } from './session.ts';
import { escapeUnsafe } from '../core/domain/escape.ts';

interface Options extends JsonOption {
  readonly offline?: boolean;
}

export function addCheck(program: Command, io: Io, done: (status: ExitStatus) => void): void {
  program
    .command('check')
    .description(
      'check config, folders, permissions, credentials, alerts, disk space and watch limits, and say what to fix',
    )
    .option('--config <file>', 'config file')
    .option('--offline', "don't contact the service")
    .option('--json', 'as JSON: [{ level, subject, message }]')
    .explain({ examples: ['check', 'check --offline --config /etc/receiptd/receiptd.yaml'] })
    .action(async (options: Options) => {
      const config = await configOf(io, options);
      const findings = await findingsOf(io, config, { offline: options.offline ?? false });
      if (findings.some(({ level }) => level === 'fail')) done(EXIT.failed);
      if (options.json)
        printJson(
          io,
          findings.map(({ level, subject, message }) => ({ level, subject, message })),
        );
      else for (const finding of findings) printFinding(io, finding);
    });
}

/** Everything that `check` looks at. */
export async function findingsOf(
  io: Io,
  config: Config,
  { offline }: { readonly offline: boolean },
): Promise<Finding[]> {
  const findings: Finding[] = [checkConfig(config)];
  for (const message of oddUids(config)) findings.push({ level: 'warn', subject: 'endpoint', message });
  const access = await accessFindings(io, config);
  const about = (subject: string) => access.filter((finding) => finding.subject === subject);
  findings.push(await checkState(config), ...(await checkAgent(config, io)), ...about('ledger'));
  findings.push(...access.filter(({ subject }) => subject !== 'ledger' && subject !== 'alerts'));
  for (const folder of config.folders) findings.push(...(await checkTaken(folder, config.stateDir)));
  findings.push(
    ...about('alerts'),
    ...checkResults(config),
    ...(await checkListeners(config)),
    ...(await checkOriginals(config)),
  );
  findings.push(checkPages(config), ...(await checkMachine(config)), ...(await checkInstalls(io.env)));
  findings.push(...(await checkAccounts(io, config, offline)));
  return findings;
}

function checkConfig(config: Config): Finding {
  try {
    refuseExampleUid(config);
    return { level: 'ok', subject: 'config', message: `${config.file} is valid.` };
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
      const message = `${stateDir} belongs to the user ${user}. To check whether that user can write to it, run \`${asUser(user, true, process.platform).replace('…', 'check')}\`.`;
      return { level: 'ok', subject: 'state', message, names: [user] };
    }
    const { note } = await lookAtStateDir(config);
    return note === null
      ? {
          level: 'ok',
          subject: 'state',
          message: `${config.stateDir} is writable; the ledger is ${placeOf(config)}.`,
        }
      : { level: 'warn', subject: 'state', message: note };
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

function placeOf(config: Config): string {
  return config.ledger.kind === 'sqlite' ? ledgerPath(config) : databasePlace(config.ledger);
}

/** Checks the version of an existing ledger. The agent repairs other problems, or `ledger verify` reports them. */
async function checkLedger(config: Config): Promise<Finding[]> {
  if (config.ledger.kind === 'postgres') return checkSharedLedger(config.ledger);
  try {
    await refuseOtherVersion(config);
    return [];
  } catch (error) {
    const found = failure('ledger', error);
    const isOlder = error instanceof ReceiptdError && error.code === 'LEDGER_OLDER';
    return [isOlder ? { ...found, level: 'warn' } : found];
  }
}

function checkResults({ folders, results }: Config): Finding[] {
  if (results.listen !== null) return [];
  const waiting = folders.filter(
    ({ afterUpload, afterUploadOn }) => afterUpload !== 'keep' && afterUploadOn !== null,
  );
  const message = 'Its originals stay until a result arrives (`afterUploadOn`), but results.listen is off.';
  return waiting.map(({ path: subject }) => ({ level: 'warn', subject, message }));
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
    const message = `${config.service.baseUrl} accepts the credentials from the ${store} store: ${company}.`;
    findings.push({ level: 'ok', subject: `service${end}`, message, names: [company] });
  } catch (error) {
    const found = failure(`${findings.length === 0 ? 'credentials' : 'service'}${end}`, error);
    // A configuration may be checked before its credentials are stored.
    findings.push(offline ? { ...found, level: 'warn' } : found);
  }
  return findings;
}

export function printFinding(io: Io, { level, subject, message }: Finding): void {
  const colors = colorsFor(io, io.stdout);
  const mark = { ok: colors.green('ok  '), warn: colors.yellow('warn'), fail: colors.red('FAIL') }[level];
  print(io, `${mark}  ${escapeUnsafe(subject)}: ${escapeUnsafe(message)}`);
}
