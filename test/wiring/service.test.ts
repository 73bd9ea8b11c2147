import { expect, it } from 'vitest';
import { changesOf } from '../../src/wiring/service.ts';
import type { CredentialsSource } from '../../src/core/ports/credentials.ts';

it('first and changed credentials are reported, unchanged ones are not', async () => {
  let secret: string | null = null;
  const source: CredentialsSource = {
    get: async () => {
      if (secret === null) throw new Error('none');
      return { clientId: 'id', clientSecret: secret, store: 'file' };
    },
  };
  const changed = changesOf(() => source);
  expect(await changed(null)).toBe(false);
  expect(await changed(null)).toBe(false);
  secret = 'first';
  expect(await changed(null)).toBe(true);
  expect(await changed(null)).toBe(false);
  secret = 'second';
  expect(await changed(null)).toBe(true);
  secret = null;
  expect(await changed(null)).toBe(false);
  secret = 'second';
  expect(await changed(null)).toBe(true);
});

it('credentials that changed between two configurations are reported', async () => {
  let clientSecret = 'first';
  const source: CredentialsSource = { get: async () => ({ clientId: 'id', clientSecret, store: 'file' }) };
  const last = new Map<string | null, string>();
  expect(await changesOf(() => source, last)(null)).toBe(false);
  expect(await changesOf(() => source, last)(null)).toBe(false);
  clientSecret = 'second';
  expect(await changesOf(() => source, last)(null)).toBe(true);
});

it('changed credentials are reported per account', async () => {
  const secrets = new Map<string | null, string>([
    [null, 'a'],
    ['branch', 'b'],
  ]);
  const sourceOf = (account: string | null): CredentialsSource => ({
    get: async () => ({ clientId: 'id', clientSecret: secrets.get(account) ?? '', store: 'file' }),
  });
  const changed = changesOf(sourceOf);
  expect(await changed(null)).toBe(false);
  expect(await changed('branch')).toBe(false);
  secrets.set('branch', 'c');
  expect(await changed(null)).toBe(false);
  expect(await changed('branch')).toBe(true);
});
