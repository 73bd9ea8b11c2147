import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCredentialsSource, createWritableCredentials } from '../../../src/api/credentials/source.ts';
import type { ReceiptdError } from '../../../src/core/domain/errors.ts';
import type { CredentialsSource } from '../../../src/core/ports/credentials.ts';
import { credentialsContract } from '../../contract/credentials.ts';
import { asOrdinaryUser, ordinaryOwner } from '../../support/ordinaryUser.ts';
import { temporaryFolder } from './temporaryFolder.ts';

const baseUrl = 'https://service.example';
const content = '{"clientId":"id","clientSecret":"very-secret"}';

function sourceOf(file: string): CredentialsSource {
  return createCredentialsSource({ store: 'file', file, baseUrl, env: {} });
}

async function fileWith(text: string, mode = 0o600): Promise<string> {
  const file = join(await temporaryFolder(), 'credentials.json');
  await writeFile(file, text);
  await chmod(file, mode);
  return file;
}

describe('the credentials file', () => {
  credentialsContract(async () => {
    const file = join(await temporaryFolder(), 'new', 'credentials.json');
    const options = { file, baseUrl, env: {} };
    return { source: sourceOf(file), writable: createWritableCredentials('file', options) };
  });

  it('is written with its folder for the owner only, and leaves no temporary file', async () => {
    const file = join(await temporaryFolder(), 'a', 'b', 'credentials.json');
    const writable = createWritableCredentials('file', { file, baseUrl, env: {} });
    const umask = process.umask(0);
    try {
      await writable.set({ clientId: 'id', clientSecret: 'one' });
      await chmod(file, 0o644);
      await writable.set({ clientId: 'id', clientSecret: 'two' });
    } finally {
      process.umask(umask);
    }
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700);
    expect(await readdir(dirname(file))).toEqual(['credentials.json']);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ clientId: 'id', clientSecret: 'two' });
  });

  it('is refused if others can read it, and the remedy works', async () => {
    const file = await fileWith(content, 0o640);
    const error = (await sourceOf(file)
      .get()
      .catch((thrown: unknown) => thrown)) as ReceiptdError;
    expect(error).toMatchObject({ code: 'CREDENTIALS_INSECURE' });
    execFileSync('sh', ['-c', String(error.hint).replace(/^.*: /, '')]);
    expect(await sourceOf(file).get()).toMatchObject({ clientSecret: 'very-secret' });
  });

  it.each([
    '',
    'very-secret',
    '{"clientId":"id","clientSecret":"very-secret"',
    '[]',
    'null',
    '7',
    '{"clientId":"id"}',
    '{"clientId":"id","clientSecret":""}',
    '{"clientId":"id","clientSecret":["very-secret"]}',
  ])('with %j in it counts as missing, and is not quoted', async (text) => {
    const failed = sourceOf(await fileWith(text)).get();
    await expect(failed).rejects.toMatchObject({
      code: 'CREDENTIALS_MISSING',
      params: { looked: [{ why: { why: 'otherShape' } }] },
    });
    await expect(failed).rejects.not.toThrow('very-secret');
  });

  it('that cannot be written says so, and keeps the old content', async () => {
    const folder = await temporaryFolder();
    const { uid, gid } = ordinaryOwner();
    const closed = join(folder, 'closed');
    await mkdir(closed);
    const file = join(closed, 'credentials.json');
    await writeFile(file, content, { mode: 0o600 });
    for (const path of [file, closed, folder]) await chown(path, uid, gid);
    await chmod(closed, 0o500);
    const writable = createWritableCredentials('file', { file, baseUrl, env: {} });
    await asOrdinaryUser(async () => {
      const refused = { key: 'CREDENTIALS_UNWRITABLE.file', params: { path: file } };
      await expect(writable.set({ clientId: 'id', clientSecret: 'another' })).rejects.toMatchObject(refused);
      await expect(writable.remove()).rejects.toMatchObject(refused);
      expect(await readFile(file, 'utf8')).toBe(content);
    });
    await chmod(closed, 0o700);
  });
});
