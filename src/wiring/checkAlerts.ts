import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { noticeProgram } from '../features/alerts/channels/desktop.ts';
import { readSecretFile } from '../features/alerts/channels/secretFile.ts';
import { signatureHeaders } from '../features/alerts/channels/signature.ts';
import type { Config } from '../config/config.ts';
import { ALERT_CHANNELS } from '../core/ports/alert.ts';
import { systemCode } from '../core/domain/errors.ts';
import { configuredChannels, SECRET_KEYS } from './alertChannels.ts';
import { mailPasswords } from './mailPassword.ts';
import { failure, type Finding, type FindingFact } from '../core/domain/finding.ts';

const SUBJECT = 'alerts';

/** Finds what would prevent the delivery of alerts, without delivering one. */
export async function checkAlerts(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { alerts } = config;
  const { desktop, eventLog, command, webhook, email } = alerts;
  const checks: Promise<Finding | null>[] = [];
  if (desktop) checks.push(checkDesktop(env));
  if (eventLog && process.platform !== 'win32') checks.push(Promise.resolve(unfit({ is: 'noEventLog' })));
  if (command !== null) checks.push(checkCommand(command[0] ?? ''));
  if (webhook !== null && webhook.secretFile !== null) checks.push(checkWebhookSecret(webhook.secretFile));
  if (email !== null && email.passwordFile !== null)
    checks.push(refusalOf(readSecretFile(email.passwordFile, SECRET_KEYS.email)));
  else if (email !== null && email.user !== null)
    checks.push(refusalOf(mailPasswords(config, env).read({ server: email.server, user: email.user })));
  const troubles = (await Promise.all(checks)).filter((finding) => finding !== null);
  const channels = configuredChannels(config);
  if (channels.length === 0) {
    if (alerts.digest === null && alerts.quietHours === null) return [];
    const fact = { is: 'noChannel', known: ALERT_CHANNELS.toReversed() } as const;
    return [{ level: 'warn', subject: SUBJECT, fact }];
  }
  if (troubles.length > 0) return troubles;
  return [{ level: 'ok', subject: SUBJECT, fact: { is: 'channels', channels } }];
}

async function checkWebhookSecret(file: string): Promise<Finding | null> {
  const read = readSecretFile(file, SECRET_KEYS.webhook);
  return refusalOf(read.then((secret) => signatureHeaders(secret, { id: 'check', atMs: 0, body: '' })));
}

async function refusalOf(work: Promise<unknown>): Promise<Finding | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return failure(SUBJECT, error);
  }
}

async function checkCommand(program: string): Promise<Finding | null> {
  const why = await whyNotRun(program);
  return why === null ? null : unfit({ is: 'commandUnfit', program, why });
}

async function checkDesktop(env: NodeJS.ProcessEnv): Promise<Finding | null> {
  const program = noticeProgram(process.platform);
  for (const dir of (env['PATH'] ?? env['Path'] ?? '').split(delimiter))
    if (dir !== '' && (await whyNotRun(join(dir, program))) === null) return null;
  return unfit({ is: 'noticeMissing', program });
}

const unfit = (fact: FindingFact): Finding => ({ level: 'fail', subject: SUBJECT, fact });

async function whyNotRun(program: string): Promise<string | null> {
  try {
    if (!(await stat(program)).isFile()) return 'notAFile';
    await access(program, constants.X_OK);
    return null;
  } catch (error) {
    return String(systemCode(error));
  }
}
