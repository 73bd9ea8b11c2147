import { once } from 'node:events';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { controlSocketPath } from '../../src/control/socketPath.ts';
import { drawReceipt } from '../support/images.ts';
import { DEPOT, OFFICE, prepare, until, type Site } from './support/agent.ts';
import { cleanUp } from '../support/cleanUp.ts';

async function drop(site: Site, name: string): Promise<void> {
  await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
}

describe('status in plain words', () => {
  test('says in one line that nothing is wrong, and otherwise lists each problem, its time and what to do', async () => {
    const site = await prepare();
    await site.quickStart();
    await drop(site, 'a.jpg');
    await until(async () => (await site.look('status')).stdout.includes('1 accepted'));
    const calm = await site.must('status');
    expect(calm).toMatch(
      /^Running since \S+ \S+ [+-]\d\d:\d\d \(process \d+, version \S+\); 0 uploads are under way\.\n/,
    );
    expect(calm).toContain('\nNothing is wrong. Nothing is waiting to be sent.\n');
    expect(calm).toMatch(/ {2}Watched since .*; new files are noticed at once; .*last listed .*\.\n/);

    site.sandbox.misbehave({ kind: 'status', status: 403 });
    await drop(site, 'b.jpg');
    await rename(site.file('inbox'), site.file('unplugged'));
    await until(async () => (await site.look('status')).stdout.includes('[FOLDER_MISSING]'));
    const status = await site.quickMust('status');
    expect(status).not.toContain('Nothing is wrong');
    expect(status).toMatch(/\nNeeds a person:\n/);
    expect(status).toMatch(/^ {2}\S*inbox .* Since \S+ \S+ [+-]\d\d:\d\d\. .*\[FOLDER_MISSING\]$/m);
  });

  test('separates problems that resolve themselves from those that need a person', async () => {
    const site = await prepare();
    site.sandbox.misbehave({ kind: 'status', status: 503 });
    await drop(site, 'a.jpg');
    await site.quickOnce('--wait', '1s');
    const status = await site.quickMust('status');
    expect(status).toMatch(
      /^Not running\. Start it with `receiptd run`\.\nResolves itself:\n {2}.*\[SERVICE_UNREACHABLE\]\n/,
    );
    expect(status).toContain('1 document is waiting to be sent, the oldest for ');
    expect(status).not.toContain('Needs a person');
  });

  test('fails if the ledger is gone, but not its journal', async () => {
    const site = await prepare();
    await site.quickOnce();
    await rm(join(site.stateDir, 'ledger.db'));
    const { status, stderr } = await site.look('status');
    expect(status).toBe(1);
    expect(stderr).toMatch(/ledger\.db is gone, but its journal is still there\. .*\[LEDGER_MISSING\]\n$/);
    expect((await site.quickOnce()).status).toBe(0);
    expect((await site.look('status')).status).toBe(0);
  });

  test('falls back to the ledger if the agent is of another version', async () => {
    const site = await prepare();
    await drop(site, 'a.jpg');
    await site.quickOnce();
    await mkdir(site.stateDir, { recursive: true });
    const other = createServer((_, response) => response.end('{"pid":1,"folders":[]}'));
    other.listen(controlSocketPath(site.stateDir));
    await once(other, 'listening');
    cleanUp(async () => void other.close());
    const { status, stdout } = await site.look('status');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^No usable answer from the agent: .*different version.*\[CONTROL_FAILED\]\n/);
    expect(stdout).toContain('1 accepted');
    const asJson = await site.look('status', '--json');
    expect(asJson.status).toBe(1);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      daemon: null,
      silent: expect.stringContaining('CONTROL_FAILED') as string,
    });
  });

  test('names documents that wait for a removed endpoint, and so does a single run', async () => {
    const site = await prepare();
    await site.quickMust('pause', 'office');
    await drop(site, 'a.jpg');
    await site.quickOnce();
    await site.configure({
      endpoints: { depot: { uid: DEPOT } },
      folders: [{ path: site.file('other'), endpoint: 'depot' }],
    });
    expect(await site.quickMust('status')).toMatch(
      new RegExp(`\n {2}1 document waits .*#${OFFICE}.*never accepted .*\\[ENDPOINT_GONE\\]\n`),
    );
    const { status, stdout } = await site.quickOnce();
    expect(status).toBe(4);
    expect(stdout).toContain('1 document waits for an endpoint that is no longer in the config');

    // No document was ever taken in for it.
    const [waiting] = await site.list('--state', 'queued', 'held');
    await site.quickMust('resend', waiting?.name ?? '', '--endpoint', 'depot');
    await site.quickOnce();
    expect(site.sandbox.received().map(({ endpointUid }) => endpointUid)).toEqual([DEPOT]);
  });
});
