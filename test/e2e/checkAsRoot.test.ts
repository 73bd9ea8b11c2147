import { chmod, chown } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { prepare } from './support/agent.ts';
import { giveAway, ordinaryUserCanRun } from './support/commandLine.ts';

test.skipIf(!ordinaryUserCanRun || process.geteuid?.() !== 0)(
  "check tries the folders as the service's user where root asks",
  async () => {
    const site = await prepare();
    await site.quickOnce();
    await giveAway(site.dir);
    await chmod(site.dir, 0o755);
    const good = await site.run('check', '--offline');
    expect(good.stdout).toMatch(/^ok {4}.*inbox: .* \(Checked as the user \w+\.\)$/m);
    // Root's alone from now on: root itself would find nothing wrong.
    await chown(site.file('inbox'), 0, 0);
    await chmod(site.file('inbox'), 0o700);
    const bad = await site.run('check', '--offline');
    expect(bad.stdout).toMatch(/^FAIL {2}.*inbox: .*\[FOLDER_UNREADABLE\] \(Checked as the user \w+\.\)$/m);
    expect(bad.status).toBe(1);
  },
);
