import { createCommandChannel } from '../features/alerts/channels/command.ts';
import { createDesktopChannel } from '../features/alerts/channels/desktop.ts';
import { createEventLogChannel } from '../features/alerts/channels/eventLog.ts';
import { createEmailChannel } from '../features/alerts/channels/email.ts';
import type { RunProgram } from '../features/alerts/channels/program.ts';
import { readSecretFile } from '../features/alerts/channels/secretFile.ts';
import { quoted } from '../features/alerts/channels/quoted.ts';
import { createWebhookChannel } from '../features/alerts/channels/webhook.ts';
import type { Config } from '../config/config.ts';
import { plainEnvironment, runProgram } from '../system/programs.ts';
import { systemClock } from '../system/systemClock.ts';
import { ALERT_CHANNELS, type AlertChannel, type AlertChannelName } from '../core/ports/alert.ts';
import { local } from '../core/domain/words.ts';
import { textsIn } from '../texts/texts.ts';
import { mailPasswords } from './mailPassword.ts';
import type { ServiceSurroundings } from './service.ts';

export { readSecretFile };

/** Config keys that name secret files. */
export const SECRET_KEYS = {
  webhook: 'alerts.webhook.secretFile',
  email: 'alerts.email.passwordFile',
} as const;

/** Their names, in the order in which people are told of them. */
export function configuredChannels({ alerts }: Pick<Config, 'alerts'>): AlertChannelName[] {
  return ALERT_CHANNELS.filter((name) => alerts[name] !== null && alerts[name] !== false);
}

/** The configured alert channels. Nothing is opened, read or sent before the first alert. */
export function alertChannels(config: Config, surroundings: ServiceSurroundings): AlertChannel[] {
  const { desktop, eventLog, command, webhook, email } = config.alerts;
  const run = programsOf(surroundings);
  const channels: AlertChannel[] = [];
  if (desktop) channels.push(createDesktopChannel({ platform: process.platform, run }));
  if (eventLog) channels.push(createEventLogChannel({ platform: process.platform, run }));
  if (command !== null) channels.push(createCommandChannel({ command, run }));
  if (webhook !== null) {
    const { url, secretFile } = webhook;
    channels.push(
      createWebhookChannel({
        url,
        secret: secretFile === null ? null : secretIn(secretFile, SECRET_KEYS.webhook, surroundings),
        now: () => systemClock.now(),
        exchange: exchangeWith(new URL(url).origin, config, surroundings),
      }),
    );
  }
  if (email !== null) channels.push(emailChannel(email, config, surroundings));
  return channels;
}

/** `password`: one that is not stored yet. */
export function emailChannel(
  { server, user, passwordFile, from, to }: NonNullable<Config['alerts']['email']>,
  config: Pick<Config, 'service' | 'stateDir' | 'credentials' | 'language'>,
  surroundings: ServiceSurroundings,
  password: string | null = null,
): AlertChannel {
  const { env, log, secrets } = surroundings;
  const { ca } = config.service;
  const known = async (found: string): Promise<string> => {
    secrets.addSecret(found);
    return found;
  };
  const stored = async (name: string) => known(await mailPasswords(config, env).read({ server, user: name }));
  const inFile = passwordFile === null ? null : secretIn(passwordFile, SECRET_KEYS.email, surroundings);
  const source = (name: string) => (password === null ? (inFile?.() ?? stored(name)) : known(password));
  return createEmailChannel({
    server,
    login: user === null ? null : { user, password: () => source(user) },
    from,
    to,
    words: async () => (await textsIn(config.language, local)).alertTexts.mail,
    tls: async () => {
      if (ca === null) return {};
      const { trusting } = await import('../api/authorities.ts');
      return { secureContext: trusting(ca, env) };
    },
    log,
    redact: (text) => secrets.redactCut(text),
  });
}

function secretIn(file: string, key: string, { secrets }: ServiceSurroundings): () => Promise<string> {
  return async () => {
    const secret = await readSecretFile(file, key);
    secrets.addSecret(secret);
    return secret;
  };
}

/** Below the limit of a delivery, so that a program that runs too long is reported as such. Milliseconds. */
const PROGRAM = { timeoutMs: 8_500, graceMs: 1_000 };

function programsOf({ env, secrets }: ServiceSurroundings): RunProgram {
  return async (command, { stdin, env: own }, signal) => {
    const end = await runProgram(command, stdin, { ...plainEnvironment(env), ...own }, PROGRAM, signal);
    if (end.how === 'exited' && end.status === 0) return null;
    if (end.how === 'notStarted' || end.said === '') return end;
    return { ...end, said: quoted(secrets.redactCut(end.said)) };
  };
}

const STEP_MS = 8_000;
const TIMEOUTS = { connectMs: STEP_MS, progressMs: STEP_MS, headersMs: STEP_MS, bodyMs: STEP_MS };

/** Uses the proxy and certificate authorities configured for the service. One connection per alert, since they are few. */
function exchangeWith(
  origin: string,
  { service: { proxy, ca } }: Config,
  { env, secrets }: ServiceSurroundings,
): Parameters<typeof createWebhookChannel>[0]['exchange'] {
  return async (request, signal) => {
    const { createTransport } = await import('../api/transport.ts');
    const transport = createTransport({
      baseUrl: origin,
      timeouts: TIMEOUTS,
      connections: 1,
      clock: systemClock,
      proxy,
      ca,
      env,
      addSecret: (value) => secrets.addSecret(value),
    });
    try {
      return await transport.exchange(request, signal);
    } finally {
      await transport.close();
    }
  };
}
