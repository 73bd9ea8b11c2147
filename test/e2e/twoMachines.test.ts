/** Two agents on two machines with a common share. Namespaces give each its own host name, network and processes. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { hasNamespaces, UNSHARE } from '../support/namespace.ts';
import { requirement } from '../support/requires.ts';
import { MAIN, OFFICE, practiceService, Running, Site, temporaryDirectory, until } from './support/agent.ts';

const MACHINE = [
  'hostname "$0"',
  'ip link set lo up',
  '"$NODE" "$MAIN" sandbox --port "$PORT" --dir "$DIR" --endpoint-uid "$OFFICE" --client-id "$RECEIPTD_CLIENT_ID" --fault delay=2000 &',
  'exec "$NODE" "$MAIN" run --config "$CONFIG"',
].join('\n');

function start(site: Site, name: string): Running {
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    PATH,
    HOME,
    ...site.env,
    NODE: process.execPath,
    MAIN,
    OFFICE,
    CONFIG: site.config,
    DIR: site.file('sandbox'),
    PORT: new URL(site.sandbox.url).port,
  };
  const args = [...UNSHARE, '--uts', '--net', 'sh', '-ec', MACHINE, name];
  return new Running(spawn('unshare', args, { cwd: site.dir, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

const hasIp =
  hasNamespaces && requirement('ip', spawnSync('ip', ['-V']).status === 0, 'Debian package iproute2');

describe.skipIf(!hasIp)('two agents on two machines, with one share', () => {
  test('that both archive on: one of them notices and reports it, and both continue', async () => {
    const dir = await temporaryDirectory();
    const sandbox = await practiceService({ dir: join(dir, 'here') });
    const share = join(dir, 'share');
    const folder = {
      path: share,
      endpoint: 'office',
      settle: { short: '200ms' },
      watch: 'poll',
      afterUpload: 'archive',
    };
    const sites = await Promise.all(
      ['front-desk', 'back-office'].map(async (name) => {
        const site = new Site(join(dir, name), sandbox);
        await mkdir(site.dir);
        await site.configure({ folders: [folder], intake: { pollEvery: '1s' } });
        return { name, site };
      }),
    );
    const agents = sites.map(({ name, site }) => start(site, name));
    for (const agent of agents) await agent.logged('Watching');

    let dropped = 0;
    await until(async () => {
      dropped += 1;
      const bytes = await drawReceipt({ type: 'jpeg', seed: `receipt ${dropped}` });
      await writeFile(join(share, `SCAN${dropped}.jpg`), bytes);
      const taken = async ({ site }: (typeof sites)[number]) =>
        (await site.list()).some(({ path }) => path.endsWith(`SCAN${dropped}.jpg`));
      await until(async () => (await Promise.all(sites.map(taken))).some(Boolean), 'one of them to see it');
      return agents.some(({ stderr }) => stderr.includes('FOLDER_TAKEN_ELSEWHERE'));
    }, 'one of them to find out');

    const said = await Promise.all(sites.map(({ site }) => site.run('status')));
    expect(said.map(({ stdout }) => stdout).join()).toContain('[FOLDER_TAKEN_ELSEWHERE]');
    await writeFile(join(share, 'later.jpg'), await drawReceipt({ type: 'jpeg', seed: 'later' }));
    await until(async () => {
      const rows = (await Promise.all(sites.map(({ site }) => site.list()))).flat();
      return rows.some(({ path, state }) => path.endsWith('later.jpg') && state === 'accepted');
    }, 'what comes then to be sent');
  });
});
