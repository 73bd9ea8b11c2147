import { z } from 'zod';
import { CREDENTIAL_STORES } from '../core/ports/credentials.ts';
import { path } from './values.ts';

/** Of endpoints. */
export const shortName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, { error: 'a short name of letters, digits, - and _' });

/** Folders of other agents are shown as `<agent>:<path>`, of shares as `share:<share>`, and a drive of Windows has one letter. */
export const agentName = z.string().regex(/^(?!share$)[A-Za-z0-9][A-Za-z0-9_-]{1,62}$/, {
  error: 'a short name of at least two letters, digits, - and _, other than share',
});

/** `none` is what an endpoint says that has no account. */
export const accountName = z.string().regex(/^(?!none$)[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, {
  error: 'a short name of letters, digits, - and _, other than none',
});

/** Of folders; `none` is one too here, and means that there is none. */
export const shareName = z
  .string({ error: 'a short name of letters, digits, - and _, or none' })
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, { error: 'a short name of letters, digits, - and _, or none' })
  .meta({ title: 'short name, or none' });

const store = z.enum(['auto', ...CREDENTIAL_STORES]).prefault('auto');

export const accountSchema = z.strictObject({
  store: store.describe(
    'Where to read its client identifier and secret from. Same as `credentials.store`, but each account has its own names in the stores.',
  ),
  file: path
    .optional()
    .describe('Its credentials file for store file. Relative paths start at the config file.')
    .meta({ title: 'path', 'x-default': '`<stateDir>/credentials-<name>.json`' }),
});

export const credentialsSchema = z
  .strictObject({
    store: store.describe(
      'Where to read the client identifier and secret from. auto uses the first of environment, systemd, file and keychain that has them.',
    ),
    file: path
      .optional()
      .describe(
        'Credentials file for store file, readable only by its owner. Relative paths start at the config file.',
      )
      .meta({ title: 'path', 'x-default': '`<stateDir>/credentials.json`' }),
  })
  .prefault({});

export type ParsedAccount = z.output<typeof accountSchema>;
