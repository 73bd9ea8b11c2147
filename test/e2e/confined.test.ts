/** An agent in a service that may write nowhere but to its state, as with the unit of the package. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callControl } from '../../src/control/client.ts';
import type { Finding } from '../../src/core/domain/finding.ts';
import { drawReceipt } from '../support/images.ts';
import { canMount } from '../support/ownMount.ts';
import { practiceService, temporaryDirectory } from './support/agent.ts';
import { SmallDiskSite } from './support/smallDisk.ts';

test.skipIf(!canMount())(
  'where the service forbids writing is said before a change, by the reload, status and check, and ends with it',
  async () => {
    const dir = await temporaryDirectory();
    const site = new SmallDiskSite(dir, await practiceService({ dir: join(dir, 'sandbox') }));
    await site.mount('16m');
    const scans = site.file('scans');
    await mkdir(scans);
    const folder = { path: scans, endpoint: 'office' };
    const writing = { afterUpload: 'archive', needsAttention: 'look here' };
    await site.configure({ folders: [folder] });
    for (const path of [scans, site.config]) await site.allowWriting(path, false);
    const agent = await site.start();
    const forbidden = [
      { code: 'FOLDER_UNWRITABLE', params: { folder: scans, system: 'EROFS' } },
      { code: 'ATTENTION_UNWRITABLE', params: { place: join(scans, 'look here'), system: 'EROFS' } },
    ];
    const { revision, writable } = await callControl(site.disk(), 'config', {});
    expect(writable).toBe(false);
    const edits = Object.entries(writing).map(([key, value]) => ({
      kind: 'set' as const,
      path: ['folders', 0, key],
      value,
    }));
    const asked = await callControl(site.disk(), 'changeConfig', { revision, edits, dryRun: true });
    expect(asked.consequences).toMatchObject(forbidden.map((problem) => ({ kind: 'unwritable', problem })));
    await expect(callControl(site.disk(), 'changeConfig', { revision, edits })).rejects.toMatchObject({
      code: 'CONFIG_UNWRITABLE',
      params: { system: 'EROFS' },
    });

    await site.allowWriting(site.config, true);
    await site.configure({ folders: [{ ...folder, ...writing }] });
    const told = await site.quickMust('reload');
    for (const { code } of forbidden) expect(told).toContain(`[${code}]`);
    expect(told).toContain('`sudo receiptd service install`');
    const problems = async () =>
      (JSON.parse(await site.quickMust('status', '--json')) as { problems: { code: string }[] }).problems;
    const codes = async () => (await problems()).map(({ code }) => code).toSorted();
    await expect.poll(codes).toEqual(['ATTENTION_UNWRITABLE', 'FOLDER_UNWRITABLE']);
    for (const { params } of forbidden)
      expect(await problems()).toContainEqual(
        expect.objectContaining({ params: expect.objectContaining(params) }),
      );
    const checked = await site.look('check', '--json');
    // Whoever checks may write there; the running agent may not.
    const findings = (JSON.parse(checked.stdout) as Finding[]).filter(({ level }) => level !== 'ok');
    expect(findings.map(({ fact }) => fact)).toEqual(
      expect.arrayContaining(
        forbidden.map((problem) =>
          expect.objectContaining({
            is: 'problem',
            problem: expect.objectContaining({ code: problem.code }),
          }),
        ),
      ),
    );

    await site.allowWriting(scans, true);
    const widened = await site.quickMust('reload');
    for (const { code } of forbidden) expect(widened).not.toContain(code);
    // The others end when they are tried again, which happens with the next scan or some time later.
    await writeFile(join(scans, 'next.jpg'), await drawReceipt({ type: 'jpeg', seed: 'next' }));
    await expect.poll(codes, { timeout: 180_000 }).toEqual([]);
    expect(await readdir(join(scans, 'archive'), { recursive: true })).toContainEqual(
      expect.stringMatching(/next\.jpg$/),
    );
    expect((await agent.stop()).status).toBe(0);
  },
);
