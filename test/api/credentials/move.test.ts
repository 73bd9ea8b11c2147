import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileStore, writableFile } from '../../../src/api/credentials/file.ts';
import { singleStore, putSafely, takeOut, type SingleStore } from '../../../src/api/credentials/move.ts';
import type { Credentials } from '../../../src/core/ports/credentials.ts';
import { absent } from '../../../src/api/credentials/store.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const credentials = { clientId: 'id', clientSecret: 'very-secret' };
const others = { clientId: 'id', clientSecret: 'another' };

const file = (path: string): SingleStore => singleStore(fileStore(path), writableFile(path));

async function twoFiles() {
  const folder = await temporaryFolder();
  const [from, to] = [file(join(folder, 'from.json')), file(join(folder, 'to.json'))];
  await from.writable?.set(credentials);
  return { from, to };
}

const held = async (place: SingleStore) => {
  const look = await place.look();
  return look.kind === 'found' ? look.credentials : null;
};

it('reads credentials back after writing them, and then removes them from the old store', async () => {
  const { from, to } = await twoFiles();
  await putSafely(to, credentials);
  expect(await held(from)).toEqual(credentials);
  expect(await takeOut(from, credentials)).toBe(true);
  expect(await held(from)).toBeNull();
  expect(await held(to)).toEqual(credentials);
  expect(await takeOut(from, credentials)).toBe(true);
});

it.each([
  [
    'nothing',
    async () => absent('keychain', { why: 'noEntry', entry: 'receiptd', isCertain: true }),
    'does not return what was written to it; looked in: the keychain (no entry "receiptd")',
  ],
  [
    'something else',
    async () => ({ kind: 'found' as const, credentials: others }),
    'returns different credentials',
  ],
])('a store that gives back %s is not trusted', async (_what, look, words) => {
  const { to } = await twoFiles();
  const failed = putSafely({ ...to, look }, credentials);
  await expect(failed).rejects.toMatchObject({ code: 'CREDENTIALS_UNWRITABLE' });
  await expect(failed).rejects.toThrow(words);
  await expect(failed).rejects.not.toThrow('another');
});

it('does not remove credentials that were changed meanwhile or belong to somebody else', async () => {
  const { from } = await twoFiles();
  await from.writable?.set(others);
  expect(await takeOut(from, credentials)).toBe(false);
  expect(await held(from)).toEqual(others);
  expect(await takeOut({ ...from, writable: null }, others)).toBe(false);
  expect(await held(from)).toEqual(others);
});

/** A store at whose n-th step, before or after a call, nothing goes on any more; steps of several stores count together. */
function mortal(of: SingleStore, step: () => Promise<void>): SingleStore {
  const around =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await step();
      const result = await call(...args);
      await step();
      return result;
    };
  const { store, writable } = of;
  if (writable === null) throw new Error('not writable');
  return {
    store,
    look: around(() => of.look()),
    writable: {
      store,
      set: around((given: Credentials) => writable.set(given)),
      remove: around(() => writable.remove()),
    },
  };
}

it('a move that ends at any step leaves the credentials in one of the stores, and the next one completes', async () => {
  const { from, to } = await twoFiles();
  /** Moves until a step. @returns whether it came to its end */
  const move = async (until: number): Promise<boolean> => {
    let steps = 0;
    let end = (): void => {};
    const ended = new Promise<false>((resolve) => (end = () => resolve(false)));
    const step = async (): Promise<void> => {
      if (++steps < until) return;
      end();
      await new Promise(() => {});
    };
    const whole = async (): Promise<true> => {
      await putSafely(mortal(to, step), credentials);
      await takeOut(mortal(from, step), credentials);
      return true;
    };
    return Promise.race([ended, whole()]);
  };
  let at = 1;
  for (; ; at += 1) {
    await from.writable?.set(credentials);
    await to.writable?.remove();
    if (await move(at)) break;
    expect((await held(from)) ?? (await held(to))).toEqual(credentials);
    // The move is repeated if the old copy still exists.
    expect((await held(from)) === null || (await move(Infinity))).toBe(true);
    expect([await held(from), await held(to)]).toEqual([null, credentials]);
  }
  expect(at).toBe(9);
});
