/** Commands on a ledger that the agent has not upgraded yet, or that is of a newer version. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { LATEST_VERSION, migrate } from '../../src/ledger/sqlite/migrate.ts';
import { temporaryDirectory } from './support/agent.ts';
import { runInProcess } from './support/inProcess.ts';

describe('a ledger of the previous version', () => {
  const version = LATEST_VERSION - 1;
  let ledger: string;
  let config: string;
  let place: string;
  beforeEach(async () => {
    place = await temporaryDirectory();
    for (const name of ['state', 'scans']) await mkdir(join(place, name), { mode: 0o700 });
    ledger = join(place, 'state/ledger.db');
    change((db) => {
      migrate(db, 0, 1_000);
      db.exec(`PRAGMA user_version = ${version}`);
    });
    config = join(place, 'receiptd.yaml');
    await writeFile(
      config,
      `service: { baseUrl: 'http://127.0.0.1:9' }
endpoints: { office: { uid: 11111111-1111-4111-8111-111111111111 } }
folders: [{ path: ${place}/scans, endpoint: office }]
stateDir: ${place}/state
`,
    );
  });
  function change(how: (db: DatabaseSyncInstance) => void): void {
    const db = new DatabaseSync(ledger);
    how(db);
    db.close();
  }
  const receiptd = (...args: string[]) =>
    runInProcess([...args, '--config', config], {
      cwd: place,
      env: { RECEIPTD_CLIENT_ID: 'a', RECEIPTD_CLIENT_SECRET: 'b' },
    });

  it('is refused in one sentence by every command that reads it, and left unchanged', async () => {
    const before = await readFile(ledger);
    for (const words of 'status, list, endpoint list, ledger head, ledger verify, backup, audit'.split(
      ', ',
    )) {
      const { status, stdout, stderr } = await receiptd(...words.split(' '));
      expect({ words, status, stdout }).toEqual({ words, status: 1, stdout: '' });
      expect(stderr).toContain(`has version ${version}, from an older receiptd`);
      expect(stderr).toMatch(/Start the agent once.*\[LEDGER_OLDER\]\n$/);
    }
    expect((await readFile(ledger)).equals(before)).toBe(true);
  });

  it('is a warning of `check`; a ledger of a newer version is a failure', async () => {
    const older = await receiptd('check', '--offline');
    expect(older).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^warn {2}ledger: .*LEDGER_OLDER/m),
    });
    change((db) => db.exec(`PRAGMA user_version = ${LATEST_VERSION + 5}`));
    const newer = await receiptd('check', '--offline');
    expect(newer).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/^FAIL {2}ledger: .*LEDGER_NEWER/m),
    });
  });
});
