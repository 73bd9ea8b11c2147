import type { Entries } from '../../facts.ts';

const STILL_THERE =
  'The stored credentials are still where they were. Choose a different store with --store.';

export function credentialsErrors() {
  return {
    'CREDENTIALS_MISSING.lookedIn': (p: { account: string | null; looked: readonly string[] }) => [
      `No credentials${p.account === null ? '' : ` of account ${p.account}`} for the service; looked in: ${p.looked.join('; ')}.`,
      `Store them with: receiptd login${p.account === null ? '' : ` --account ${p.account}`}`,
    ],
    'CREDENTIALS_MISSING.notGiven': ['No credentials were given.'],
    'CREDENTIALS_MISSING.nothingToMove': (p: { detail: string }) => [
      `There is nothing to move; looked in: ${p.detail}.`,
      'To move whatever is stored, leave out --from.',
    ],
    CREDENTIALS_INSECURE: (p: { name: string; file: string }) => [
      `${p.name} can be read by users other than its owner.`,
      `Make it private: chmod 600 '${p.file}'`,
    ],
    'CREDENTIALS_REFUSED.freshToken': (p: { host: string; answer: string }) => [
      `${p.host} rejects the token it has just issued (HTTP 401)${p.answer}.`,
      'Make sure service.baseUrl and the credentials belong to the same account.',
    ],
    'CREDENTIALS_REFUSED.tried': (p: { host: string; account: string | null; httpStatus: number }) => [
      `${p.host} rejected these credentials${p.account === null ? '' : ` of account ${p.account}`} (HTTP ${p.httpStatus}). Nothing was saved.`,
      'Compare both with what the service gave you when you created the account.',
    ],
    'CREDENTIALS_REFUSED.stored': (p: {
      host: string;
      account: string | null;
      store: string;
      httpStatus: number;
    }) => [
      `${p.host} rejected the credentials${p.account === null ? '' : ` of account ${p.account}`} from the ${p.store} store (HTTP ${p.httpStatus}).`,
      `Correct them there, or store new ones with \`receiptd login${p.account === null ? '' : ` --account ${p.account}`}\`.`,
    ],
    'CREDENTIALS_REFUSED.notAllowed': (p: { host: string; answer: string }) => [
      `${p.host} recognizes these credentials but does not allow them to be used (HTTP 403)${p.answer}.`,
      "Check the account and its plan on the service's website.",
    ],
    'CREDENTIALS_UNWRITABLE.file': (p: { path: string; system: string | null }) => [
      `${p.path} cannot be written or removed (${p.system ?? 'unknown'}).`,
      'Run this as the user that owns the folder, or configure a different credentials file.',
    ],
    'CREDENTIALS_UNWRITABLE.directory': (p: { directory: string; system: string | null }) => [
      `${p.directory} cannot be written (${p.system ?? 'unknown'}).`,
      'Run this as root, or choose another directory with --credentials-dir.',
    ],
    'CREDENTIALS_UNWRITABLE.notRemoved': (p: { path: string; system: string | null }) => [
      `${p.path} cannot be removed (${p.system ?? 'unknown'}).`,
      'Run this as root.',
    ],
    'CREDENTIALS_UNWRITABLE.notEncrypted': (p: { detail: string }) => [
      `systemd-creds did not encrypt the credentials${p.detail === '' ? '' : `: ${p.detail}`}.`,
      "Run this as root; only root can read this machine's key.",
    ],
    'CREDENTIALS_UNWRITABLE.noSystemdCreds': (p: { system: string | null }) => [
      `systemd-creds cannot be run (${p.system ?? 'unknown'}).`,
      'It comes with systemd 250 and later. Without it, keep the credentials in a file: `receiptd login --store file`.',
    ],
    'CREDENTIALS_UNWRITABLE.notFirst': (p: {
      account: string | null;
      store: string;
      first: 'keychain' | 'file' | 'environment' | 'systemd';
    }) => [
      `The credentials${p.account === null ? '' : ` of account ${p.account}`} are now in the ${p.store} store, but the ${p.first} store has different ones and comes first, so those are used.`,
      p.first === 'environment'
        ? 'Correct them there, or remove them from the environment of the agent and of this terminal.'
        : p.first === 'file'
          ? `Remove those with \`receiptd logout --store file${p.account === null ? '' : ` --account ${p.account}`}\`, or replace them with \`receiptd login --store file${p.account === null ? '' : ` --account ${p.account}`}\`.`
          : `Replace them with \`receiptd login --store ${p.first}${p.account === null ? '' : ` --account ${p.account}`}\`.`,
    ],
    'CREDENTIALS_UNWRITABLE.different': (p: { store: string }) => [
      `The ${p.store} store returns different credentials from the ones written to it.`,
      STILL_THERE,
    ],
    'CREDENTIALS_UNWRITABLE.notReturned': (p: { store: string; looked: string }) => [
      `The ${p.store} store does not return what was written to it; looked in: ${p.looked}.`,
      STILL_THERE,
    ],
    'KEYCHAIN_UNAVAILABLE.unusable': (p: { what: string }) => [
      `The keychain ${p.what}.`,
      'Repair it, or keep the credentials in a file: `receiptd login --store file`.',
    ],
    'KEYCHAIN_LOCKED.locked': [
      'The keychain is locked.',
      'Log in to the desktop to unlock it. A service that runs while nobody is logged in should keep its credentials in a file (`receiptd login --store file`) or get them from systemd.',
    ],
  } satisfies Entries;
}
