import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Finding } from '../../src/core/domain/finding.ts';
import { checkFolder } from '../../src/wiring/checkFolder.ts';
import { asOrdinaryUser, makeOwned } from '../support/ordinaryUser.ts';
import { tempDir } from '../support/tempDir.ts';
import { configIn } from '../config/support.ts';

/** Findings of `check` for a folder with these entries; those that end in a slash are folders. */
async function said(entries: readonly string[], links: readonly string[]): Promise<Finding[]> {
  const dir = tempDir('check');
  const path = join(dir, 'inbox');
  mkdirSync(path);
  for (const entry of entries) {
    if (entry.endsWith('/')) mkdirSync(join(path, entry));
    else writeFileSync(join(path, entry), '');
  }
  for (const link of links) symlinkSync(dir, join(path, link));
  const folder = { path, needsAttention: 'look here', afterUpload: 'archive' };
  const [checked] = configIn(dir, { folders: [folder] }).folders;
  return checkFolder(checked!);
}

it("`check` does not count the agent's own folders as unwatched", async () => {
  const findings = await said(['a.jpg', 'archive/', 'look here/', '.hidden/'], []);
  expect(findings[0]).toMatchObject({ level: 'ok', fact: { is: 'readable', count: 1 } });
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([]);
});

it('`check` counts other unwatched folders and links', async () => {
  const warned = async (entries: string[], links: string[]) =>
    (await said(entries, links)).filter(({ level }) => level === 'warn').map(({ fact }) => fact);
  expect(await warned(['one/', 'archive/'], [])).toEqual([{ is: 'subfolders', count: 1 }]);
  expect(await warned(['one/', 'two/'], ['three', 'four'])).toEqual([
    { is: 'subfolders', count: 2 },
    { is: 'links', count: 2 },
  ]);
});

it('`check` fails if a link replaces a folder in which the agent writes', async () => {
  const findings = await said([], ['archive', 'look here']);
  const failed = findings.filter(({ level }) => level === 'fail');
  expect(failed).toMatchObject([
    { fact: { problem: { code: 'FOLDER_UNWRITABLE', params: { system: 'ENOTDIR' } } } },
    { fact: { problem: { code: 'ATTENTION_UNWRITABLE', params: { system: 'ENOTDIR' } } } },
  ]);
});

it('`check` names subfolders that can’t be read, but not those that are ignored', async () => {
  const dir = tempDir('check');
  chmodSync(dir, 0o755);
  const path = join(dir, 'inbox');
  const shut = ['shut', 'lost+found', 'archive'].map((name) => join(path, name));
  for (const each of [path, ...shut]) await makeOwned(each);
  for (const each of shut) chmodSync(each, 0);
  const [folder] = configIn(dir, { folders: [{ path, recursive: true }] }).folders;
  const findings = await asOrdinaryUser(() => checkFolder(folder!));
  for (const each of shut) chmodSync(each, 0o755);
  expect(findings.filter(({ level }) => level !== 'ok')).toMatchObject([
    { level: 'fail', fact: { problem: { code: 'SUBFOLDERS_UNREADABLE', params: { subfolders: ['shut'] } } } },
  ]);
});
