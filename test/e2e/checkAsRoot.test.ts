import { chmod, chown, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { prepare } from './support/agent.ts';
import { giveAway, ordinaryUserCanRun } from './support/commandLine.ts';
import { isRoot } from '../support/root.ts';

test.skipIf(!ordinaryUserCanRun || !isRoot)(
  "`check` run by root tries folders and secrets as the service's user",
  async () => {
    const site = await prepare();
    const passwordFile = site.file('mail-password');
    await writeFile(passwordFile, 'secret', { mode: 0o600 });
    const email = { server: 'smtp://127.0.0.1:9', user: 'scans', passwordFile, to: ['office@example.com'] };
    await site.configure({ alerts: { email } });
    await site.quickOnce();
    await giveAway(site.dir);
    await chmod(site.dir, 0o755);
    const good = await site.run('check', '--offline');
    expect(good.stdout).toMatch(/^ok {4}.*inbox: .* \(Checked as the user \w+\.\)$/m);
    expect(good.stdout).toMatch(/^ok {4}alerts: .* \(Checked as the user \w+\.\)$/m);
    // Only root can read it from now on; a check as root would find nothing wrong.
    await chown(site.file('inbox'), 0, 0);
    await chmod(site.file('inbox'), 0o700);
    await chown(passwordFile, 0, 0);
    const bad = await site.run('check', '--offline');
    expect(bad.stdout).toMatch(/^FAIL {2}.*inbox: .*\[FOLDER_UNREADABLE\] \(Checked as the user \w+\.\)$/m);
    expect(bad.stdout).toMatch(/^FAIL {2}alerts: .*mail-password.* \(Checked as the user \w+\.\)$/m);
    expect(bad.status).toBe(1);
  },
);
