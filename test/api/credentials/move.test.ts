import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileStore, writableFile } from '../../../src/api/credentials/file.ts';
import { singleStore, putSafely, takeOut, type SingleStore } from '../../../src/api/credentials/move.ts';
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
    async () => absent('the keychain (no entry)'),
    'does not return what was written to it; looked in: the keychain (no entry)',
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

it('a kill at any step leaves the credentials in one of the stores, and the next move completes', async () => {
  const { from, to } = await twoFiles();
  let [steps, killedAt] = [0, 0];
  let killed = (): void => {};
  // Nothing after that step happens: before or after a call of a store.
  const step = () => {
    if (++steps !== killedAt) return;
    killed();
    return new Promise<never>(() => {});
  };
  const around =
    <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await step();
      const result = await call(...args);
      await step();
      return result;
    };
  const stepping = (place: SingleStore): SingleStore => ({
    store: place.store,
    look: around(() => place.look()),
    writable: place.writable && {
      store: place.store,
      set: around((all: typeof credentials) => place.writable!.set(all)),
      remove: around(() => place.writable!.remove()),
    },
  });
  async function move(at: number): Promise<number> {
    [steps, killedAt] = [0, at];
    const kill = new Promise<void>((resolve) => (killed = resolve));
    const moved = async () => {
      await putSafely(stepping(to), credentials);
      await step();
      await takeOut(stepping(from), credentials);
    };
    await Promise.race([moved(), kill]);
    return steps;
  }
  const all = await move(0);
  expect(all).toBe(9);
  for (let at = 1; at <= all; at += 1) {
    await from.writable?.set(credentials);
    await to.writable?.remove();
    expect(await move(at)).toBe(at);
    const [left, arrived] = [await held(from), await held(to)];
    expect(left ?? arrived).toEqual(credentials);
    // The move is repeated if the old copy still exists.
    expect(left === null ? all : await move(0)).toBe(all);
    expect(await held(to)).toEqual(credentials);
    expect(await held(from)).toBeNull();
  }
});
