/** What the Debian package's scripts do to machines that are not as it would make them: by dpkg, without the program's 130 MB. */
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemUnit } from '../../src/features/os-service/systemd/unit.ts';
import { hasDebianTree, openDebianTree, type DebianTree } from '../support/debianTree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const OWN = '/etc/systemd/system/receiptd.service';
const STATE = '/var/lib/receiptd';

/** The package's scripts and unit, around a program that does nothing but run. */
async function buildThin(place: string): Promise<void> {
  const tree = join(place, 'thin');
  const files: [from: string, to: string, mode: number][] = [
    ['preinst', 'DEBIAN/preinst', 0o755],
    ['postinst', 'DEBIAN/postinst', 0o755],
    ['prerm', 'DEBIAN/prerm', 0o755],
    ['postrm', 'DEBIAN/postrm', 0o755],
    ['receiptd.service', 'lib/systemd/system/receiptd.service', 0o644],
    ['receiptd.default', 'etc/default/receiptd', 0o644],
  ];
  for (const dir of ['DEBIAN', 'lib/systemd/system', 'etc/default', 'etc/receiptd', 'usr/lib/receiptd/dist'])
    await mkdir(join(tree, dir), { recursive: true });
  for (const [from, to, mode] of files) {
    await cp(join(ROOT, 'packaging/debian', from), join(tree, to));
    await chmod(join(tree, to), mode);
  }
  await chmod(join(tree, 'etc/receiptd'), 0o750);
  await writeFile(join(tree, 'usr/lib/receiptd/node'), '#!/bin/sh\nexec sleep 1000\n', { mode: 0o755 });
  await writeFile(join(tree, 'usr/lib/receiptd/dist/receiptd.cjs'), '');
  await writeFile(
    join(tree, 'DEBIAN/control'),
    'Package: receiptd\nVersion: 1-1\nArchitecture: all\nMaintainer: nobody <nobody@example.com>\nDescription: scripts\n',
  );
  await run('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, join(place, 'thin.deb')]);
}

/** As `receiptd service install` writes it for the program that is given. */
const unitOf = (...command: string[]): string =>
  systemUnit(
    {
      command,
      configFile: '/etc/receiptd/receiptd.yaml',
      stateDir: STATE,
      folders: [],
      graceMs: 30_000,
      controlGroup: null,
      credentials: [],
      environment: {},
      links: {},
    },
    'receiptd',
  );
const PACKAGED = unitOf('/usr/lib/receiptd/node', '/usr/lib/receiptd/dist/receiptd.cjs');

describe.skipIf(!hasDebianTree)("the Debian package's scripts", () => {
  let place: string;
  let tree: DebianTree;
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'receiptd-scripts-'));
    await buildThin(place);
    await cp(join(ROOT, 'test/support/systemctl.sh'), join(place, 'systemctl'));
  });
  // Each begins with a machine that never had the package.
  beforeEach(async () => {
    await tree?.close();
    tree = await openDebianTree(place);
    await tree.sh(
      `if [ -e /usr/bin/systemctl ]; then mv /usr/bin/systemctl /usr/bin/systemctl.real; fi
       install -m 755 /in/systemctl /usr/bin/systemctl; mkdir -p /run/systemd/system`,
    );
  });
  afterAll(async () => {
    await tree?.close();
    await rm(place, { recursive: true, force: true });
  });

  const sh = (script: string): Promise<string> => tree.sh(script);
  const dpkg = (words: string): Promise<string> => sh(`dpkg ${words} 2>&1`);
  const put = async (unit: string): Promise<void> => {
    await writeFile(join(place, 'unit'), unit);
    await sh(
      `cp /in/unit ${OWN}; ln -sfn ${OWN} /etc/systemd/system/multi-user.target.wants/receiptd.service`,
    );
  };

  it('a removal stops and removes the unit of `receiptd service install`, and the package starts when it is back', async () => {
    await dpkg('-i /in/thin.deb');
    await sh('echo "{}" >/etc/receiptd/receiptd.yaml');
    await put(PACKAGED);
    await sh('systemctl start receiptd.service; systemctl is-active receiptd.service');
    expect(await dpkg('-r receiptd')).toContain(`Removed ${OWN}. After reinstalling receiptd`);
    expect(await sh('systemctl is-active receiptd.service || echo stopped')).toBe('stopped\n');
    expect(await sh(`test -f ${OWN} || echo none`)).toBe('none\n');
    await dpkg('-i /in/thin.deb');
    expect(await sh('systemctl is-enabled receiptd.service')).toBe('enabled\n');
    expect(await sh(`test -e ${OWN} || readlink -f ${OWN}`)).toBe(`${OWN}\n`);
  });

  it('is not installed over npm, whose removal would take its program along', async () => {
    await sh(
      'mkdir -p /usr/lib/node_modules/receiptd/dist; ln -s ../lib/node_modules/receiptd/dist/receiptd.cjs /usr/bin/receiptd',
    );
    const refused = await sh('dpkg -i /in/thin.deb 2>&1 || echo "status $?"');
    expect(refused).toContain(
      "receiptd: npm has already installed /usr/bin/receiptd. 'npm uninstall --global",
    );
    expect(refused).toContain('status 1');
    expect(
      await sh('readlink /usr/bin/receiptd; dpkg-query -W -f "\\${Status}" receiptd 2>&1 || true'),
    ).not.toContain('install ok installed');
    // As npm does.
    await sh('rm -r /usr/bin/receiptd /usr/lib/node_modules/receiptd');
    await dpkg('-i /in/thin.deb');
    // A link of the admin's is not npm's.
    await sh('ln -s /opt/receiptd /usr/bin/receiptd');
    await dpkg('-i /in/thin.deb');
    await sh('rm /usr/bin/receiptd');
  });

  it('a removal keeps aside what somebody wrote into that unit', async () => {
    await dpkg('-i /in/thin.deb');
    await put(`${PACKAGED}# mine\n`);
    expect(await dpkg('-r receiptd')).toContain(`kept as ${OWN}.dpkg-old`);
    expect(await sh(`tail -n 1 ${OWN}.dpkg-old; test -f ${OWN} || echo none`)).toBe('# mine\nnone\n');
    await dpkg('-P receiptd');
    expect(await sh('find /etc/systemd /var/lib/systemd -name "receiptd*"')).toBe('');
  });

  it('leaves alone the unit of another receiptd, and what that one may use', async () => {
    await dpkg('-i /in/thin.deb');
    await sh('echo "{}" >/etc/receiptd/receiptd.yaml; touch /var/lib/receiptd/credentials.json');
    await put(unitOf('/usr/local/bin/node', '/usr/local/lib/node_modules/receiptd/dist/receiptd.cjs'));
    expect(await dpkg('-r receiptd')).not.toContain('Removed /etc');
    expect(await dpkg('-P receiptd')).toContain('from outside this package. It stays');
    expect(await sh(`cat ${OWN}`)).toContain('/usr/local/bin/node');
    expect(await sh('readlink /etc/systemd/system/multi-user.target.wants/receiptd.service')).toBe(
      `${OWN}\n`,
    );
    expect(await sh('ls /etc/receiptd/receiptd.yaml /var/lib/receiptd/credentials.json')).toBeTruthy();
  });

  it('a purge takes the credentials, wherever login puts them, and a directory without a record', async () => {
    await dpkg('-i /in/thin.deb');
    await sh(`mkdir -p /etc/credstore.encrypted /etc/credstore /srv/state ${STATE}/.cache/fontconfig ${STATE}/.local/share
      for one in client_id client_secret client_id_branch client_secret_branch other; do touch /etc/credstore.encrypted/receiptd.$one; done
      touch /etc/credstore/receiptd.client_id /etc/credstore/receiptd.client_secret /etc/credstore/mail.client_id
      touch ${STATE}/credentials.json ${STATE}/credentials-branch.json
      echo 'stateDir: "/srv/state" # elsewhere' >/etc/receiptd/receiptd.yaml`);
    const said = await dpkg('-P receiptd');
    expect(said).toContain('/srv/state stays; the configuration named it (stateDir)');
    expect(said).not.toContain('record of what was sent');
    expect(await sh('ls /etc/credstore.encrypted /etc/credstore')).toBe(
      '/etc/credstore:\nmail.client_id\n\n/etc/credstore.encrypted:\nreceiptd.other\n',
    );
    expect(await sh(`ls -d ${STATE} /etc/receiptd 2>/dev/null || true`)).toBe('');
  });

  it('a purge says that the ledger stays only where there is one', async () => {
    await dpkg('-i /in/thin.deb');
    await sh(`touch ${STATE}/notes.txt`);
    const said = await dpkg('-P receiptd');
    expect(said).toContain(`Other files stay in ${STATE}.`);
    expect(said).not.toContain('ledger');
    await dpkg('-i /in/thin.deb');
    await sh(`touch ${STATE}/ledger.journal`);
    expect(await dpkg('-P receiptd')).toContain(`stay in ${STATE}`);
  });

  it('the service can use a state directory that root made before', async () => {
    await sh(`mkdir -m 700 ${STATE}`);
    await dpkg('-i /in/thin.deb');
    expect(await sh(`stat -c '%U:%G %a' ${STATE}`)).toBe('receiptd:receiptd 700\n');
  });

  it('the service can read its configuration also when the package was there before and had none', async () => {
    await dpkg('-i /in/thin.deb');
    await dpkg('-r receiptd');
    await dpkg('-i /in/thin.deb');
    expect(await sh("stat -c '%U:%G %a' /etc/receiptd")).toBe('root:receiptd 750\n');
    await sh('chown daemon /etc/receiptd');
    await dpkg('-i /in/thin.deb');
    expect(await sh("stat -c '%U' /etc/receiptd")).toBe('daemon\n');
  });

  it('takes a system user that is there without a group of its name', async () => {
    await sh(`adduser --system --quiet --home ${STATE} --no-create-home receiptd`);
    expect(await sh('getent group receiptd || echo none')).toBe('none\n');
    await dpkg('-i /in/thin.deb');
    expect(await sh(`stat -c '%U:%G' ${STATE} /etc/receiptd`)).toBe('receiptd:receiptd\nroot:receiptd\n');
    expect(await sh('runuser -u receiptd -- ls -d /etc/receiptd/.')).toBe('/etc/receiptd/.\n');
  });

  it("says in a sentence that an ordinary user's name is in its way", async () => {
    await sh('useradd --uid 1234 receiptd');
    await expect(dpkg('-i /in/thin.deb')).rejects.toThrow(/that name belongs to an ordinary user/);
    await sh('userdel receiptd');
    await dpkg('--configure receiptd');
    expect(await sh(`stat -c '%U:%G' ${STATE}`)).toBe('receiptd:receiptd\n');
  });
});
