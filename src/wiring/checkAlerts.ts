import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { noticeProgram } from '../features/alerts/channels/desktop.ts';
import { readSecretFile } from '../features/alerts/channels/secretFile.ts';
import { signatureHeaders } from '../features/alerts/channels/signature.ts';
import type { Config } from '../config/config.ts';
import { ALERT_CHANNELS } from '../core/ports/alert.ts';
import { ReceiptdError, systemCode } from '../core/domain/errors.ts';
import { configuredChannels, SECRET_KEYS } from './alertChannels.ts';
import { mailPasswords } from './mailPassword.ts';
import type { Finding } from '../core/domain/finding.ts';

const SUBJECT = 'alerts';
const NO_EVENT_LOG: Finding = {
  level: 'fail',
  subject: SUBJECT,
  message: 'alerts.eventLog: only Windows has an event log. Set it to false.',
};

/** Finds what would prevent the delivery of alerts, without delivering one. */
export async function checkAlerts(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { alerts } = config;
  const { desktop, eventLog, command, webhook, email } = alerts;
  const checks: Promise<Finding | null>[] = [];
  if (desktop) checks.push(checkDesktop(env));
  if (eventLog && process.platform !== 'win32') checks.push(Promise.resolve(NO_EVENT_LOG));
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
    const message = `No alerts are sent: no channel is configured under \`alerts\` (${ALERT_CHANNELS.toReversed().join(', ')}).`;
    return [{ level: 'warn', subject: SUBJECT, message }];
  }
  if (troubles.length > 0) return troubles;
  const message = `They go to ${channels.join(', ')}. To send a test, run \`receiptd alerts test\`.`;
  return [{ level: 'ok', subject: SUBJECT, message }];
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
    if (!(error instanceof ReceiptdError)) throw error;
    return { level: 'fail', subject: SUBJECT, message: error.sentence() };
  }
}

async function checkCommand(program: string): Promise<Finding | null> {
  const why = await whyNotRun(program);
  if (why === null) return null;
  const message = `alerts.command: ${program} can't be run: ${why}. Use a program that the user running receiptd can run.`;
  return { level: 'fail', subject: SUBJECT, message };
}

async function checkDesktop(env: NodeJS.ProcessEnv): Promise<Finding | null> {
  const program = noticeProgram(process.platform);
  for (const dir of (env['PATH'] ?? env['Path'] ?? '').split(delimiter))
    if (dir !== '' && (await whyNotRun(join(dir, program))) === null) return null;
  const message = `alerts.desktop: ${program} is not in the PATH of this user. Install it (on Debian: libnotify-bin), or set alerts.desktop: false.`;
  return { level: 'fail', subject: SUBJECT, message };
}

async function whyNotRun(program: string): Promise<string | null> {
  try {
    if (!(await stat(program)).isFile()) return 'it is not a file';
    await access(program, constants.X_OK);
    return null;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'it is not there';
    return code === 'EACCES' ? 'permission denied' : String(code);
  }
}
