import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { drawReceipt } from '../support/images.ts';
import { OFFICE, prepare, storedOnce, type Site } from './support/agent.ts';
import { quickly } from './support/commandLine.ts';
import { freePort } from '../support/ports.ts';

async function drop(site: Site, ...names: string[]): Promise<void> {
  for (const name of names) {
    await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed: name }));
  }
}

describe('run --once', () => {
  test('exits with 0 if every file is accepted, a duplicate or skipped, and has nothing to do the second time', async () => {
    const site = await prepare();
    await drop(site, 'a.jpg', 'b.jpg');
    await writeFile(site.file('inbox', 'again.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a.jpg' }));
    expect(await site.once()).toMatchObject({ status: 0, stdout: '2 accepted.\n' });
    expect((await storedOnce(site)).size).toBe(2);
    expect(await site.quickOnce()).toMatchObject({ status: 0 });
    expect(site.sandbox.stats().uploadArrivals).toHaveLength(2);

    await mkdir(site.file('old'));
    await writeFile(site.file('old', 'old.jpg'), await drawReceipt({ type: 'jpeg', seed: 'old' }));
    await site.configure({ folders: [{ path: site.file('old'), endpoint: 'office', existing: 'skip' }] });
    expect(await site.quickOnce()).toMatchObject({ status: 0 });
    expect((await site.list('--folder', site.file('old'))).map(({ state }) => state)).toEqual(['skipped']);
  });

  test('exits with 3 if the service refused a document, or a file is no image', async () => {
    const site = await prepare();
    await drop(site, 'a.jpg', 'b.jpg');
    site.sandbox.misbehave({ kind: 'status', status: 422, nameIncludes: 'b-' });
    expect(await site.quickOnce()).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(/^1 accepted, 1 not sent \(.+: 1\)\.\n$/) as string,
    });
    const failed = await site.list('--state', 'failed');
    expect(failed).toMatchObject([{ path: site.file('inbox', 'b.jpg'), reason: 'HTTP_422' }]);

    const { requests } = site.sandbox.stats();
    await writeFile(site.file('inbox', 'list.jpg'), 'bread and butter');
    expect(await site.quickOnce()).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(/^0 accepted, 1 not sent \(.+: 1\)\.\n/) as string,
    });
    expect(site.sandbox.stats().requests).toEqual(requests);
  });

  test('reports its own run: earlier problems are one line and change no status, and a stray text file is no problem', async () => {
    const site = await prepare();
    await site.configure({ folders: [site.folder('inbox', { pages: 'whole' })] });
    await drop(site, 'a.jpg');
    await writeFile(site.file('inbox', 'notes.txt'), 'bread and butter');
    expect(await site.quickOnce()).toMatchObject({ status: 0, stdout: '1 accepted.\n' });
    await writeFile(site.file('inbox', 'scan.pdf'), await drawReceipt({ type: 'pdf', seed: 'pdf' }));
    expect(await site.quickOnce()).toMatchObject({
      status: 3,
      stdout: expect.stringMatching(/^0 accepted, 1 not sent \(.+: 1\)\.\n$/) as string,
    });
    await drop(site, 'b.jpg');
    const later = await site.quickOnce();
    expect(later.status).toBe(0);
    expect(later.stdout).toMatch(
      /^1 accepted\.\nFrom earlier runs: .+: 1\. `receiptd list --needs-person` .+\n$/,
    );
    await site.quickMust('dismiss', '--all');
    expect(await site.quickOnce()).toMatchObject({ status: 0, stdout: 'Nothing to send.\n' });
  });

  test('exits with 4 after a hold, a missing folder or an incomplete file', async () => {
    const site = await prepare();
    await drop(site, 'a.jpg');
    site.sandbox.setPlan({ enabled: false, quota: null });
    expect(await site.quickOnce()).toMatchObject({ status: 4, stdout: '0 accepted, 1 waiting.\n' });
    site.sandbox.setPlan({ enabled: true, quota: null });
    // A new run retries documents on hold at once.
    expect(await site.quickOnce()).toMatchObject({ status: 0 });

    const [inbox, missing] = [site.file('inbox'), site.file('missing')];
    const folders = [
      { path: inbox, endpoint: 'office' },
      { path: missing, endpoint: 'office' },
    ];
    await site.writeConfig({ folders });
    const ended = await site.quickOnce();
    expect(ended).toMatchObject({ status: 4 });
    expect(ended.stdout).toContain(missing);
    expect(existsSync(missing)).toBe(false);

    await site.configure({
      folders: [{ path: inbox, endpoint: 'office', settle: { long: '300ms', patience: '300ms' } }],
    });
    const whole = await drawReceipt({ type: 'jpeg', seed: 'half' });
    await writeFile(site.file('inbox', 'half.jpg'), whole.subarray(0, whole.length / 2));
    expect(await site.quickOnce()).toMatchObject({
      status: 4,
      stdout: expect.stringMatching(/^0 accepted, 1 not sent \(.+: 1\)\.\n$/) as string,
    });
    expect(site.sandbox.stats().stored).toBe(1);

    const refused = await prepare();
    await drop(refused, 'a.jpg', 'b.jpg', 'c.jpg', 'd.jpg', 'e.jpg');
    refused.sandbox.misbehave({ kind: 'status', status: 400 });
    expect(await refused.quickOnce()).toMatchObject({ status: 4 });
    expect(new Set((await refused.list()).map(({ reason }) => reason))).toEqual(new Set(['MANY_REFUSALS']));
  });

  test('waits for the end of an outage, and exits with 5 if it lasts', async () => {
    const site = await prepare();
    await drop(site, 'a.jpg', 'b.jpg');
    site.sandbox.misbehave({ kind: 'status', status: 503, times: 3 });
    expect(await site.quickOnce('--wait', '60s')).toMatchObject({ status: 0 });
    expect((await storedOnce(site)).size).toBe(2);

    await drop(site, 'c.jpg');
    site.sandbox.misbehave({ kind: 'status', status: 503 });
    const ended = await site.quickOnce('--wait', '300ms');
    expect(ended).toMatchObject({ status: 5 });
    expect(ended.stdout).toContain('the service could not be reached');

    site.sandbox.behave();
    expect(await site.quickOnce()).toMatchObject({ status: 0 });
    expect(site.sandbox.stats().stored).toBe(3);
  });

  test('exits with 5 if nothing listens at the address', async () => {
    const site = await prepare();
    await site.configure({ service: { baseUrl: `http://127.0.0.1:${await freePort()}` } });
    await drop(site, 'a.jpg');
    expect(await site.quickOnce('--wait', '0s')).toMatchObject({ status: 5 });
    expect(await site.list()).toMatchObject([
      { state: 'queued', reason: 'SERVICE_UNREACHABLE', attempts: 0 },
    ]);
    expect(await site.quickMust('run', '--dry-run')).toContain('1 queued document would be sent as well.');
    for (const args of [['whoami'], ['endpoint', 'create', 'x']])
      expect(await quickly(site, [...args, '--config', site.config])).toBeRefused(
        5,
        'SERVICE_UNREACHABLE',
        'ECONNREFUSED',
        'service.baseUrl',
      );
  });

  test('exits with 6 while an agent runs, and does not disturb it', async () => {
    const site = await prepare();
    const agent = await site.quickStart();
    expect(await site.quickOnce()).toBeRefused(6, 'ALREADY_RUNNING', site.stateDir, String(process.pid));
    expect(await agent.stop()).toMatchObject({ status: 0 });
  });

  test('considers skipped files and documents of other endpoints with --dry-run', async () => {
    const site = await prepare();
    const inbox = { path: site.file('inbox'), endpoint: 'office' };
    await site.configure({ folders: [{ ...inbox, existing: 'skip' }] });
    await drop(site, 'a.jpg', 'b.jpg');
    expect(await site.quickMust('run', '--dry-run')).toMatch(/\n2 to skip\. /);
    await site.quickOnce();
    expect(await site.quickMust('run', '--dry-run')).toMatch(/\n2 to skip\. /);
    // New bytes under a known name are a new file.
    await writeFile(site.file('inbox', 'b.jpg'), await drawReceipt({ type: 'jpeg', seed: 'another' }));
    expect(await site.quickMust('run', '--dry-run')).toMatch(/\n1 to skip, 1 to send\. /);
    await site.configure({ folders: [{ ...inbox, existing: 'send' }] });
    expect(await site.quickMust('run', '--dry-run')).toMatch(/\n2 to send\. /);
    await site.quickOnce();

    await site.configure({ folders: [{ ...inbox, endpoint: 'depot' }] });
    const elsewhere = await site.quickMust('run', '--dry-run');
    expect(elsewhere).toMatch(/\n2 already recorded\. /);
    const [name] = (await site.list('--search', 'a.jpg')).map((row) => row.name);
    expect(elsewhere).toContain(`\`receiptd resend ${name} --endpoint depot\``);
    await site.quickOnce();
    expect(site.sandbox.stats().stored).toBe(2);
  });

  test('lists with --dry-run what would be sent under which name, and changes nothing', async () => {
    const site = await prepare();
    await drop(site, 'a.jpg', 'b.jpg');
    await writeFile(site.file('inbox', 'copy of a.jpg'), await drawReceipt({ type: 'jpeg', seed: 'a.jpg' }));
    await writeFile(site.file('inbox', 'list.jpg'), 'bread and butter');
    const rows = async () => {
      const text = await site.quickMust('run', '--dry-run');
      const fields = (line: string) => line.split(/ {2,}/).map((field) => field.trim());
      const lines = text.split('\n').filter((line) => line.includes(site.file('inbox')));
      return { text, rows: lines.map(fields) };
    };
    const before = await rows();
    expect(before.text).toMatch(/Nothing was sent or recorded\.\n$/);
    expect(existsSync(site.stateDir)).toBe(false);
    expect(site.sandbox.stats().requests).toEqual({});
    const would = before.rows.map(([what]) => what).toSorted();
    expect(would).toEqual(['duplicate', 'reject', 'send', 'send']);

    expect(await site.quickOnce()).toMatchObject({ status: 3 });
    // Either of two equal files may come first and give the name; the hash in the name is the same.
    const hashOf = (name: string | null | undefined) => name?.slice(-12);
    const names = (await site.list('--state', 'accepted')).map(({ name }) => name);
    const foretold = before.rows.filter(([what]) => what === 'send').map(([, name]) => name);
    expect(foretold.map(hashOf).toSorted()).toEqual(names.map(hashOf).toSorted());
    const nameOfB = foretold.find((name) => name?.startsWith('b-'));
    expect(names).toContain(nameOfB);

    await drop(site, 'c.jpg');
    const list = await site.list();
    const after = await rows();
    expect(after.rows.map(([what]) => what).toSorted()).toEqual(['duplicate', 'reject', 'send']);
    expect(await site.list()).toEqual(list);
    expect(site.sandbox.stats().stored).toBe(2);
  });

  test('keeps documents waiting whose endpoint the service does not know', async () => {
    const uid = OFFICE.replace('1', '9');
    const site = await prepare({ endpoints: { office: { uid } } });
    await drop(site, 'a.jpg');
    expect(await site.quickOnce()).toMatchObject({ status: 4 });
    expect(await site.list()).toMatchObject([{ endpointUid: uid, state: 'held', reason: 'HTTP_404' }]);
  });
});
