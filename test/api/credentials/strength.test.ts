import { expect, it } from 'vitest';
import { strengthOf, type Whose } from '../../../src/api/credentials/strength.ts';

const person: Whose = {
  platform: 'linux',
  uid: 1000,
  agentUid: 1000,
  file: '/home/ann/keys.json',
  fileUid: 1000,
  option: '',
};
const service: Whose = { ...person, uid: 0, agentUid: 998 };

it.each([
  ['environment', person, false, "root and this user's other processes"],
  ['environment', { ...person, platform: 'darwin' }, false, 'environment, and if'],
  ['file', person, false, 'only its owner and root can read /home/ann/keys.json'],
  ['file', { ...person, platform: 'win32', uid: null, agentUid: null }, false, 'permissions of its folder'],
  ['file', { ...service, fileUid: 0 }, true, "The agent can't read"],
  ['file', { ...service, fileUid: 998 }, false, 'only its owner'],
  ['file', { ...service, agentUid: 0, fileUid: 0 }, false, 'only its owner'],
  ['systemd', service, false, 'for this unit and root alone; on disk'],
  ['systemd', { ...service, isInRamfs: true }, false, 'in memory that is never written to disk'],
  ['keychain', person, false, 'unlocked while this user is logged in'],
  [
    'keychain',
    { ...service, option: ' --account branch' },
    true,
    '`receiptd login --store systemd --account branch`',
  ],
  ['keychain', { ...person, platform: 'darwin', uid: 501, agentUid: null }, false, 'encrypted on disk'],
  ['keychain', { ...person, platform: 'darwin', uid: 0, agentUid: 0 }, true, '`receiptd login --store file`'],
  ['keychain', { ...person, platform: 'win32', uid: null, agentUid: null }, false, 'encrypted on disk'],
] as const)('%s for %o: weak %s', (store, whose, isWeak, words) => {
  const strength = strengthOf(store, whose);
  expect(strength).toMatchObject({ isWeak });
  expect(strength.text).toContain(words);
  expect(strength.text).toMatch(/\.$/);
});
