import { appendFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drawReceipt } from '../support/images.ts';
import { prepare, type Site } from './support/agent.ts';
import { expectNoTrace } from './support/commandLine.ts';

const AUDIT = z.object({
  verdict: z.enum(['complete', 'incomplete', 'unaccounted']),
  agentRuns: z.boolean(),
  day: z.string().nullable(),
  head: z.object({ ledger: z.string(), seq: z.number(), hash: z.string() }).nullable(),
  total: z.record(z.string(), z.unknown()),
  folders: z.array(
    z.looseObject({
      path: z.string(),
      endpoint: z.string().nullable(),
      now: z
        .object({ listed: z.number(), known: z.number(), excluded: z.number(), links: z.number() })
        .nullable(),
    }),
  ),
  unaccounted: z.array(
    z.object({
      folder: z.string(),
      path: z.string(),
      problem: z.string(),
      state: z.string().nullable(),
      name: z.string().nullable(),
      message: z.string(),
      hint: z.string(),
    }),
  ),
  notLookedAt: z.array(z.object({ folder: z.string(), path: z.string(), message: z.string() })),
  crossCheck: z.object({ documents: z.number(), differences: z.array(z.string()) }),
});

async function audit(site: Site, ...args: string[]) {
  const { status, stdout } = await site.look('audit', '--json', ...args);
  return { status, ...AUDIT.parse(JSON.parse(stdout)) };
}

async function drop(site: Site, name: string, seed = name): Promise<void> {
  await writeFile(site.file('inbox', name), await drawReceipt({ type: 'jpeg', seed }));
}

function today(): string {
  return new Date().toLocaleString('sv').slice(0, 10);
}

describe('the audit', () => {
  test('accounts for every single file in plain words', async () => {
    const site = await prepare();
    for (const name of ['a.jpg', 'b.jpg', 'refused.jpg']) await drop(site, name);
    await drop(site, 'copy of a.jpg', 'a.jpg');
    await writeFile(site.file('inbox', 'notes.txt'), 'bread and butter');
    await symlink(site.file('inbox', 'a.jpg'), site.file('inbox', 'link.jpg'));
    site.sandbox.misbehave({ kind: 'status', status: 400, nameIncludes: 'refused', times: 1 });
    await site.quickOnce();

    const text = await site.quickMust('audit');
    const inbox = site.file('inbox');
    expect(text).toContain(`${inbox}\n`);
    for (const line of [
      /^ {2}accepted {3}2 {2}accepted by the service$/m,
      /^ {2}duplicate {2}1 {2}identical to another image/m,
      /^ {2}rejected {3}1 {2}not sent; /m,
      /^ {2}failed {5}1 {2}refused by the service/m,
      /^ {2}waiting {4}0$/m,
      /^ {2}lost {7}0$/m,
      /^ {2}skipped {4}0$/m,
      /^ {2}seen {7}5 {2}the sum of the above$/m,
      /^ {2}5 files are in the folder now; the ledger has all of them, unchanged\.$/m,
    ])
      expect(text).toMatch(line);
    expect(text).toContain(
      '1 symbolic link in the folder is not followed: the file behind it is neither sent nor counted.',
    );
    expect(text.trimEnd().split('\n').at(-1)).toBe(
      `All 5 files seen in ${inbox} are accounted for. 1 of them needs a person: \`receiptd list --state failed unconfirmed lost\`.`,
    );

    const found = await audit(site, '--day', today());
    expect(found).toMatchObject({ status: 0, verdict: 'complete', agentRuns: false, day: today() });
    expect(found.total).toEqual({
      seen: 5,
      accepted: 2,
      duplicate: 1,
      split: 0,
      rejected: 1,
      failed: 1,
      waiting: 0,
      waitingAs: {},
      lost: 0,
      skipped: 0,
    });
    expect(found.folders[0]?.now).toEqual({ listed: 5, known: 5, excluded: 0, links: 1 });
    expect(found.head?.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(text).toContain(found.head?.hash);
    expect((await audit(site, '--day', '2001-01-31')).total).toMatchObject({ seen: 0 });

    const ended = await site.look('audit', '--day', '2026-02-30');
    expect(ended).toBeRefused(2, 'USAGE', '2026-02-30');
    expectNoTrace(ended);
    expect(await site.look('audit', '--folder', '/nowhere')).toBeRefused(2, 'USAGE', site.file('inbox'));
    expect(await site.look('audit', '--wait', 'long')).toBeRefused(2, 'USAGE', 'long');
  });

  test('names every unaccounted file, says what to do, and exits with 3', async () => {
    const site = await prepare();
    for (const name of ['same.jpg', 'changed.jpg', 'gone.jpg']) await drop(site, name);
    await site.quickOnce();
    await appendFile(site.file('inbox', 'changed.jpg'), 'x');
    await rm(site.file('inbox', 'gone.jpg'));
    await drop(site, 'new\nline.jpg');
    const found = await audit(site);
    expect(found).toMatchObject({ status: 3, verdict: 'unaccounted' });
    expect(found.unaccounted.map(({ path, problem }) => [path, problem])).toEqual([
      [site.file('inbox', 'changed.jpg'), 'changed'],
      [site.file('inbox', 'gone.jpg'), 'missing'],
      [site.file('inbox', 'new\nline.jpg'), 'unknown'],
    ]);
    const { status, stdout } = await site.look('audit');
    expect(status).toBe(3);
    const named = stdout.split('\n').filter((line) => line.startsWith(`  ${site.file('inbox')}/`));
    expect(named).toHaveLength(3);
    expect(named[2]).toContain('new\\nline.jpg: It is in the folder, but not in the ledger.');
    for (const line of named) expect(line).toContain('receiptd run');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      `3 files in ${site.file('inbox')} are NOT accounted for; they are listed above.`,
    );
    // The audit changed nothing.
    await site.quickOnce();
    expect(await audit(site)).toMatchObject({ status: 0, total: { seen: 5, accepted: 5 } });
  });

  test('proves nothing about a folder that it cannot read, and exits with 4; counts one that is no longer watched from the ledger', async () => {
    const folders = (site: Site) => [
      { path: site.file('inbox'), endpoint: 'office' },
      { path: site.file('share'), endpoint: 'depot' },
    ];
    const site = await prepare();
    await site.configure({ folders: folders(site) });
    await drop(site, 'a.jpg');
    await writeFile(site.file('share', 'b.jpg'), await drawReceipt({ type: 'jpeg', seed: 'b' }));
    await site.quickOnce();
    await rename(site.file('share'), site.file('unplugged'));
    const found = await audit(site);
    expect(found).toMatchObject({ status: 4, verdict: 'incomplete', unaccounted: [], total: { seen: 2 } });
    expect(found.notLookedAt).toMatchObject([{ folder: site.file('share') }]);
    const { stdout } = await site.look('audit');
    expect(stdout).toMatch(/this proves nothing: 1 place could not be checked\.\n$/);
    // The other folder alone can be audited.
    expect(await audit(site, '--folder', site.file('inbox'))).toMatchObject({
      status: 0,
      total: { seen: 1 },
    });

    // A folder that is no longer watched is counted from the ledger.
    await site.configure({ folders: [{ path: site.file('other'), endpoint: 'office' }] });
    const former = await audit(site);
    expect(former).toMatchObject({ status: 0, total: { seen: 2, accepted: 2 } });
    expect(former.folders).toMatchObject([
      { path: site.file('other'), now: { listed: 0 } },
      { endpoint: null, now: null },
      { endpoint: null, now: null },
    ]);
  });
});
