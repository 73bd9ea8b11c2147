import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCredentialsSource, createWritableCredentials } from '../../../src/api/credentials/source.ts';
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

  it.each([0o640, 0o604, 0o620, 0o601, 0o666])(
    'is refused with mode %o, and the remedy works',
    async (mode) => {
      const file = await fileWith(content, mode);
      const failed = sourceOf(file).get();
      await expect(failed).rejects.toMatchObject({ code: 'CREDENTIALS_INSECURE' });
      const hint = await failed.then(
        () => '',
        (error: { hint: string }) => error.hint,
      );
      execFileSync('sh', ['-c', hint.replace(/^.*: /, '')]);
      expect(await sourceOf(file).get()).toMatchObject({ clientSecret: 'very-secret' });
    },
  );

  it.each([0o600, 0o400])('is accepted with mode %o', async (mode) => {
    expect(await sourceOf(await fileWith(content, mode)).get()).toMatchObject({
      store: 'file',
      clientId: 'id',
    });
  });

  it('may be a link; the mode of its target counts', async () => {
    const file = await fileWith(content, 0o644);
    const link = join(dirname(file), 'link.json');
    await symlink(file, link);
    await expect(sourceOf(link).get()).rejects.toMatchObject({ code: 'CREDENTIALS_INSECURE' });
    await chmod(file, 0o600);
    expect(await sourceOf(link).get()).toMatchObject({ clientId: 'id' });
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
    await expect(failed).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
    await expect(failed).rejects.toThrow('does not hold {"clientId"');
    await expect(failed).rejects.not.toThrow('very-secret');
  });

  it('counts as missing if it is a folder or a FIFO, without blocking', async () => {
    const folder = await temporaryFolder();
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', ['-m', '600', fifo]);
    for (const file of [folder, fifo]) {
      await expect(sourceOf(file).get()).rejects.toThrow('not a regular file');
    }
  });

  it('that belongs to another is named with the reason', async () => {
    const folder = await temporaryFolder();
    const { uid, gid } = ordinaryOwner();
    await chown(folder, uid, gid);
    const file = join(folder, 'credentials.json');
    await writeFile(file, content, { mode: 0o000 });
    await asOrdinaryUser(() => expect(sourceOf(file).get()).rejects.toThrow(`${file} (EACCES)`));
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
      const failed = writable.set({ clientId: 'id', clientSecret: 'another' });
      await expect(failed).rejects.toMatchObject({ code: 'CREDENTIALS_UNWRITABLE' });
      await expect(failed).rejects.toThrow(`${file} cannot be written`);
      await expect(writable.remove()).rejects.toMatchObject({ code: 'CREDENTIALS_UNWRITABLE' });
      expect(await readFile(file, 'utf8')).toBe(content);
    });
    await chmod(closed, 0o700);
  });
});
