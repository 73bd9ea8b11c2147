import { expect, it } from 'vitest';
import { changesOf } from '../../src/compose/service.ts';
import type { CredentialsSource } from '../../src/ports/credentials.ts';

it('tells new credentials from the same ones, and those that appear from none', async () => {
  let secret: string | null = null;
  const source: CredentialsSource = {
    get: async () => {
      if (secret === null) throw new Error('none');
      return { clientId: 'id', clientSecret: secret, store: 'file' };
    },
  };
  const changed = changesOf(source);
  expect(await changed()).toBe(false);
  expect(await changed()).toBe(false);
  secret = 'first';
  expect(await changed()).toBe(true);
  expect(await changed()).toBe(false);
  secret = 'second';
  expect(await changed()).toBe(true);
  secret = null;
  expect(await changed()).toBe(false);
  secret = 'second';
  expect(await changed()).toBe(true);
});

it('tells them also where they were changed between one configuration and the next', async () => {
  let clientSecret = 'first';
  const source: CredentialsSource = { get: async () => ({ clientId: 'id', clientSecret, store: 'file' }) };
  const last = {};
  expect(await changesOf(source, last)()).toBe(false);
  expect(await changesOf(source, last)()).toBe(false);
  clientSecret = 'second';
  expect(await changesOf(source, last)()).toBe(true);
});
