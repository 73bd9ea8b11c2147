import type { Absence, CredentialsFlaw, Entries, KeychainTrouble } from '../../facts.ts';
import { NOT_UTF8 } from './files.ts';

const STILL_THERE =
  'The stored credentials are still where they were. Choose a different store with --store.';
const REPAIR = 'Repair it, or keep the credentials in a file: `receiptd login --store file`.';
const UNLOCK =
  'Log in to the desktop to unlock it. A service that runs while nobody is logged in should keep its credentials in a file (`receiptd login --store file`) or get them from systemd.';

export function credentialsErrors() {
  return {
    'CREDENTIALS_MISSING.lookedIn': (p: { account: string | null; looked: readonly Absence[] }) => [
      `No credentials${p.account === null ? '' : ` of account ${p.account}`} for the service; looked in: ${placesOf(p.looked)}.`,
      `Store them with: receiptd login${p.account === null ? '' : ` --account ${p.account}`}`,
    ],
    'CREDENTIALS_MISSING.notGiven': ['No credentials were given.'],
    'CREDENTIALS_MISSING.nothingToMove': (p: { looked: readonly Absence[] }) => [
      `There is nothing to move; looked in: ${placesOf(p.looked)}.`,
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
    'CREDENTIALS_UNWRITABLE.notReturned': (p: { store: string; looked: readonly Absence[] }) => [
      `The ${p.store} store does not return what was written to it; looked in: ${placesOf(p.looked)}.`,
      STILL_THERE,
    ],
    'KEYCHAIN_UNAVAILABLE.unusable': (p: KeychainTrouble) => [`The keychain ${keychainTrouble(p)}.`, REPAIR],
    'KEYCHAIN_UNAVAILABLE.onlyHope': (
      p: KeychainTrouble & { account: string | null; looked: readonly Absence[] },
    ) => [
      `The keychain ${keychainTrouble(p)}, and no other store has credentials${p.account === null ? '' : ` of account ${p.account}`}; looked in: ${placesOf(p.looked)}.`,
      REPAIR,
    ],
    'KEYCHAIN_LOCKED.locked': ['The keychain is locked.', UNLOCK],
    'KEYCHAIN_LOCKED.onlyHope': (p: { account: string | null; looked: readonly Absence[] }) => [
      `The keychain is locked, and no other store has credentials${p.account === null ? '' : ` of account ${p.account}`}; looked in: ${placesOf(p.looked)}.`,
      UNLOCK,
    ],
  } satisfies Entries;
}

/** Follows "looked in: ". */
function placesOf(looked: readonly Absence[]): string {
  return looked.map(({ place, why }) => `${placeOf(place)} (${whyAbsent(why)})`).join('; ');
}

function placeOf(place: Absence['place']): string {
  if (typeof place === 'object') return place.path;
  switch (place) {
    case 'environment':
      return 'the environment';
    case 'systemd':
      return "systemd's credentials";
    case 'keychain':
      return 'the keychain';
    case 'noFile':
      return 'a file';
  }
}

function whyAbsent(p: Absence['why']): string {
  switch (p.why) {
    case 'tooLong':
    case 'nul':
    case 'control':
      return `its ${credentialsFlaw(p)}`;
    case 'unset':
      return `no ${p.names.join(', no ')}`;
    case 'empty':
      return `${p.names.join(' or ')} is empty`;
    case 'emptyIn':
      return `${p.names.join(' or ')} in ${p.directory} is empty`;
    case 'unreadable':
      return `${p.names.join(' or ')} in ${p.directory}: ${p.system}`;
    case 'notConfigured':
      return 'none is configured';
    case 'notFile':
      return 'not a regular file';
    case 'tooLarge':
      return 'it is too large to be credentials';
    case 'noSuchFile':
      return 'no such file';
    case 'otherShape':
      return 'it does not hold {"clientId": "…", "clientSecret": "…"}';
    case 'noDirectory':
      return 'no CREDENTIALS_DIRECTORY';
    case 'encoding':
      return `it is ${NOT_UTF8[p.encoding]}`;
    case 'system':
      return p.system;
    case 'noEntry':
      return `no entry "${p.entry}"${p.isCertain ? '' : ', or it is locked'}`;
    case 'foreignEntry':
      return `its entry "${p.entry}" was not written by receiptd login`;
    case 'notDecrypted':
      return `${p.file} is not there, or can't be decrypted`;
    default:
      return keychainTrouble(p);
  }
}

/** Follows "its" or "the". */
export function credentialsFlaw({ why, of }: CredentialsFlaw): string {
  const what = of === 'clientId' ? 'client identifier' : 'client secret';
  if (why === 'tooLong') return `${what} has more than 4096 characters`;
  return `${what} holds control characters${why === 'nul' ? ' (NUL, as in UTF-16)' : ''}`;
}

/** Follows "the keychain". */
function keychainTrouble(p: KeychainTrouble): string {
  switch (p.why) {
    case 'late':
      return `gave no answer within ${p.seconds} s`;
    case 'notStarted':
      return 'helper did not start';
    case 'noAnswer':
      return 'helper ended without an answer';
    case 'strangeAnswer':
      return 'helper answered something else';
    case 'noSuchEntry':
      return 'has no such entry, or is locked';
    case 'notInstalled':
      return `is not supported by this installation: the optional package keytar is missing or does not load${p.isLinux ? ', and so is the program secret-tool' : ''}`;
    case 'noSession':
      return `is not available: this user has no D-Bus session, probably because there is no desktop (${p.detail})`;
    case 'noKeyring':
      return `is not available: no keyring answers in this session (${p.detail})`;
    case 'failed':
      return `failed: ${p.detail}`;
  }
}
