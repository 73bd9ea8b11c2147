import { expect, it } from 'vitest';
import type { CredentialsSource, WritableCredentials } from '../../src/core/ports/credentials.ts';

/** A writable store, initially empty, and the source that reads it. */
export interface CredentialsPair {
  readonly source: CredentialsSource;
  readonly writable: WritableCredentials;
}

/** The contract of every store that `login` writes to. */
export function credentialsContract(open: () => Promise<CredentialsPair>): void {
  const first = { clientId: 'id-1', clientSecret: 'secret "1" ü 🧾 \\ $HOME' };
  const second = { clientId: 'id-2', clientSecret: 'x'.repeat(1000) };

  it('is empty at first and after removal; returns what was saved last, and the name of the store', async () => {
    const { source, writable } = await open();
    await expect(source.get()).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
    expect(await writable.remove()).toBe(false);
    await writable.set(first);
    expect(await source.get()).toEqual({ ...first, store: writable.store });
    await writable.set(second);
    await writable.set(second);
    expect(await source.get()).toMatchObject(second);
    expect(await writable.remove()).toBe(true);
    expect(await writable.remove()).toBe(false);
    await expect(source.get()).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
  });
}
