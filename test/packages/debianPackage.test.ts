/** The Debian package's whole life, by dpkg itself and its own scripts, in a root tree that lends the machine's. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/core/domain/problem.ts';
import { SCHEMA_VERSION } from '../../src/ledger/sqlite/tables.ts';
import { cureOf } from '../../src/texts/explain.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { hasDebianTree, openDebianTree, type DebianTree } from '../support/debianTree.ts';
import { buildBmp } from '../support/handmadeImages.ts';
import { ROWS, type Row } from '../support/listRows.ts';
import { until } from '../e2e/support/agent.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const CONFIG = '/etc/receiptd/receiptd.yaml';
const STATE = '/var/lib/receiptd';
/** So many that they take half a minute at the pace of a slow service: the upgrade comes into their midst on any machine. */
const SHIPPED = 80;
const asAgent = (command: string): string => `runuser -u receiptd -- receiptd ${command} --config ${CONFIG}`;

/** Builds the package; its path. Not compressed: that is a minute of xz. */
async function build(output: string): Promise<string> {
  const script = join(ROOT, 'scripts/package-deb.mjs');
  const { stdout } = await run(process.execPath, [script, '--compression', 'none', '--output', output], {
    env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000' },
  });
  return stdout.trim();
}

/** The next version of it, which keeps its ledger in one more table. */
async function buildNewer(from: string, to: string): Promise<void> {
  const tree = `${to}.tree`;
  await run('dpkg-deb', ['-R', from, tree]);
  const control = join(tree, 'DEBIAN/control');
  await writeFile(control, (await readFile(control, 'utf8')).replace(/^Version: .*$/m, 'Version: 99.0.0-1'));
  const dist = join(tree, 'usr/lib/receiptd/dist');
  let changed = 0;
  for (const name of await readdir(dist)) {
    if (!name.endsWith('.js')) continue;
    const text = await readFile(join(dist, name), 'utf8');
    if (!text.includes(`PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`)) continue;
    const more = 'CREATE TABLE probe (id INTEGER PRIMARY KEY) STRICT;';
    const newer = text
      .replace(
        `user_version = ${SCHEMA_VERSION}; COMMIT`,
        `user_version = ${SCHEMA_VERSION + 1}; ${more} COMMIT`,
      )
      .replaceAll(
        new RegExp(`(\\bversion|\\bversionOf\\S*\\(db, path\\)) ([<>]) ${SCHEMA_VERSION}\\b`, 'g'),
        `$1 $2 ${SCHEMA_VERSION + 1}`,
      );
    await writeFile(join(dist, name), newer);
    changed += 1;
  }
  // The program's, and that of the thread which writes the ledger.
  expect(changed).toBe(2);
  const conffile = join(tree, 'etc/default/receiptd');
  await writeFile(conffile, `${await readFile(conffile, 'utf8')}\n# New in this version.\n`);
  await run('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, to]);
}

let place: string;
let tree: DebianTree;
let deb: string;

describe.skipIf(!hasDebianTree)('the Debian package', () => {
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'receiptd-deb-'));
    deb = await build(place);
    await cp(deb, join(place, 'old.deb'));
    await buildNewer(deb, join(place, 'new.deb'));
    await mkdir(join(place, 'scans'));
    await cp(join(ROOT, 'test/support/systemctl.sh'), join(place, 'systemctl'));
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

  /** Without triggers: the machine's other packages would look through all manual pages again, which takes 3 seconds each time. */
  const install = (file: string, more = ''): Promise<string> =>
    tree.sh(`DEBIAN_FRONTEND=noninteractive dpkg --force-confdef --no-triggers ${more} -i /in/${file} 2>&1`);
  const exists = async (path: string): Promise<boolean> =>
    (await tree.sh(`if [ -e ${path} ]; then echo yes; fi`)).includes('yes');
  /** What stands beside the list, such as that it is empty yet, goes to stderr, which `sh` would put behind it. */
  const list = async (): Promise<Row[]> =>
    ROWS.parse(JSON.parse(await tree.sh(`${asAgent('list --json')} 2>/dev/null`)));
  /** How many documents the running agent has brought away. */
  const accepted = async (): Promise<number> => {
    await until(() => exists(`${STATE}/control.sock`), 'the agent to be there');
    return (await list()).filter(({ state }) => state === 'accepted').length;
  };
  /** How many images the sandbox has noted: costs no process to look at, which a question to the agent does. */
  const noted = async (): Promise<number> =>
    (await tree.read('/var/tmp/box/documents.jsonl').catch(() => '')).split('\n').length - 1;
  const allAccepted = async (count: number): Promise<void> => {
    await until(async () => (await noted()) >= count, `${count} images to arrive`, 120_000);
    await until(async () => (await accepted()) === count, `${count} receipts to be accepted`);
  };
  const ledgerVersion = async (): Promise<number> =>
    (await tree.sh(`od -An -j60 -N4 -tu1 ${STATE}/ledger.db`))
      .trim()
      .split(/\s+/)
      .reduce((sum, byte) => sum * 256 + Number(byte), 0);
  /** Main process of the service; null where it does not run. */
  const pid = async (): Promise<number | null> =>
    Number(
      (await tree.sh('systemctl is-active receiptd.service && cat /run/receiptd.service.pid || true')).trim(),
    ) || null;
  const drop = async (from: number, count: number): Promise<void> => {
    for (let n = from; n < from + count; n += 1)
      await writeFile(
        join(place, 'scans', `S${n}.bmp`),
        buildBmp({ width: 8, height: 8, data: Buffer.alloc(192, n) }),
      );
    await tree.sh('cp -n /in/scans/*.bmp /srv/scans/');
  };
  /** Asks the sandbox, from within the tree. */
  const ask = (request: string, body = ''): Promise<string> => {
    const [method = '', path = ''] = request.split(' ');
    const code = `fetch('http://127.0.0.1:' + process.argv[1] + '${path}', { method: '${method}', headers: { 'content-type': 'application/json' }, ${body && `body: '${body}'`} })
      .then(async (answer) => (answer.ok ? console.log(await answer.text()) : process.exit(1)))`;
    return tree.sh(`/usr/lib/receiptd/node -e "$(cat <<'END'\n${code}\nEND\n)" $(cat /run/sandbox.port)`);
  };
  /** How many images the service has; each is there once, under one name. */
  const stored = async (): Promise<number> => {
    const documents = JSON.parse(await ask('GET /sandbox/documents')) as { name: string; sha256: string }[];
    expect(new Set(documents.map(({ sha256 }) => sha256)).size).toBe(documents.length);
    expect(new Set(documents.map(({ name }) => name)).size).toBe(documents.length);
    return documents.length;
  };

  it('is the same, byte for byte, whenever it is built', async () => {
    const again = await build(join(place, 'again'));
    const hash = async (file: string) =>
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex');
    expect(await hash(again)).toBe(await hash(deb));
    await rm(join(place, 'again'), { recursive: true });
  });

  it('installs without Node.js on the machine, makes its user, and waits for a configuration', async () => {
    expect(await tree.sh('command -v node || echo none')).toBe('none\n');
    const said = await install('old.deb');
    expect(said).toContain('README.Debian');
    expect(await tree.sh('receiptd --version')).toMatch(/^\d+\.\d+\.\d+\n$/);
    const { NODE_VERSION } = (await import(join(ROOT, 'scripts/packagedNode.mjs'))) as {
      NODE_VERSION: string;
    };
    expect(await tree.sh('/usr/lib/receiptd/node --version')).toBe(`v${NODE_VERSION}\n`);
    // SQLite's part is tried by all that follows; the keychain's may lack its library here, but fit this Node.js it must.
    const load = `try { require('/usr/lib/receiptd/node_modules/keytar'); console.log('loaded'); } catch (error) { console.log(error.message); }`;
    expect(await tree.sh(`/usr/lib/receiptd/node -e "${load}"`)).toMatch(/^loaded$|^libsecret-1\.so\.0: /m);
    expect(await tree.sh(`stat -c '%U:%G %a' ${STATE} /etc/receiptd`)).toBe(
      'receiptd:receiptd 700\nroot:receiptd 750\n',
    );
    expect(await tree.sh('getent passwd receiptd')).toMatch(/:\/usr\/sbin\/nologin\n$/);
    expect(await tree.sh('systemctl is-enabled receiptd.service')).toBe('enabled\n');
    expect(await pid()).toBeNull();
    const pages = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'));
    const shipped = await tree.sh('cd /usr/share/doc/receiptd/docs; ls -1 *.md');
    expect(shipped.trim().split('\n').sort()).toEqual(pages.sort());
    expect(await tree.sh('cd /; md5sum --quiet -c /var/lib/dpkg/info/receiptd.md5sums')).toBe('');
    expect(await tree.sh('dpkg --verify receiptd')).toBe('');
  });

  /** The commands that a document of the package shows. */
  const printed = async (name: string): Promise<string[]> => {
    const text = await tree.read(`/usr/share/doc/receiptd/${name}`);
    return [...text.matchAll(/^ {4}(\S.*)$/gm)].map(([, line = '']) => line);
  };

  it('runs as its user, set up with the commands of README.Debian as they are printed', async () => {
    await tree.sh('install -d -o receiptd /srv/scans');
    await tree.sh(
      `RECEIPTD_CLIENT_SECRET=s3 setsid receiptd sandbox --port 0 --dir /var/tmp/box --json >/run/sandbox.json 2>/run/sandbox.log </dev/null &`,
    );
    await until(async () => (await tree.sh('cat /run/sandbox.json')).includes('\n'));
    const { url } = JSON.parse(await tree.sh('cat /run/sandbox.json')) as { url: string };
    await tree.sh(`echo ${new URL(url).port} >/run/sandbox.port`);
    for (const line of await printed('README.Debian')) {
      if (line.includes('service install')) continue;
      const command = line
        .replace('https://service.example', url)
        .replace(/^editor (\S+)$/, "sed -i 's/uid: .*/uid: 11111111-1111-4111-8111-111111111111/' $1")
        .replace(/^(.* login .*)$/, 'printf "sandbox\\ns3\\n" | $1');
      await tree.sh(command);
    }
    await drop(0, 3);
    await allAccepted(3);
    expect(await tree.sh(`stat -c %U /proc/${String(await pid())}`)).toBe('receiptd\n');
    expect(await tree.sh(`readlink /proc/${String(await pid())}/exe`)).toBe('/usr/lib/receiptd/node\n');
    expect(await tree.sh(asAgent('status'))).toMatch(/Running/);
  });

  it('upgrades with receipts under way: nothing is lost or sent twice, and the ledger is brought along', async () => {
    await tree.sh('echo "# mine" >>/etc/default/receiptd');
    const before = await pid();
    await ask('PUT /sandbox/faults', '[{"kind":"delay","delayMs":3000}]');
    await drop(3, SHIPPED);
    await until(async () => (await noted()) > 3, 'the queue to move');
    await install('new.deb');
    const after = await pid();
    expect(after).not.toBe(before);
    expect(await accepted()).toBeLessThan(SHIPPED);
    await ask('DELETE /sandbox/faults');
    await allAccepted(SHIPPED + 3);
    expect(await stored()).toBe(SHIPPED + 3);
    expect(await ledgerVersion()).toBe(SCHEMA_VERSION + 1);
    expect(await exists(`${STATE}/ledger.db.aside-*Z`)).toBe(true);
    expect(await tree.sh(asAgent('ledger verify'))).toBeTruthy();
    // What the admin changed stays; what came with the package lies beside it.
    expect(await tree.read('/etc/default/receiptd')).toContain('# mine');
    expect(await tree.read('/etc/default/receiptd.dpkg-dist')).toContain('# New in this version.');
  });

  it('says what is wrong when it is taken back to a version that does not know the ledger, and leaves it alone', async () => {
    const said = await install('old.deb', '--force-downgrade');
    expect(said).toMatch(/goes back from .* to 0\.1\.0-1/);
    await until(async () => (await tree.sh('cat /run/agent.log')).includes('[LEDGER_NEWER]'));
    await until(async () => (await pid()) === null);
    expect(await ledgerVersion()).toBe(SCHEMA_VERSION + 1);
    await drop(SHIPPED + 3, 1);
    await install('new.deb');
    await tree.sh('systemctl start receiptd.service');
    await allAccepted(SHIPPED + 4);
  });

  it('goes back by the tables that were kept, and sends nothing again', async () => {
    await tree.sh('systemctl stop receiptd.service');
    await install('old.deb', '--force-downgrade');
    expect(await pid()).toBeNull();
    await tree.sh(asAgent(`restore --yes ${STATE}/ledger.db.aside-*Z`));
    expect(await ledgerVersion()).toBe(SCHEMA_VERSION);
    await tree.sh('systemctl start receiptd.service');
    await drop(SHIPPED + 4, 1);
    await allAccepted(SHIPPED + 5);
    expect(await stored()).toBe(SHIPPED + 5);
  });

  it('an upgrade starts nothing that did not run', async () => {
    await tree.sh('systemctl stop receiptd.service');
    await install('new.deb');
    expect(await pid()).toBeNull();
    await tree.sh('systemctl start receiptd.service');
    await until(async () => (await pid()) !== null);
  });

  const problems = async (): Promise<Problem[]> =>
    (JSON.parse(await tree.sh('receiptd status --json')) as { problems: Problem[] }).problems;
  const untilProblem = async (code: Problem['code']): Promise<Problem> => {
    let found: Problem | undefined;
    await until(async () => {
      found = (await problems()).find((each) => each.code === code);
      return found !== undefined;
    }, code);
    return found!;
  };
  const untilNone = (): Promise<void> => until(async () => (await problems()).length === 0, 'no problem');
  /** The commands that `status` advises about a problem. */
  const advised = async (problem: Problem): Promise<string[]> => {
    const cure = cureOf(await textsIn('en', String), problem);
    expect((await tree.sh('COLUMNS=9999 receiptd status')).replaceAll(/\s+/g, ' ')).toContain(cure);
    return [...cure.matchAll(/`((?:sudo )?receiptd [^`]+)`/g)].map(([, command = '']) => command);
  };

  it('advises commands that end its problems as they are printed', async () => {
    await tree.sh(`sed -i 's/"s3"/"replaced"/' ${STATE}/credentials.json`);
    await tree.sh('systemctl stop receiptd.service && systemctl start receiptd.service');
    await until(() => exists(`${STATE}/control.sock`), 'the agent to be there');
    await drop(SHIPPED + 5, 1);
    const [login, ...others] = await advised(await untilProblem('CREDENTIALS_REFUSED'));
    expect(others).toEqual([]);
    await tree.sh(`printf 'sandbox\ns3\n' | ${login}`);
    await untilNone();
    await allAccepted(SHIPPED + 6);
    expect(await tree.sh(`stat -c %U ${STATE}/credentials.json`)).toBe('receiptd\n');

    await tree.sh('echo text >/srv/scans/text.jpg');
    const [list = '', dismiss = ''] = await advised(await untilProblem('PERSON_NEEDED'));
    expect(await tree.sh(list)).toContain('text.jpg');
    await tree.sh(`${dismiss} --all`);
    await untilNone();
  });

  it('advises its own unit where originals are archived, which the unit of the package does not allow', async () => {
    // As ProtectSystem makes it.
    await tree.sh('mkdir /srv/archived && mount -t tmpfs -o ro none /srv/archived');
    await tree.sh(`cp -p ${CONFIG} /run/kept.yaml`);
    const folder = '  - { path: /srv/archived, endpoint: office, afterUpload: archive }';
    await tree.sh(`sed -i 's#^folders:#folders:\\n${folder}#' ${CONFIG} && receiptd reload`);
    expect(await advised(await untilProblem('FOLDER_UNWRITABLE'))).toEqual(['sudo receiptd service install']);
    const writable = (unit: string) => unit.match(/^ReadWritePaths=.*$/gm);
    const made = await tree.sh('receiptd service install --dry-run 2>&1 || true');
    expect(writable(made)).toContain('ReadWritePaths=-/srv/archived');
    expect(writable(await tree.read('/lib/systemd/system/receiptd.service'))).toEqual([
      'ReadWritePaths=-/etc/receiptd',
    ]);
    await tree.sh('mount -o remount,rw /srv/archived && chown receiptd /srv/archived && receiptd reload');
    await untilNone();
    await tree.sh(`cp -p /run/kept.yaml ${CONFIG} && receiptd reload && umount /srv/archived`);
  });

  it('says to an ordinary user what gives access, and that is all it takes', async () => {
    await tree.sh('useradd ann');
    const asAnn = 'runuser -u ann -- receiptd status';
    expect(await tree.sh(`${asAnn} 2>&1 || echo "status $?"`)).toMatch(
      /root, .*group that owns that folder .*`control\.group`.*\[CONFIG_NOT_FOUND\]\nstatus 2\n$/s,
    );
    await tree.sh(`cp -p ${CONFIG} /run/kept.yaml && printf 'control: { group: scanadmins }\\n' >>${CONFIG}`);
    await tree.sh(
      'groupadd scanadmins && usermod -aG scanadmins,receiptd ann && usermod -aG scanadmins receiptd',
    );
    await tree.sh('systemctl stop receiptd.service && systemctl start receiptd.service');
    await until(() => exists(`${STATE}/control.sock`), 'the agent to be there');
    expect(await tree.sh(asAnn)).toMatch(/^Running since/);
    await tree.sh(
      `cp -p /run/kept.yaml ${CONFIG} && systemctl stop receiptd.service && systemctl start receiptd.service`,
    );
  });

  it('leaves configuration and ledger when it is removed, and goes on when it is back', async () => {
    await tree.sh('dpkg --no-triggers -r receiptd 2>&1');
    expect(await pid()).toBeNull();
    expect(await exists('/usr/bin/receiptd')).toBe(false);
    expect(await exists('/usr/lib/receiptd')).toBe(false);
    expect(await exists(CONFIG)).toBe(true);
    expect(await exists(`${STATE}/ledger.db`)).toBe(true);
    await install('new.deb');
    await drop(SHIPPED + 6, 1);
    await allAccepted(SHIPPED + 7);
  });

  it('is purged without a trace but the record of what was sent', async () => {
    const said = await tree.sh('dpkg --no-triggers -P receiptd 2>&1');
    expect(said).toContain(`stay in ${STATE}`);
    expect(
      await tree.sh('ls -d /etc/receiptd /etc/default/receiptd* /run/receiptd.upgrade 2>/dev/null || true'),
    ).toBe('');
    expect(await tree.sh('find /etc/systemd /var/lib/systemd -name "receiptd*" 2>/dev/null')).toBe('');
    const left = (await tree.sh(`find ${STATE} -type f`)).trim().split('\n');
    for (const file of left) expect(file).toMatch(/\/(ledger\.(db|journal)\S*|backups\/\S+\.db)$/);
    expect(left).toContain(`${STATE}/ledger.db`);
    expect(left).toContain(`${STATE}/ledger.journal`);
    expect(await tree.sh('dpkg -l receiptd 2>&1 || true')).toContain('no packages found');
  });
});
