import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { fileStore, writableFile } from '../api/credentials/file.ts';
import { isUnanswered, keychainStore, writableKeychain } from '../api/credentials/keychain.ts';
import { createCredentialsSource } from '../api/credentials/source.ts';
import { asCredentials, type Store } from '../api/credentials/store.ts';
import { ReceiptdError } from '../core/domain/errors.ts';
import type { Operations } from '../control/protocol/protocol.ts';
import type { ProcessScope } from './processScope.ts';
import { SOMEBODY } from '../control/protocol/shapes.ts';

/** File in the state directory, next to the service credentials. */
const MAIL_CREDENTIALS = 'mail-credentials.json';

/** A user at a mail server. A stored password is used only for the user it was stored for. */
export interface MailUser {
  readonly server: string;
  readonly user: string;
}

type MailSurroundings = Pick<Config, 'stateDir' | 'credentials' | 'service'>;

/**
 * Stores the password for alerts by mail if the config names no password file: in a file or the keychain, depending on where the
 * service's credentials are.
 */
export function mailPasswords({ stateDir, credentials, service }: MailSurroundings, env: NodeJS.ProcessEnv) {
  const file = join(stateDir, MAIL_CREDENTIALS);
  const entryOf = ({ server, user }: MailUser) => `alerts ${user} at ${server}`;
  const storesOf = (mail: MailUser): Store[] => [
    fileStore(file),
    ...(['auto', 'keychain'].includes(credentials.store) ? [keychainStore(entryOf(mail), { env })] : []),
  ];
  return {
    /** @throws ReceiptdError ALERT_UNDELIVERED if none is stored for this user */
    async read(mail: MailUser, signal?: AbortSignal): Promise<string> {
      for (const store of storesOf(mail)) {
        const look = await store.look(signal).catch((error: unknown) => {
          // A machine without a keychain has the password nowhere else.
          if (error instanceof ReceiptdError && store.store === 'keychain' && !isUnanswered(error))
            return null;
          throw error;
        });
        if (look?.kind === 'found' && look.credentials.clientId === entryOf(mail))
          return look.credentials.clientSecret;
      }
      const { host } = new URL(mail.server);
      throw new ReceiptdError('ALERT_UNDELIVERED.noMailPassword', { user: mail.user, host });
    },

    /** @throws ReceiptdError USAGE, CREDENTIALS_UNWRITABLE, KEYCHAIN_… */
    async write(mail: MailUser, password: string): Promise<'file' | 'keychain'> {
      const entry = asCredentials(entryOf(mail), password);
      if (entry === null) throw new ReceiptdError('USAGE.mailPassword');
      const { store } = await createCredentialsSource({ ...credentials, baseUrl: service.baseUrl, env })
        .get()
        .catch(() => ({ store: 'file' }));
      if (store !== 'keychain') {
        await writableFile(file).set(entry);
        return 'file';
      }
      await writableKeychain(entryOf(mail), { env }).set(entry);
      // The file is read first, so an old password in it would win.
      await writableFile(file).remove();
      return 'keychain';
    },
  };
}

/** Control operations for the mail password. `stored` is called after each change. */
export function mailPasswordOperations(
  current: () => Config,
  { env, secrets, ledger, clock }: Pick<ProcessScope, 'env' | 'secrets' | 'ledger' | 'clock'>,
  stored: () => void,
): Pick<Operations, 'mailPassword' | 'setMailPassword'> {
  return {
    async mailPassword() {
      const config = current();
      const { email } = config.alerts;
      if (email === null || email.user === null) return { where: 'notNeeded' };
      if (email.passwordFile !== null) return { where: 'inFile' };
      const { server, user } = email;
      const isThere = await mailPasswords(config, env)
        .read({ server, user })
        .then(
          () => true,
          () => false,
        );
      return { where: isThere ? 'stored' : 'missing' };
    },
    async setMailPassword({ password, by }) {
      secrets.addSecret(password);
      const config = current();
      const { email } = config.alerts;
      const { file } = config;
      if (email === null || email.user === null)
        throw new ReceiptdError('CONFIG_INVALID.noMailUser', { file });
      const { server, user, passwordFile } = email;
      if (passwordFile !== null)
        throw new ReceiptdError('CONSOLE_REFUSED.mailPasswordInFile', { passwordFile, file });
      const store = await mailPasswords(config, env).write({ server, user }, password);
      await ledger.recordAct({
        at: clock.now(),
        kind: 'config',
        by: by ?? SOMEBODY,
        detail: `alerts.email.user: ${store}`,
      });
      stored();
      return { store };
    },
  };
}
