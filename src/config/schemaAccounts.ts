import { z } from 'zod';
import { CREDENTIAL_STORES } from '../core/ports/credentials.ts';
import { path } from './values.ts';

/** Alias of an endpoint. */
export const shortName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, { error: 'a short name of letters, digits, - and _' });

/** Not `share` and not one letter: folders appear as `<agent>:<path>`, `share:<share>` or with a Windows drive letter. */
export const agentName = z.string().regex(/^(?!share$)[A-Za-z0-9][A-Za-z0-9_-]{1,62}$/, {
  error: 'a short name of at least two letters, digits, - and _, other than share',
});

/** Not `none`, which an endpoint uses for the default account. */
export const accountName = z.string().regex(/^(?!none$)[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/, {
  error: 'a short name of letters, digits, - and _, other than none',
});

/** Name of a shared folder; `none` is allowed and means that the folder is not shared. */
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
