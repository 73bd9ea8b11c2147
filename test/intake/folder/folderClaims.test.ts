import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolderClaims } from '../../../src/intake/folder/folderClaims.ts';
import { statFolder, tokenOf } from '../../../src/intake/folder/availability.ts';
import { FolderClaim } from '../../../src/intake/presence/folderClaim.ts';
import { FakeClock } from '../../support/fakeClock.ts';
import { RecordedLog } from '../../support/recordedLog.ts';
import { temporaryDirectory } from './fixture.ts';

const MINUTE = 60_000;
const GONE = { key: 'FOLDER_TAKEN.gone' };
const tokenOfFolder = async (folder: string) => tokenOf(await statFolder(folder));

/** A folder and two agents that watch it, each with its own state directory. */
async function place() {
  const clock = new FakeClock();
  const log = new RecordedLog();
  const folder = await temporaryDirectory();
  const token = await tokenOfFolder(folder);
  const agent = (stateDir: string, { isShared = false } = {}) =>
    new FolderClaim({
      path: '/scans',
      claims: createFolderClaims(stateDir),
      takeOverAfterMs: 10 * MINUTE,
      isShared,
      clock,
      log,
    });
  const [first, second] = [await temporaryDirectory(), await temporaryDirectory()];
  /** Checks at intervals, as an agent does. */
  const lookFor = async (claim: FolderClaim, ms: number) => {
    for (let left = ms; left > 0; left -= 20_000) {
      await clock.advance(20_000);
      await claim.hold(token);
    }
  };
  return { clock, log, folder, token, agent, first, second, lookFor };
}

describe.runIf(process.platform === 'linux')('the claim of a folder', () => {
  it('is held by one agent at a time under any path, and names its holder', async () => {
    const { folder, token, agent, first, second } = await place();
    const [one, other] = [agent(first), agent(second)];
    expect(await one.hold(token)).toBeNull();
    expect(await one.hold(token)).toBeNull();
    expect(await other.hold(await tokenOfFolder(join(folder, '.')))).toMatchObject({
      key: 'FOLDER_TAKEN.held',
      params: {
        folder: '/scans',
        by: { pid: process.pid, stateDir: first },
        takeOverAfterMs: 10 * MINUTE,
      },
    });
    const looker = createFolderClaims(second);
    expect(await looker.look(token)).toMatchObject({ kind: 'taken', by: { stateDir: first } });
    await one.release();
    expect(await looker.look(token)).toEqual({ kind: 'free' });
  });

  it('is released when another folder takes the place of the claimed one', async () => {
    const { folder, token, agent, first } = await place();
    const claim = agent(first);
    await claim.hold(token);
    await rename(folder, `${folder}-moved`);
    await rename(`${folder}-moved`, folder);
    const elsewhere = await tokenOfFolder(await temporaryDirectory());
    expect(await claim.hold(elsewhere)).toBeNull();
    const looker = createFolderClaims(first);
    expect(await looker.look(token)).toEqual({ kind: 'free' });
    await claim.release();
    expect(await looker.look(elsewhere)).toEqual({ kind: 'free' });
  });

  it('returns to the first agent when it restarts, and passes to the second if the first stays away', async () => {
    const { clock, token, agent, first, second, lookFor } = await place();
    const [one, other] = [agent(first), agent(second)];
    await one.hold(token);
    await other.hold(token);
    await one.release();
    expect(await other.hold(token)).toMatchObject(GONE);
    await lookFor(other, 9 * MINUTE);
    const again = agent(first);
    expect(await again.hold(token)).toBeNull();
    expect(again.othersUntil).toBeNull();
    expect(await other.hold(token)).toMatchObject({
      key: 'FOLDER_TAKEN.held',
      params: { by: { stateDir: first } },
    });
    await again.release();
    // The waiting time starts over.
    const goneAt = clock.now();
    await lookFor(other, 9 * MINUTE);
    expect(await other.hold(token)).toMatchObject(GONE);
    await lookFor(other, 2 * MINUTE);
    expect(await other.hold(token)).toBeNull();
    expect(other.othersUntil).toBe(goneAt + 20_000);
    await other.settle();
    expect(other.othersUntil).toBeNull();
    expect(await agent(first).hold(token)).toMatchObject({
      key: 'FOLDER_TAKEN.held',
      params: { by: { stateDir: second } },
    });
    await other.release();
  });

  it('keeps its waiting period for a second agent that restarts before it has taken over', async () => {
    const { token, agent, first, second, lookFor } = await place();
    const [one, other] = [agent(first), agent(second)];
    await one.hold(token);
    await other.hold(token);
    await one.release();
    const restarted = agent(second);
    expect(await restarted.hold(token)).toMatchObject(GONE);
    await lookFor(restarted, 11 * MINUTE);
    expect(await restarted.hold(token)).toBeNull();
    await restarted.release();
    // Crashed before its files were processed.
    const crashed = agent(second);
    expect(await crashed.hold(token)).toMatchObject(GONE);
    await lookFor(crashed, 11 * MINUTE);
    await crashed.settle();
    await crashed.release();
    const own = agent(second);
    expect(await own.hold(token)).toBeNull();
    await own.release();
  });

  it('is not taken over for time during which this agent was not checking', async () => {
    const { clock, token, agent, first, second } = await place();
    const [one, other] = [agent(first), agent(second)];
    await one.hold(token);
    await other.hold(token);
    await one.release();
    await other.hold(token);
    await clock.advance(20 * MINUTE);
    expect(await other.hold(token)).toMatchObject(GONE);
  });

  it('passes on at once for a shared folder, whose leader the fleet decides', async () => {
    const { token, agent, first, second } = await place();
    const [one, other] = [agent(first, { isShared: true }), agent(second, { isShared: true })];
    await one.hold(token);
    expect(await other.hold(token)).toMatchObject({ key: 'FOLDER_TAKEN.held' });
    await one.release();
    expect(await other.hold(token)).toBeNull();
    expect(other.othersUntil).toBeNull();
    await other.release();
  });

  it('is taken at once by a single run, or if the record of claims is unreadable', async () => {
    const { token, second } = await place();
    const file = join(second, 'taken-folders.json');
    await writeFile(file, '["/scans"]');
    expect(await createFolderClaims(second).wasOthers('/scans')).toBe(true);
    expect(await createFolderClaims(second, { isOnce: true }).wasOthers('/scans')).toBe(false);
    await writeFile(file, '{');
    expect(await createFolderClaims(second).wasOthers('/scans')).toBe(false);
    expect(await createFolderClaims(second).look(token)).toEqual({ kind: 'free' });
  });
});
