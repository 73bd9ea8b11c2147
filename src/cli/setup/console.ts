import { stat } from 'node:fs/promises';
import type { Config } from '../../config/config.ts';
import { ownDirectoryOf } from '../../config/configFile.ts';
import { passwordFile, SHORTEST_PASSWORD } from '../../console/server/password.ts';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { says, saysError } from '../../core/domain/setupWords.ts';
import { DEFAULT_USER } from '../../features/os-service/agent.ts';
import { unitOf } from '../checkUnit.ts';
import { demandPasswordLength } from '../console.ts';
import { hostOf } from '../serviceHost.ts';
import { ANSWERS, type ServiceScope } from './answers.ts';
import type { Prompts } from './prompts.ts';
import type { Talk } from './talk.ts';

export interface ConsoleAnswer {
  /** Value of `console.listen`; undefined: unchanged. */
  readonly listen: string | undefined;
  /** A new password; null: unchanged. */
  readonly password: string | null;
  /** Whether the service's user owns the configuration, as saving in the console takes; null: unchanged. */
  readonly saves: { readonly user: string; readonly may: boolean } | null;
}

const ADDRESS = '127.0.0.1:8471';

/**
 * Asks how people reach the console of a service of the machine, and whether they may change settings there. Anybody else runs the
 * agent with their own configuration, and `receiptd console` beside it. `config`: as planned so far.
 */
export async function consoleStep(
  talk: Talk,
  config: Config,
  isPractice: boolean,
  install: ServiceScope | null,
): Promise<ConsoleAnswer> {
  const user = await serviceUserOf(talk, install);
  const isOfMachine = install === 'system' || user !== null;
  const address =
    isOfMachine && !isPractice
      ? await addressOf(talk, config)
      : { listen: talk.given.consoleListen, password: null };
  return { ...address, saves: await savesOf(talk, user) };
}

/** The user of the machine's service; null if it is not known to run this configuration, or is whoever sets it up. */
async function serviceUserOf(
  { io, given, found: { context, place } }: Talk,
  install: ServiceScope | null,
): Promise<string | null> {
  if (!context.isRoot || context.platform === 'win32') return null;
  if (install === 'system') return given.serviceUser ?? DEFAULT_USER;
  return (await unitOf(place.file, hostOf(io)))?.user ?? null;
}

async function addressOf(
  talk: Talk,
  { console: now, stateDir }: Config,
): Promise<Pick<ConsoleAnswer, 'listen' | 'password'>> {
  const { given, ask } = talk;
  const listen = given.consoleListen;
  const wanted = listen ?? (typeof now.listen === 'string' ? now.listen : literal(now.listen));
  if (ask === null || wanted === 'off' || listen === 'onDemand') return { listen, password: null };
  if (wanted === 'onDemand') {
    const isFixed = await ask.choose(says('console.how'), [
      { label: says('console.link'), value: false, about: says('console.linkAbout') },
      {
        label: says('console.fixed', { address: ADDRESS }),
        value: true,
        about: says('console.fixedAbout'),
      },
    ]);
    return isFixed ? { listen: ADDRESS, password: await newPassword(ask, talk) } : { listen, password: null };
  }
  const isProtected = await stat(passwordFile(stateDir)).then(
    () => true,
    () => false,
  );
  const question = says(isProtected ? 'console.changePassword' : 'console.setPassword', { address: wanted });
  const isNew = await ask.confirm(question, !isProtected);
  return { listen, password: isNew ? await newPassword(ask, talk) : null };
}

function literal({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

async function newPassword(ask: Prompts, { say }: Talk): Promise<string> {
  for (;;) {
    try {
      const password = demandPasswordLength(
        await ask.secret(says('console.password', { shortest: SHORTEST_PASSWORD })),
      );
      if ((await ask.secret(says('console.passwordAgain'))) === password) return password;
      throw new ReceiptdError('USAGE.passwordsDiffer');
    } catch (error) {
      if (!(error instanceof ReceiptdError)) throw error;
      say(saysError(error));
    }
  }
}

async function savesOf({ given, found, ask }: Talk, user: string | null): Promise<ConsoleAnswer['saves']> {
  const { place, before } = found;
  if (user === null) return null;
  const directory = await ownDirectoryOf(place.file);
  if (directory === null) {
    if (given.consoleSaves !== true) return null;
    throw new ReceiptdError('USAGE.notOwnDirectory', { file: place.file, option: ANSWERS.consoleSaves.flag });
  }
  if (given.consoleSaves !== undefined) return { user, may: given.consoleSaves };
  if (ask !== null) {
    const question = says('console.saves', { user, file: place.file });
    return { user, may: await ask.confirm(question, true) };
  }
  // A file that was there before keeps its owner: somebody may have decided that.
  return before === null || before.isExample ? { user, may: true } : null;
}
