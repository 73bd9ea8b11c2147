import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import YAML from 'yaml';
import { says } from '../../../src/core/domain/setupWords.ts';
import { storeInConfig } from '../../../src/cli/setup/credentials.ts';
import { plan } from '../../../src/cli/setup/plan.ts';
import type { ExistingConfig, SetupValues } from '../../../src/cli/setup/wanted.ts';
import type { LoadContext } from '../../../src/config/config.ts';
import { readConfig } from '../../../src/config/load.ts';

const UID = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const context: LoadContext = {
  env: {},
  platform: 'linux',
  home: '/home/anna',
  cwd: '/home/anna',
  isRoot: false,
};
const place = { file: '/home/anna/receiptd.yaml', exists: true, why: says('config.found') };
const wanted: SetupValues = {
  baseUrl: 'https://service.example',
  alias: 'office',
  uid: UID,
  folder: '/srv/scans',
  existing: 'skip',
  rate: '60/min',
};

function found(text: string | null): ExistingConfig {
  if (text === null) return { place, context, before: null };
  const { config } = readConfig(text, place.file, context);
  return { place, context, before: { text, revision: '', config, isExample: false } };
}

const data = (text: string) => YAML.parse(text) as Record<string, unknown>;

describe('the configuration that setup writes', () => {
  test('is about ten lines long if there was none', () => {
    const { text, config } = plan(found(null), { ...wanted, folder: '/home/anna/Büro: "1"' });
    expect(config.folders[0]).toMatchObject({ path: '/home/anna/Büro: "1"', existing: { kind: 'skip' } });
    expect(config.delivery.rate).toEqual({ count: 60, intervalMs: 60_000 });
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
    expect(text).toContain('receiptd init');
    // Of what it wrote it changes nothing.
    expect(plan({ ...found(text) }, { ...wanted, folder: '/home/anna/Büro: "1"' }).text).toBe(text);
  });

  test('sends alerts to the event log if it is the machine-wide one on Windows', () => {
    const windows: LoadContext = { ...context, platform: 'win32', home: 'C:\\Users\\anna', cwd: 'C:\\' };
    const at = (file: string) =>
      plan({ place: { ...place, file }, context: windows, before: null }, { ...wanted, folder: 'C:\\Scans' });
    expect(at('c:\\programdata\\receiptd\\receiptd.yaml').config.alerts.eventLog).toBe(true);
    expect(at('C:\\Users\\anna\\receiptd.yaml').text).not.toContain('eventLog');
  });

  test('is unchanged if it already says what is wanted, however it is formatted', () => {
    const text = `# ours
service: { baseUrl: "https://service.example/" }
endpoints: { "office": { uid: ${UID} } }
folders: [ ~/scans, ] # tab
`.replace('~/scans, ', '{ path: ~/scans }');
    const same = { ...wanted, folder: join('/home/anna', 'scans'), rate: 'unlimited' };
    expect(plan(found(text), same).text).toBe(text);
  });

  test('adds the endpoint to folders that omitted it while it was the only one', () => {
    const text = `service: { baseUrl: https://service.example }
endpoints: { depot: { uid: d } }
folders:
  - path: /srv/depot
`;
    const { text: after } = plan(found(text), wanted);
    expect(data(after)).toMatchObject({
      endpoints: { depot: { uid: 'd' }, office: { uid: UID } },
      folders: [
        { path: '/srv/depot', endpoint: 'depot' },
        { path: '/srv/scans', endpoint: 'office' },
      ],
    });
  });

  test('is rejected before anything is written if it would be invalid', () => {
    const { text } = plan(found(null), wanted);
    const whole = text.replace('    endpoint: office\n', '    endpoint: office\n    recursive: true\n');
    expect(() => plan(found(whole), { ...wanted, folder: '/srv/scans/inner' })).toThrow(
      expect.objectContaining({ code: 'FOLDERS_NESTED' }) as Error,
    );
    expect(() => plan(found(text), { ...wanted, baseUrl: 'http://service.example' })).toThrow(
      expect.objectContaining({ code: 'HTTPS_REQUIRED' }) as Error,
    );
  });
});

test('the configuration names the credential store if the agent would otherwise find another first', () => {
  const answer = {
    kind: 'new',
    clientId: 'a',
    clientSecret: 'b',
    company: null,
    why: says('store.asked'),
  } as const;
  const inKeychain = { ...answer, store: 'keychain' } as const;
  expect(storeInConfig({ ...inKeychain, hidden: null }, 'auto')).toBeUndefined();
  expect(storeInConfig({ ...inKeychain, hidden: 'file' }, 'auto')).toBe('keychain');
  expect(storeInConfig({ ...inKeychain, hidden: null }, 'file')).toBe('keychain');
  expect(storeInConfig({ ...answer, store: 'file', hidden: 'keychain' }, 'auto')).toBeUndefined();
  expect(storeInConfig({ ...answer, store: 'file', hidden: 'systemd' }, 'auto')).toBe('file');
  expect(storeInConfig({ kind: 'kept', store: 'keychain', company: null }, 'file')).toBeUndefined();
});
