/** The Debian package's whole life, by dpkg itself and its own scripts, in a root tree that lends the machine's. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigState } from '../../src/control/protocol/protocol.ts';
import type { Problem } from '../../src/core/domain/problem.ts';
import { SCHEMA_VERSION } from '../../src/ledger/sqlite/tables.ts';
import { cureOf } from '../../src/texts/explain.ts';
import { textsIn } from '../../src/texts/texts.ts';
import { mailServer } from '../features/alerts/channels/receivers.ts';
import { hasDebianTree, openDebianTree, type DebianTree } from '../support/debianTree.ts';
import { buildBmp } from '../support/handmadeImages.ts';
import { ROWS, type Row } from '../support/listRows.ts';
import { freePort } from '../support/ports.ts';
import { hasChromium, startBrowser } from '../console/app/support/browser.ts';
import { ask as get, cookieOf, own, perform } from '../console/server/browser.ts';
import { until } from '../e2e/support/agent.ts';
import { expectInConsole, flat, wordsOf } from '../e2e/support/problemWords.ts';
import { OWN_TIME, scannedDayAndNight } from '../e2e/support/silentScanner.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const CONFIG = '/etc/receiptd/receiptd.yaml';
const STATE = '/var/lib/receiptd';
/** So many that they take half a minute at the pace of a slow service: the upgrade comes into their midst on any machine. */
const SHIPPED = 80;
const asAgent = (command: string): string => `runuser -u receiptd -- receiptd ${command} --config ${CONFIG}`;

const PASSWORD = 'correct horse battery';
const UID = '11111111-1111-4111-8111-111111111111';
const MISTYPED = '99999999-2222-4333-8444-555555555555';
const NAMES = ['gone', 'shut/scans', 'away', 'my share', 'damaged', 'spent', 'taken'];
const PLAIN = [...NAMES.map((name) => `/srv/${name}`), '/tmp/scans'];
/** What goes wrong is in this configuration, or happens to its folders. `depot`: the uid of an endpoint. */
const troubled = (baseUrl: string, depot: string): string => `
service: { baseUrl: "${baseUrl}" }
endpoints:
  office: { uid: ${UID} }
  depot: { uid: ${depot}, account: b }
  mistyped: { uid: ${MISTYPED} }
accounts: { b: {} }
language: de
intake: { takeOverAfter: 1s }
storage: { reserve: 2MB, backups: 0 }
folders:
${PLAIN.map((path) => `  - { path: ${path}, endpoint: office, settle: { long: 50ms } }`).join('\n')}
  - { path: /srv/archived, endpoint: office, afterUpload: archive }
  - { path: /srv/noted, endpoint: office, needsAttention: see here, settle: { long: 50ms } }
  - { path: /srv/depot, endpoint: depot }
  - { path: /srv/mistyped, endpoint: mistyped }
`;

interface Trouble {
  /** The code, and the subject. */
  readonly is: string;
  /** Left out: as the agent is started. */
  readonly cause?: string;
  /** What an admin does; `printed`: the commands that are advised. */
  readonly end: (printed: readonly string[]) => string;
}

/** What happens while the agent runs, and what ends it; a full disk comes last, and is ended first. */
const TROUBLES: readonly Trouble[] = [
  { is: 'FOLDER_MISSING /srv/gone', cause: 'rm -r /srv/gone', end: () => 'install -d /srv/gone' },
  {
    is: 'FOLDER_UNREADABLE /srv/shut/scans',
    cause: 'chmod 700 /srv/shut /srv/shut/scans',
    end: () => 'chmod o+rx /srv/shut/scans && chmod o+x /srv/shut',
  },
  {
    is: 'FOLDER_UNREACHABLE /srv/away',
    cause: 'umount -l /srv/away',
    end: () => 'mount --bind /run/away /srv/away',
  },
  {
    is: 'FOLDER_UNREACHABLE /srv/my share',
    cause: 'mount -t tmpfs none "/srv/my share"',
    end: ([resume = '']) => resume,
  },
  { is: 'CREDENTIALS_REFUSED b', end: ([login = '']) => `printf 'sandbox\\ns3\\n' | ${login}` },
  {
    is: 'PERSON_NEEDED /srv/damaged',
    cause: 'echo text >/srv/damaged/text.jpg',
    end: ([list = '', dismiss = '']) => `${list} | grep text.jpg && ${dismiss}`,
  },
  { is: 'FOLDER_TAKEN /srv/taken', end: () => 'kill $(cat /run/other.pid)' },
  {
    is: 'ENDPOINT_HELD mistyped',
    end: ([retry = '']) =>
      `sed -i '/^  mistyped:/d; s/endpoint: mistyped/endpoint: office/' ${CONFIG} && receiptd reload && ${retry}`,
  },
];
/** The unit of the package does not allow these. */
const OF_UNIT = [
  'ATTENTION_UNWRITABLE /srv/noted/see here',
  'FOLDER_MISSING /tmp/scans',
  'FOLDER_UNWRITABLE /srv/archived',
];

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

