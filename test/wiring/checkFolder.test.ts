import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkFolder } from '../../src/wiring/checkFolder.ts';
import { asOrdinaryUser, makeOwned } from '../support/ordinaryUser.ts';
import { tempDir } from '../support/tempDir.ts';
import { configIn } from '../config/support.ts';

/** Findings of `check` for a folder with these entries; those that end in a slash are folders. */
async function said(entries: readonly string[], links: readonly string[]): Promise<string[]> {
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
  return (await checkFolder(checked!)).map(({ level, message }) => `${level} ${message}`);
}

it("`check` does not count the agent's own folders as unwatched", async () => {
  const findings = await said(['a.jpg', 'archive/', 'look here/', '.hidden/'], []);
  expect(findings[0]).toBe('ok It can be read and contains 1 file.');
  expect(findings.filter((finding) => !finding.startsWith('ok'))).toEqual([]);
});

it('`check` counts other unwatched folders and links', async () => {
  expect(await said(['one/', 'archive/'], [])).toContain(
    'warn 1 subfolder is not watched. To watch it, set `recursive: true`.',
  );
  expect(await said(['one/', 'two/'], ['three', 'four'])).toEqual(
    expect.arrayContaining([
      'warn 2 subfolders are not watched. To watch them, set `recursive: true`.',
      'warn 2 symbolic links in it are not followed.',
    ]),
  );
});

it('`check` fails if a link replaces a folder in which the agent writes', async () => {
  const findings = await said([], ['archive', 'look here']);
  expect(findings.filter((finding) => finding.startsWith('fail'))).toEqual([
    expect.stringMatching(
      /`archiveTo` is not a folder, or is reached through a link, .* \[FOLDER_UNWRITABLE\]$/,
    ),
    expect.stringMatching(
      /look here is not a folder, or is reached through a link, .* \[ATTENTION_UNWRITABLE\]$/,
    ),
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
  expect(findings.filter(({ level }) => level !== 'ok')).toEqual([
    expect.objectContaining({
      level: 'fail',
      kind: 'SUBFOLDERS_UNREADABLE',
      message: expect.stringContaining('(EACCES), such as shut.'),
    }),
  ]);
});
