/** Installation of the service by `receiptd setup`, with a stand-in for systemctl that records its arguments; see service.test.ts. */
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { defaultConfigText } from '../../src/config/template.ts';
import { canMount } from '../support/ownMount.ts';
import { isRoot } from '../support/root.ts';
import { MAIN, OFFICE } from './support/agent.ts';
import { ordinaryUserCanRun } from './support/commandLine.ts';
import { desk } from './support/desk.ts';
import { BOOTED, place } from './support/servicePlace.ts';
import { variables } from './support/unattended.ts';

test.skipIf(!isRoot || !canMount() || !ordinaryUserCanRun)(
  'setup installs the service once for --service-user, and leaves it running when it is repeated',
  async () => {
    const [at, here] = [await place(), await desk()];
    for (const path of [here.dir, join(here.dir, 'home'), here.scans]) await chmod(path, 0o755);
    const values = { baseUrl: here.sandbox.url, uid: OFFICE, folder: here.scans };
    await writeFile(here.config, `${defaultConfigText(values)}stateDir: ${join(here.dir, 'state')}\n`);
    const script = `${BOOTED}
    setup() { asked setup --yes --json --store file --service system --service-user nobody; }
    setup; setup; chmod 777 ${here.scans}; sed -i 's/^ *endpoint: office/&\\n    afterUpload: archive/' "$RECEIPTD_CONFIG"; setup`;
    const env = { ...at.host.env, ...variables(here), NODE: process.execPath, MAIN };
    const { stdout } = await promisify(execFile)('unshare', ['-m', 'sh', '-c', script], { env });
    const installed = `"nobody",
systemctl daemon-reload
systemctl enable receiptd.service
systemctl restart receiptd.service
`;
    expect(stdout.split(/^> .*\n/m)).toEqual(['', installed, '"nobody",\n', installed]);
  },
);