describe.skipIf(!hasDebianTree || !hasChromium)('the Debian package', () => {
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
       install -m 755 /in/systemctl /usr/bin/systemctl; mkdir -p /run/systemd/system
       mount --make-rshared /`,
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
    expect(await tree.sh(`readlink /proc/${String(await pid())}/exe`)).toMatch(
      /\/usr\/lib\/receiptd\/node\n$/,
    );
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

  it('lets the console save settings after setup, unless the admin says no, and takes a password for it', async () => {
    const { url } = JSON.parse(await tree.read('/run/sandbox.json')) as { url: string };
    const origin = `http://127.0.0.1:${await freePort()}`;
    const setUp = (flags: string) =>
      asAdmin(`sudo receiptd setup --yes --console-listen ${new URL(origin).host} ${flags}`);
    const session = async () => {
      await until(async () => (await get(origin).catch(() => null))?.status === 200, 'the console');
      const body = JSON.stringify({ password: PASSWORD });
      return cookieOf(await get(origin, { method: 'POST', path: '/session', headers: own(origin), body }));
    };
    const saved = async (rate: string, cookie: string) => {
      const { json } = await perform(origin, cookie, 'config');
      const { revision } = json as ConfigState;
      const edits = [{ kind: 'set', path: ['delivery', 'rate'], value: rate }];
      return perform(origin, cookie, 'changeConfig', { revision, edits });
    };
    const owners = () => tree.sh(`stat -c '%U:%G %a' /etc/receiptd ${CONFIG}`);
    await tree.sh(`systemctl stop receiptd.service; mv ${CONFIG} /run/kept.yaml; printf s3 >/run/secret`);
    await setUp(
      `--base-url ${url} --client-id sandbox --client-secret-file /run/secret --endpoint-uid ${UID} --folder /srv/scans --existing skip`,
    );
    // What the agent's user may write names no programs to root.
    await expect(asAdmin('sudo receiptd alerts test')).rejects.toThrow('[NOT_RUNNING]');
    await tree.sh('systemctl start receiptd.service');
    expect(await owners()).toBe('receiptd:receiptd 750\nreceiptd:receiptd 644\n');
    await asAdmin(`printf '${PASSWORD}\\n' | sudo receiptd console password`);
    expect((await saved('7/min', await session())).json).toMatchObject({ problem: null, restartNeeded: [] });
    expect(await tree.read(CONFIG)).toContain('rate: 7/min');
    expect(await owners()).toBe('receiptd:receiptd 750\nreceiptd:receiptd 644\n');
    expect(await tree.sh('cat /run/agent.log')).toMatch(/configApplied.*delivery\.rate/);

    await setUp('--console-saves no --service system');
    const cookie = await session();
    const { json } = await perform(origin, cookie, 'config');
    const allowing = `sudo chown receiptd: /etc/receiptd ${CONFIG}`;
    expect(json).toMatchObject({ writable: false, grantCommand: allowing });
    expect((await saved('8/min', cookie)).json).toMatchObject({ code: 'CONFIG_UNWRITABLE' });
    await asAdmin(allowing);
    expect((await perform(origin, cookie, 'config')).json).toMatchObject({
      writable: true,
      grantCommand: null,
    });
    expect((await saved('9/min', cookie)).status).toBe(200);
    expect(await tree.read(CONFIG)).toContain('rate: 9/min');
    await tree.sh(`systemctl stop receiptd.service; rm /etc/systemd/system/receiptd.service; systemctl enable receiptd.service
      mv /run/kept.yaml ${CONFIG}; chown root: ${CONFIG}; chown root:receiptd /etc/receiptd
      receiptd console password --remove; systemctl start receiptd.service`);
    await until(async () => (await pid()) !== null);
  });

  const problems = async (): Promise<Problem[]> =>
    (JSON.parse(await tree.sh('receiptd status --json 2>/dev/null')) as { problems: Problem[] }).problems;
  const named = ({ code, subject }: Problem): string => `${code} ${subject}`;
  const untilAre = async (expected: readonly string[]): Promise<void> => {
    const now = async () => (await problems()).map(named).toSorted();
    await expect.poll(now, { timeout: 60_000, interval: 500 }).toEqual(expected.toSorted());
  };
  const asAdmin = (command: string): Promise<string> => tree.sh(`sudo() { "$@"; }; ${command}`);
  const printedFor = async (problem: Problem): Promise<string[]> =>
    [...cureOf(await textsIn('en', String), problem).matchAll(/`((?:sudo )?receiptd [^`]+)`/g)].map(
      ([, command = '']) => command,
    );
  /** `status` and console word each problem, and what to do, as the catalogue does. `env`: of the commands. */
  const expectSaid = async (all: readonly Problem[], env = ''): Promise<void> => {
    const link = (await tree.sh(`${env} receiptd console --no-open`)).trim();
    const browser = await startBrowser({ url: new URL(link).origin, link: async () => link });
    for (const language of ['en', 'de'] as const) {
      const texts = await textsIn(language, String);
      const locale = language === 'de' ? 'de_DE.UTF-8' : 'en_GB.UTF-8';
      const said = flat(await tree.sh(`COLUMNS=9999 LC_ALL=${locale} ${env} receiptd status`));
      for (const piece of await wordsOf(language, all)) expect.soft(said).toContain(piece);
      for (const problem of all) expect.soft(said).toContain(cureOf(texts, problem));
      await expectInConsole(browser, language, all);
    }
    await browser.close();
  };

  it('says in two languages and by mail what is wrong, and advises commands that end it as they are printed', async () => {
    const { mails, port } = await mailServer();
    const { url } = JSON.parse(await tree.read('/run/sandbox.json')) as { url: string };
    const sent = ['gone', 'away', 'my share', 'archived', 'depot', 'mistyped'];
    for (const [n, name] of [...sent, 'spent', 'late'].entries()) {
      const data = Buffer.alloc(192, 200 + n);
      await writeFile(join(place, `${name}.bmp`), buildBmp({ width: 8, height: 8, data }));
    }
    await until(() => exists(`${STATE}/control.sock`), 'the agent to be there');
    const created = await tree.sh('receiptd endpoint create depot --json');
    await writeFile(join(place, 'wrong.yaml'), troubled(url, (JSON.parse(created) as { uid: string }).uid));
    await writeFile(
      join(place, 'other.yaml'),
      `service: { baseUrl: "${url}" }\nendpoints: { office: { uid: ${UID} } }\nfolders: [{ path: /srv/taken, endpoint: office }]\n`,
    );
    await ask('PUT /sandbox/faults', '[{"kind":"status","status":402,"nameIncludes":"spent"}]');
    // The state of before is there again when the small disk is not.
    await tree.sh(`systemctl stop receiptd.service
      cp -p ${CONFIG} /run/kept.yaml && cat /in/wrong.yaml >${CONFIG}
      cp -a ${STATE} /run/state && mount -t tmpfs -o size=48m,mode=700 state ${STATE}
      cp -a /run/state/. ${STATE} && chown receiptd: ${STATE}
      cd /srv && mkdir -p depot mistyped /run/away ${PLAIN.map((path) => `'${path}'`).join(' ')}
      install -d -o receiptd archived noted && mount --bind /run/away away
      for name in ${sent.map((name) => `'${name}'`).join(' ')}; do cp "/in/$name.bmp" "$name"; done
      printf 'sandbox\\ns3\\n' | receiptd login --account b
      sed -i 's/"s3"/"replaced"/' ${STATE}/credentials-b.json
      RECEIPTD_STATE_DIR=/run/other setsid receiptd run --config /in/other.yaml >/run/other.log 2>&1 </dev/null &
      echo $! >/run/other.pid`);
    await until(async () => (await tree.read('/run/other.log')).includes('folderWatched'));
    await tree.sh('systemctl start receiptd.service');
    const atStart = TROUBLES.filter(({ cause }) => cause === undefined).map(({ is }) => is);
    await untilAre([...OF_UNIT, ...atStart]);
    await until(async () => {
      const received = await tree.read('/var/tmp/box/documents.jsonl');
      return ['gone-', 'away-', 'my share-'].every((name) => received.includes(name));
    });
    for (const { cause } of TROUBLES) if (cause !== undefined) await tree.sh(cause);
    await tree.sh('cp /in/spent.bmp /srv/spent');
    const told = [...OF_UNIT, ...TROUBLES.map(({ is }) => is), 'ENDPOINT_BUSY office'];
    await untilAre(told);
    const email = `{ server: "smtp://127.0.0.1:${port}", from: a@example.com, to: [b@example.com] }`;
    await tree.sh(`echo 'alerts: { after: 0s, email: ${email} }' >>${CONFIG} && receiptd reload`);
    const german = await textsIn('de', String);
    // A quota that is spent is mailed after a quarter of an hour.
    const worded = (await problems()).filter(({ code }) => code !== 'ENDPOINT_BUSY');
    const cures = worded.map((problem) => flat(cureOf(german, problem)));
    const pieces = cures.flatMap((cure) => cure.split(/`[^`]*`/).map((each) => each.trim()));
    const unsent = () =>
      pieces.filter((piece) => !flat(mails.map(({ text }) => text).join('\n')).includes(piece));
    await expect.poll(unsent, { timeout: 40_000 }).toEqual([]);

    await tree.sh(`cat /dev/zero >${STATE}/junk || cp /in/late.bmp /srv/archived`);
    await untilAre([...told, 'DISK_FULL null']);
    const all = await problems();
    await expectSaid(all);
    await asAdmin(`rm ${STATE}/junk`);
    await untilAre(told);
    await ask('DELETE /sandbox/faults');
    for (const { is, end } of TROUBLES)
      await asAdmin(end(await printedFor(all.find((problem) => named(problem) === is)!)));
    expect(await tree.sh(`stat -c %U ${STATE}/credentials-b.json`)).toBe('receiptd\n');
    const moved = `ENDPOINT_GONE ${url}#${MISTYPED}`;
    await untilAre([...OF_UNIT, moved]);
    const rest = await problems();
    await expectSaid(rest);
    const [move = ''] = await printedFor(rest.find((problem) => named(problem) === moved)!);
    await asAdmin(move.replace('ALIAS', 'office'));
    const fitting = await Promise.all(
      rest.filter((problem) => OF_UNIT.includes(named(problem))).map(printedFor),
    );
    expect([...new Set(fitting.flat())]).toEqual(['sudo receiptd service install']);
    await asAdmin('sudo receiptd service install');
    await untilAre([]);
    await tree.sh('echo text >/srv/noted/text.jpg');
    const note = '/srv/noted/see here/text.jpg - why.txt';
    await until(() => exists(`'${note}'`), 'the note beside the scans');
    expect(await tree.read(note)).toContain('wurde nicht gesendet');
    await tree.sh(`systemctl stop receiptd.service; cp -p /run/kept.yaml ${CONFIG}; umount ${STATE}; umount /srv/away '/srv/my share'
      systemctl start receiptd.service`);
    await until(async () => (await pid()) !== null);
  });

  it('says that a scanner fell silent, until its next scan', async () => {
    const { url } = JSON.parse(await tree.read('/run/sandbox.json')) as { url: string };
    await scannedDayAndNight(join(place, 'quiet'), '/srv/quiet');
    const clock = (await readFile(OWN_TIME, 'utf8')).replace(/'[./]*(\/dist\/)/, "'/usr/lib/receiptd$1");
    await writeFile(join(place, 'ownTime.mjs'), clock);
    const folder = '{ path: /srv/quiet, endpoint: office, silentAfter: 1h }';
    await writeFile(
      join(place, 'quiet.yaml'),
      `service: { baseUrl: "${url}" }\nendpoints: { office: { uid: ${UID} } }\nfolders: [${folder}]\n`,
    );
    const env = 'RECEIPTD_STATE_DIR=/var/tmp/quiet';
    await tree.sh(`install -d /srv/quiet && cp -r /in/quiet /in/quiet.yaml /in/ownTime.mjs /var/tmp
      printf 'sandbox\\ns3\\n' | ${env} receiptd login --config /var/tmp/quiet.yaml
      chown -R receiptd: /var/tmp/quiet
      ${env} NODE_OPTIONS=--import=/var/tmp/ownTime.mjs setsid runuser -u receiptd -- receiptd run --config /var/tmp/quiet.yaml >/run/quiet.log 2>&1 </dev/null &`);
    await until(async () => (await tree.read('/run/quiet.log')).includes('folderWatched'));
    const pass = () => tree.sh('pkill -USR2 -u receiptd -f quiet.yaml');
    const now = async () =>
      (JSON.parse(await tree.sh(`${env} receiptd status --json 2>/dev/null`)) as { problems: Problem[] })
        .problems;
    const later = async () => {
      await pass();
      return (await now()).map(named);
    };
    await expect.poll(later, { timeout: 60_000, interval: 500 }).toEqual(['FOLDER_SILENT /srv/quiet']);
    await expectSaid(await now(), env);
    const data = Buffer.alloc(192, 250);
    await writeFile(join(place, 'at last.bmp'), buildBmp({ width: 8, height: 8, data }));
    await tree.sh('cp "/in/at last.bmp" /srv/quiet');
    await until(async () => (await tree.read('/var/tmp/box/documents.jsonl')).includes('at last'));
    await expect.poll(later, { timeout: 60_000, interval: 500 }).toEqual([]);
    await tree.sh('pkill -u receiptd -f quiet.yaml');
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
    await drop(SHIPPED + 5, 1);
    await allAccepted(SHIPPED + 6);
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
