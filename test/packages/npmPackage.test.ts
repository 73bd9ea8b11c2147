/** What `npm pack` makes, installed with npm for everybody, and used by somebody who may write neither program nor project. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildBmp } from '../support/handmadeImages.ts';
import { ROWS } from '../support/listRows.ts';
import { ordinaryOwner } from '../support/ordinaryUser.ts';
import { until } from '../e2e/support/agent.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);
/** What docs/install.md says of its size. */
const LARGEST = 3_100_000;

let place: string;
let prefix: string;
let tarball: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'receiptd-npm-'));
  // Whoever it is installed for has to come through.
  await run('chmod', ['755', place]);
  prefix = join(place, 'prefix');
  const pack = ['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', place];
  const { stdout } = await run('npm', pack, { cwd: ROOT, maxBuffer: 16e6 });
  const [{ filename }] = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>) as [
    { filename: string },
  ];
  tarball = join(place, filename);
  await mkdir(join(place, 'unpacked'));
  await run('tar', ['-xzf', tarball, '-C', join(place, 'unpacked')]);
});
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  await run('chmod', ['-R', 'u+w', place]);
  await rm(place, { recursive: true, force: true });
});

async function packed(): Promise<string[]> {
  const top = join(place, 'unpacked/package');
  const entries = await readdir(top, { recursive: true, withFileTypes: true });
  return entries
    .filter((each) => each.isFile())
    .map((each) => relative(top, join(each.parentPath, each.name)));
}

describe('the npm package', () => {
  it('has the program, its settings and its papers, and nothing else', async () => {
    const files = await packed();
    const odd = files.filter(
      (file) =>
        !/^dist\/[\w.-]+\.(js|cjs|js\.map)$/.test(file) &&
        !/^dist\/console\/((app\.js|\w+-[0-9a-f]{8}\.js|app\.css)(\.br|\.gz)?|index\.html|icon\.svg)$/.test(
          file,
        ) &&
        !/^config\/[\w.-]+\.(ya?ml|json)$/.test(file) &&
        !/^docs\/([\w-]+\.md|man\/receiptd\.1)$/.test(file) &&
        ![
          'package.json',
          'README.md',
          'LICENSE',
          'CHANGELOG.md',
          'dist/LICENSES.txt',
          'dist/words.txt',
        ].includes(file),
    );
    expect(odd).toEqual([]);
    expect(files).toContain('dist/receiptd.cjs');
    expect(files).toContain('config/receiptd.schema.json');
    // What its sentences and its README tell people to read.
    for (const doc of ['README', 'setup', 'configuration', 'errors', 'audit', 'upgrading'])
      expect(files).toContain(`docs/${doc}.md`);
  });

  it('names no place of the machine that it was made on, and no registry', async () => {
    const top = join(place, 'unpacked/package');
    const places = [ROOT.replace(/\/$/, ''), join(tmpdir(), 'receiptd')];
    for (const file of await packed()) {
      const text = await readFile(join(top, file), 'utf8');
      for (const each of places) expect(text.includes(each), `${file} has ${each}`).toBe(false);
      expect(text, file).not.toMatch(/"resolved": "http/);
    }
  });

  it('is as small as the documentation says', async () => {
    expect((await stat(tarball)).size).toBeLessThan(LARGEST);
    expect(await readFile(join(ROOT, 'docs/install.md'), 'utf8')).toContain('less than 3.1 MB');
  });

  it('is installed for everybody, and takes an ordinary user from init to the first receipt', async () => {
    // Without the keychain's part, which npm may have to compile.
    const install = ['install', '--global', '--prefix', prefix, '--omit=optional', '--prefer-offline'];
    await run('npm', [...install, '--no-audit', '--no-fund', '--loglevel=error', tarball], { cwd: place });
    await run('chmod', ['-R', 'a-w', prefix]);
    const home = join(place, 'ann');
    const { uid, gid } = ordinaryOwner();
    for (const dir of [home, join(home, 'scans')]) {
      await mkdir(dir);
      await chown(dir, uid, gid);
    }
    const isRoot = process.geteuid?.() === 0;
    const env = {
      HOME: home,
      PATH: [join(prefix, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter),
      RECEIPTD_CLIENT_ID: 'sandbox',
      RECEIPTD_CLIENT_SECRET: 's3',
    };
    const become = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'];
    const command = (args: readonly string[]): [string, string[]] => {
      const [first = '', ...rest] = [...(isRoot ? become : []), 'receiptd', ...args];
      return [first, rest];
    };
    const receiptd = async (...args: string[]): Promise<string> =>
      (await run(...command(args), { cwd: home, env })).stdout;
    const start = (...args: string[]): ChildProcess => {
      const child = spawn(...command(args), { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
      children.add(child);
      child.once('close', () => children.delete(child));
      return child;
    };

    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await receiptd('--version')).toBe(`${version}\n`);
    const sandbox = start('sandbox', '--port', '0', '--dir', join(home, 'box'), '--json');
    const [line] = (await once(sandbox.stdout!, 'data')) as [Buffer];
    const { url } = JSON.parse(line.toString()) as { url: string };
    const uid4 = '11111111-1111-4111-8111-111111111111';
    await receiptd('init', '--base-url', url, '--uid', uid4, '--folder', join(home, 'scans'));
    const agent = start('run');
    const said: string[] = [];
    agent.stderr!.on('data', (chunk: Buffer) => void said.push(chunk.toString()));
    await until(() => said.join('').includes('receiptd has started'), 'the agent to start');
    await writeFile(
      join(home, 'scans/SCAN0001.bmp'),
      buildBmp({ width: 8, height: 8, data: Buffer.alloc(192, 7) }),
    );
    const rows = async () => ROWS.parse(JSON.parse(await receiptd('list', '--json')));
    await until(async () => (await rows())[0]?.state === 'accepted', 'the receipt to be accepted');
    expect(await receiptd('status', '--running')).toMatch(/Running/);
    expect(await receiptd('list')).toMatch(/SCAN0001-\w{12}/);
    agent.kill('SIGTERM');
    await once(agent, 'close');
    await expect(receiptd('status', '--running')).rejects.toMatchObject({ code: 1 });
    // Nothing was written but in the user's own home.
    expect((await stat(join(home, '.local/state/receiptd/ledger.db'))).uid).toBe(uid);
  });
});
