/** The agent is killed while it brings a ledger of its first version to the latest. */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LATEST_VERSION } from '../../src/ledger/sqlite/migrate.ts';
import { putFormer, rowsOf } from '../ledger/sqlite/former.ts';
import { MAIN, temporaryDirectory } from './support/agent.ts';

/** Kills the process once a step is done, the one of that number. */
const KILLER = `
  const load = process.dlopen;
  let done = 0;
  process.dlopen = function (module, ...more) {
    load.call(this, module, ...more);
    const { DatabaseSync } = module.exports;
    if (DatabaseSync === undefined) return;
    const construct = (target, given) => {
      const db = new target(...given);
      const value = (sql) => {
        db.constructor.prototype.exec.call(db, sql);
        if (/INSERT INTO migrations/.test(sql) && ++done === Number(process.env.STEP)) process.kill(process.pid, 'SIGKILL');
      };
      return Object.defineProperty(db, 'exec', { value });
    };
    module.exports = { ...module.exports, DatabaseSync: new Proxy(DatabaseSync, { construct }) };
  };
`;

it('the copy of before is there when every step is done, however often it was cut short', async () => {
  const place = await temporaryDirectory();
  const [state, scans] = [join(place, 'state'), join(place, 'scans')];
  for (const dir of [state, scans]) await mkdir(dir, { mode: 0o700 });
  const before = rowsOf(putFormer(1, state));
  const config = join(place, 'receiptd.yaml');
  await writeFile(
    config,
    `service: { baseUrl: 'http://127.0.0.1:9' }
endpoints: { office: { uid: 11111111-1111-4111-8111-111111111111 } }
folders: [{ path: ${scans}, endpoint: office }]
stateDir: ${state}
`,
  );
  const killer = join(place, 'killer.cjs');
  await writeFile(killer, KILLER);
  const start = (step: number) =>
    spawnSync(process.execPath, ['--require', killer, MAIN, 'run', '--once', '--config', config], {
      env: {
        ...process.env,
        STEP: String(step),
        RECEIPTD_CLIENT_ID: 'sandbox',
        RECEIPTD_CLIENT_SECRET: 's3',
      },
      encoding: 'utf8',
    });
  for (let step = 1; step < LATEST_VERSION; step += 1) {
    const killed = start(step);
    expect(killed.signal, killed.stderr).toBe('SIGKILL');
  }
  start(0);
  expect(rowsOf(join(state, 'ledger.db'))['migrations']).toHaveLength(LATEST_VERSION);
  expect((await readdir(join(state, 'backups'))).filter((name) => name.startsWith('upgrade-'))).toEqual([
    'upgrade-from-v1.db',
  ]);
  expect(rowsOf(join(state, 'backups/upgrade-from-v1.db'))).toEqual(before);
});
