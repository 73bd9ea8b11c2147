import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFolderClaims } from '../../../src/intake/folder/folderClaims.ts';
import { statFolder, tokenOf } from '../../../src/intake/folder/folderIdentity.ts';
import { FolderClaim } from '../../../src/pipeline/folderClaim.ts';
import { temporaryDirectory } from './fixture.ts';

const token = async (folder: string) => tokenOf(await statFolder(folder));

it.runIf(process.platform === 'linux')(
  'a folder is held by one at a time, under any name, and who holds it is told',
  async () => {
    const parent = await temporaryDirectory();
    const [one, other] = ['/state/one', '/state/other'].map(
      (stateDir) => new FolderClaim('/scans', createFolderClaims(stateDir)),
    );
    expect(await one?.hold(await token(parent))).toBeNull();
    expect(await one?.hold(await token(parent))).toBeNull();
    expect(await other?.hold(await token(join(parent, '.')))).toMatch(
      new RegExp(
        `^Another agent on this machine takes in /scans \\(process ${process.pid} of .+, state directory /state/one\\)\\.`,
      ),
    );
    expect(await createFolderClaims('/x').holder(await token(parent))).toMatchObject({
      stateDir: '/state/one',
    });
    await one?.release();
    expect(await createFolderClaims('/x').holder(await token(parent))).toBeNull();
    expect(await other?.hold(await token(parent))).toBeNull();
    await other?.release();
  },
);

it.runIf(process.platform === 'linux')(
  'what was held of a folder is given up when another stands in its place',
  async () => {
    const parent = await temporaryDirectory();
    const claims = createFolderClaims('/state');
    const claim = new FolderClaim('/scans', claims);
    const before = await token(parent);
    await claim.hold(before);
    await rename(parent, `${parent}-moved`);
    await rename(`${parent}-moved`, parent);
    const elsewhere = await token(await temporaryDirectory());
    expect(await claim.hold(elsewhere)).toBeNull();
    expect(await claims.holder(before)).toBeNull();
    await claim.release();
    expect(await claims.holder(elsewhere)).toBeNull();
  },
);
