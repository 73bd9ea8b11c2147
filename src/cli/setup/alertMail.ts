import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { resolvePath } from '../../config/resolve.ts';
import { ReceiptdError, type SaidElsewhere } from '../../core/domain/errors.ts';
import { says, saysError, type Said } from '../../core/domain/setupWords.ts';
import { sendTestAlert } from '../testAlert.ts';
import { mailAddressesOf, sentence, tidyMailServer, wrongMailAddresses, wrongMailServer } from './checks.ts';
import { ANSWERS } from './answers.ts';
import type { Given } from './given.ts';
import type { AlertMail } from './wanted.ts';
import { SetupEnded, type Prompts } from './prompts.ts';
import type { Talk } from './talk.ts';

export interface AlertMailAnswer {
  /** Undefined: unchanged. */
  readonly mail: AlertMail | 'none' | undefined;
  /** A typed password, to be written to `passwordFile`; null if the file exists. */
  readonly password: string | null;
  readonly test: MailTest | null;
}

export type MailTest =
  { readonly sent: true } | { readonly sent: false; readonly why: string; readonly error: SaidElsewhere };

type MailGiven = Pick<Given, 'alertEmail' | 'mailServer' | 'mailUser' | 'mailPasswordFile'>;
type WholeMail = AlertMail & { readonly password: string | null };

const AS_IT_IS: AlertMailAnswer = { mail: undefined, password: null, test: null };
const NOBODY: AlertMailAnswer = { mail: 'none', password: null, test: null };

/** Asks for the recipients and the server of alert mails. `config`: as planned so far. */
export async function alertMailStep(
  talk: Talk,
  config: Config,
  isPractice: boolean,
): Promise<AlertMailAnswer> {
  const { given, ask, say } = talk;
  const now = talk.found.before?.config.alerts.email ?? null;
  if (ask === null || (isPractice && given.alertEmail === undefined)) return unattended(talk, config, now);
  let from: MailGiven = given;
  let last: Partial<WholeMail> = now ?? {};
  for (;;) {
    const whole = await asked(talk, ask, config, from, last);
    if (whole === null) return NOBODY;
    const { password, ...mail } = whole;
    const isNew = password !== null || !sameMail(mail, now);
    const wants = given.testMail ?? (isNew && (await ask.confirm(says('mail.test'), true)));
    const answer = { mail, password };
    if (!wants) return { ...answer, test: null };
    const test = await testMail(talk, config, whole, now);
    if (test.sent) {
      say(says('mail.tested', { host: hostOf(mail), to: mail.to.join(', ') }));
      return { ...answer, test };
    }
    say(saysError(new ReceiptdError(test.error)));
    const next = await ask.choose(says('mail.undelivered'), [
      { label: says('mail.again'), value: 'again' as const },
      {
        label: says('mail.later'),
        value: 'later' as const,
        about: says('mail.laterAbout'),
      },
      { label: says('mail.without'), value: 'without' as const },
    ]);
    if (next === 'later') return { ...answer, test };
    if (next === 'without') return NOBODY;
    from = {};
    last = whole;
  }
}

async function unattended(
  talk: Talk,
  config: Config,
  now: Config['alerts']['email'],
): Promise<AlertMailAnswer> {
  const { io, given, found } = talk;
  if (given.alertEmail === 'none') return NOBODY;
  const to = given.alertEmail === undefined ? now?.to : mailAddressesOf(given.alertEmail);
  const server = given.mailServer ?? now?.server;
  // Incomplete settings were refused earlier.
  if (to === undefined || server === undefined) return AS_IT_IS;
  const name = given.mailUser ?? now?.user ?? 'none';
  const user = name === 'none' ? null : name;
  const file =
    given.mailPasswordFile === undefined
      ? (now?.passwordFile ?? null)
      : resolvePath(given.mailPasswordFile, io.cwd, found.context);
  const passwordFile = user === null ? null : file;
  if (passwordFile !== null && given.mailPasswordFile !== undefined) await demandPassword(passwordFile);
  const mail = { to, server, user, passwordFile };
  const test =
    given.testMail === true ? await testMail(talk, config, { ...mail, password: null }, now) : null;
  return { mail, password: null, test };
}

