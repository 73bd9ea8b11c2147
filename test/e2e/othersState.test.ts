/** Root uses the state directory of a service; and a state directory without a ledger. */
import { chown, mkdir, readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { prepare } from './support/agent.ts';
import { expectNoTrace } from './support/commandLine.ts';
import { isRoot } from '../support/root.ts';

const NOBODY = 65_534;

test('without a ledger, every command that needs one is refused, and creates nothing', async () => {
  const site = await prepare();
  const commands =
    'backup, retry --all, retry x, dismiss --all, erase x --yes, resend x, resume, list, show x, audit, ledger verify, ledger head';
  const refused = async () => {
    for (const words of commands.split(', ')) {
      const ended = await site.look(...words.split(' '));
      expect(ended, words).toBeRefused(1, 'LEDGER_MISSING', site.stateDir);
      expectNoTrace(ended);
    }
  };
  await refused();
  expect(await readdir(site.stateDir).catch(() => null)).toBeNull();
  await mkdir(site.stateDir, { mode: 0o700 });
  await refused();
  expect(await readdir(site.stateDir)).toEqual([]);
});

test('a pause before the first run works, and warns that the ledger is new', async () => {
  const site = await prepare();
  const { status, stderr } = await site.look('pause');
  expect(status).toBe(0);
  expect(stderr).toBe(`warning: ${site.stateDir} had no ledger; a new one was created.\n`);
  expect((await site.look('pause')).stderr).toBe('');
});

test.skipIf(!isRoot)(
  'root is told to run commands as the user of the service, and finds no fault with its state directory',
  async () => {
    const site = await prepare();
    await mkdir(site.stateDir, { recursive: true, mode: 0o700 });
    await chown(site.stateDir, NOBODY, NOBODY);
    for (const words of [['pause', 'office'], ['endpoint', 'create', 'Depot 2'], ['run']]) {
      const { status, stderr } = await site.look(...words);
      expect(status).not.toBe(0);
      expect(stderr).toContain(
        'it belongs to a different user (nobody) than the one running receiptd (root)',
      );
      expect(stderr).toMatch(/Run it as that user: (?:runuser -u nobody --|sudo -u nobody) receiptd …\./);
      expect(stderr).not.toContain('Set stateDir');
    }
    expect(site.sandbox.received()).toEqual([]);
    expect(await site.quickMust('status')).toMatch(
      /^Not running\. Start it with `receiptd service start`\.\n/,
    );
    const check = await site.look('check', '--offline');
    expect(check.stdout).toContain(`ok    state: ${site.stateDir} belongs to the user nobody. `);
    expect(check.stdout).not.toContain('FAIL');
    const doctor = await site.look('doctor', '--offline', '--list');
    expect(doctor.stdout).toContain(`${site.stateDir} belongs to the user nobody (mode 700)`);
    expect(doctor.stdout).not.toMatch(/FAIL {2}state/);
    expect(await readdir(site.stateDir)).toEqual([]);
  },
);
