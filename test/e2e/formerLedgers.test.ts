/**
 * Today's program on the ledgers of its predecessors, in the place where they lay: /srv, and a port of loopback, in a
 * namespace of its own, since paths and addresses are what a ledger knows its documents by.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMER, putFormer } from '../ledger/sqlite/former.ts';
import { buildBmp } from '../support/handmadeImages.ts';
import { hasNamespaces, runInNamespace } from '../support/namespace.ts';
import { requirement } from '../support/requires.ts';
import { MAIN, sha256, temporaryDirectory } from './support/agent.ts';

const hasIp = requirement(
  'ip',
  existsSync('/usr/sbin/ip') || existsSync('/sbin/ip'),
  'Debian package iproute2',
);

const bitmap = (n: number): Buffer => buildBmp({ width: 8, height: 8, data: Buffer.alloc(192, n) });

const PREPARE = `
  PATH=$PATH:/usr/sbin:/sbin
  ip link set lo up
  mount -t tmpfs srv /srv
  cp -a "$SITE"/srv/. /srv/
  chmod 700 /srv/receiptd`;

const CODE = `
  import { spawn, spawnSync } from 'node:child_process';
  const env = { ...process.env, RECEIPTD_CLIENT_ID: 'sandbox', RECEIPTD_CLIENT_SECRET: 's3' };
  const { MAIN } = process.env;
  const sandbox = spawn(process.execPath, [MAIN, 'sandbox', '--port', '8699', '--dir', '/srv/box', '--json'], { env });
  await new Promise((ready) => sandbox.stdout.once('data', ready));
  const run = (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args, '--config', '/srv/receiptd.yaml'], { env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const say = (what) => console.log(JSON.stringify(what));
  run('resume', 'office');
  say(run('run', '--once'));
  say(JSON.parse(run('list', '--json').stdout));
  say(run('ledger', 'verify'));
  say(await (await fetch('http://127.0.0.1:8699/sandbox/documents')).json());
  sandbox.kill();
`;

interface Row {
  readonly name: string | null;
  readonly state: string;
  readonly path: string;
}
interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe.skipIf(!hasNamespaces || !hasIp)('the agent on a ledger of version', () => {
  it.each(FORMER)('%i sends what waited under its name, what is new, and nothing again', async (version) => {
    const site = await temporaryDirectory();
    const srv = join(site, 'srv');
    for (const name of ['receiptd', 'scans', 'post']) await mkdir(join(srv, name), { recursive: true });
    putFormer(version, join(srv, 'receiptd'));
    const scans: [string, number][] = [
      ['Kopie – été', 2],
      ['SCAN0001', 2],
      ['SCAN0003', 15],
      ['SCAN0004', 31],
      ['NEW', 99],
    ];
    for (const [name, n] of scans) await writeFile(join(srv, 'scans', `${name}.bmp`), bitmap(n));
    await writeFile(
      join(srv, 'receiptd.yaml'),
      `service: { baseUrl: 'http://127.0.0.1:8699' }
endpoints: { office: { uid: 11111111-1111-4111-8111-111111111111 } }
folders: [{ path: /srv/scans, endpoint: office }]
stateDir: /srv/receiptd
`,
    );
    const prepare = `SITE='${site}' MAIN='${MAIN}'; export MAIN; ${PREPARE}`;
    const said = await runInNamespace(prepare, CODE, 60_000, ['-n']);
    const [ran, list, verified, sent] = said as [Ended, Row[], Ended, { name: string }[]];
    const state = Object.fromEntries(list.map((row) => [row.name, row.state]));
    expect(state, ran.stderr).toMatchObject({
      'Kopie – été-2005c65f18b7': expect.stringMatching(/accepted|duplicate/),
      'SCAN0002-05da67776649': 'accepted',
      'SCAN0003-1f3ad7eb0d8d': 'failed',
      'SCAN0004-986d9129287b': 'accepted',
      'letter-add3e1cfdc76': 'queued',
      [`NEW-${sha256(bitmap(99)).slice(0, 12)}`]: 'accepted',
    });
    expect(verified).toMatchObject({ status: 0 });
    expect(sent.map(({ name }) => name).sort()).toEqual([
      `NEW-${sha256(bitmap(99)).slice(0, 12)}`,
      'SCAN0004-986d9129287b',
    ]);
  });
});