/** Null: no alert mails. */
async function asked(
  talk: Talk,
  ask: Prompts,
  config: Config,
  given: MailGiven,
  last: Partial<WholeMail>,
): Promise<WholeMail | null> {
  const before = last.to?.join(', ');
  const addresses =
    given.alertEmail ??
    (await ask.text(before === undefined ? says('mail.to') : says('mail.toOrNone'), {
      otherwise: before ?? '',
      wrong: orNothing(sentence(wrongMailAddresses)),
    }));
  const to = mailAddressesOf(addresses);
  if (to.length === 0) return null;
  const server = given.mailServer ?? (await serverOf(talk, ask, last));
  if (server === null) return null;
  const name =
    given.mailUser ??
    (await ask.text(says(last.user ? 'mail.userOrNone' : 'mail.user'), { otherwise: last.user ?? '' }));
  const user = name === 'none' || name === '' ? null : name;
  if (user === null) return { to, server, user: null, passwordFile: null, password: null };
  return { to, server, user, ...(await passwordOf(talk, ask, config, given, user, last)) };
}

async function serverOf({ say }: Talk, ask: Prompts, { server }: Partial<WholeMail>): Promise<string | null> {
  if (server === undefined) say(says('mail.needsServer'));
  const typed = await ask.text(server === undefined ? says('mail.server') : says('mail.serverKnown'), {
    otherwise: server ?? '',
    wrong: orNothing(sentence(wrongMailServer)),
  });
  return typed === '' ? null : tidyMailServer(typed);
}

/** Asks for an existing password file, or for a password to store in a file that only its owner can read. */
async function passwordOf(
  { io, found }: Talk,
  ask: Prompts,
  config: Config,
  { mailPasswordFile: given }: MailGiven,
  user: string,
  last: Partial<WholeMail>,
): Promise<Pick<WholeMail, 'passwordFile' | 'password'>> {
  const resolved = (file: string) => resolvePath(file, io.cwd, found.context);
  if (given !== undefined) {
    await demandPassword(resolved(given));
    return { passwordFile: resolved(given), password: null };
  }
  const before = (last.password ?? null) === null && last.user === user ? (last.passwordFile ?? '') : '';
  const wrong = async (file: string) => {
    if (file === '' || file === '-') return null;
    try {
      await demandPassword(resolved(file));
      return null;
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      return saysError(error);
    }
  };
  const file = await ask.text(before === '' ? says('mail.passwordFile') : says('mail.passwordFileOr'), {
    otherwise: before,
    wrong,
  });
  if (file !== '' && file !== '-') return { passwordFile: resolved(file), password: null };
  const password = await ask.secret(says('mail.password', { user }));
  return { passwordFile: join(config.stateDir, 'mail-password'), password };
}

/** @throws ReceiptdError FILE_UNREADABLE, CREDENTIALS_INSECURE */
async function demandPassword(file: string): Promise<void> {
  const { readSecretFile } = await import('../../wiring/alertChannels.ts');
  await readSecretFile(file, ANSWERS.mailPasswordFile.flag, 'FILE_UNREADABLE');
}

/** Sends a test mail the way alerts are sent; stores nothing. */
async function testMail(
  { io, once }: Talk,
  config: Config,
  whole: WholeMail,
  now: Config['alerts']['email'],
): Promise<MailTest> {
  const { to, server, user, passwordFile, password } = whole;
  const { emailChannel } = await import('../../wiring/alertChannels.ts');
  const email = { to, server, user, passwordFile, from: now?.from ?? null };
  const [sent] = await once(JSON.stringify(['mail', whole]), () =>
    sendTestAlert(io, config, (surroundings) => [emailChannel(email, config, surroundings, password)]),
  );
  if (io.stop.aborted) throw new SetupEnded('ended by a signal');
  const problem = sent?.problem ?? null;
  if (problem === null) return { sent: true };
  return { sent: false, why: problem.sentence(), error: problem.facts() };
}

function orNothing(wrong: (text: string) => Said | null): (text: string) => Said | null {
  return (text) => (text === '' ? null : wrong(text));
}

function sameMail({ to, server, user, passwordFile }: AlertMail, now: Config['alerts']['email']): boolean {
  return (
    now !== null &&
    server === now.server &&
    user === now.user &&
    passwordFile === now.passwordFile &&
    to.join() === now.to.join()
  );
}

function hostOf({ server }: AlertMail): string {
  return new URL(server).host;
}
