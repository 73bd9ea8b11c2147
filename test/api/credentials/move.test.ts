import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fileStore, writableFile } from '../../../src/api/credentials/file.ts';
import { singleStore, putSafely, takeOut, type SingleStore } from '../../../src/api/credentials/move.ts';
import { absent } from '../../../src/api/credentials/store.ts';
import { compiledHelper } from './compiledHelper.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const credentials = { clientId: 'id', clientSecret: 'very-secret' };
const others = { clientId: 'id', clientSecret: 'another' };

const file = (path: string): SingleStore => singleStore(fileStore(path), writableFile(path));

async function twoFiles() {
  const folder = await temporaryFolder();
  const [from, to] = [file(join(folder, 'from.json')), file(join(folder, 'to.json'))];
  await from.writable?.set(credentials);
  return { folder, from, to };
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

describe('a kill -9', () => {
  /** Moves between two files and kills itself at the n-th step: before or after a call of a store. */
  const PROGRAM = `
    const [modules, from, to, at] = process.argv.slice(2);
    const { fileStore, writableFile } = await import(modules + '/file.js');
    const { singleStore, putSafely, takeOut } = await import(modules + '/move.js');
    let steps = 0;
    const step = () => { if (++steps === Number(at)) process.kill(process.pid, 'SIGKILL'); };
    const around = (call) => async (...args) => { step(); const result = await call(...args); step(); return result; };
    const place = (path) => {
      const { store, look, writable } = singleStore(fileStore(path), writableFile(path));
      return { store, look: around(look), writable: { store, set: around(writable.set), remove: around(writable.remove) } };
    };
    const credentials = { clientId: 'id', clientSecret: 'very-secret' };
    await putSafely(place(to), credentials);
    step();
    await takeOut(place(from), credentials);
    console.log(steps);
  `;

  it('at any step leaves the credentials in one of the stores, and the next move completes', async () => {
    const { sourcePath } = await compiledHelper();
    const modules = pathToFileURL(dirname(sourcePath)).href;
    const { folder, from, to } = await twoFiles();
    const program = join(folder, 'move.mjs');
    await writeFile(program, PROGRAM);
    const move = (at: number) =>
      new Promise<string>((resolve) => {
        const args = [program, modules, join(folder, 'from.json'), join(folder, 'to.json'), String(at)];
        execFile(process.execPath, args, (error, stdout) => resolve(error?.signal ?? stdout.trim()));
      });
    const steps = Number(await move(0));
    expect(steps).toBe(9);
    for (let at = 1; at <= steps; at += 1) {
      await from.writable?.set(credentials);
      await to.writable?.remove();
      expect(await move(at)).toBe('SIGKILL');
      const [left, arrived] = [await held(from), await held(to)];
      expect(left ?? arrived).toEqual(credentials);
      // The move is repeated if the old copy still exists.
      expect(left === null ? String(steps) : await move(0)).toBe(String(steps));
      expect(await held(to)).toEqual(credentials);
      expect(await held(from)).toBeNull();
    }
    expect(JSON.parse(await readFile(join(folder, 'to.json'), 'utf8'))).toEqual(credentials);
  });
});
