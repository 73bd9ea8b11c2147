import { execFile, spawnSync } from 'node:child_process';
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { HostedAgent } from '../../../src/features/os-service/agent.ts';
import { isEdited } from '../../../src/features/os-service/mark.ts';
import { systemUnit, userUnit } from '../../../src/features/os-service/systemd/unit.ts';
import { requirement } from '../../support/requires.ts';
import { anAgent } from './agents.ts';
import { tempDir } from '../../support/tempDir.ts';
import { packagedUnit } from '../../../src/features/os-service/packagedUnit.ts';
import { credentialNames, hostedAgent } from '../../../src/features/os-service/hosted.ts';
import { configIn } from '../../config/support.ts';

const run = promisify(execFile);
const hasAnalyze = requirement(
  'systemd-analyze',
  spawnSync('systemd-analyze', ['--version']).status === 0,
  'Debian package systemd',
);

/** The values of a setting, in order. */
function valuesOf(unit: string, name: string): string[] {
  return [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
}

function ofFolder(path: string, writes: string[] = [], isShared = false): HostedAgent {
  return anAgent({ folders: [{ path, writes, isShared }] });
}

describe('a system unit', () => {
  it('requires the mounts of ledger and configuration, but of no folder', () => {
    const unit = systemUnit(anAgent({ stateDir: '/mnt/data/state' }), 'receiptd');
    expect(valuesOf(unit, 'RequiresMountsFor')).toEqual(['/mnt/data/state /etc/receiptd/receiptd.yaml']);
    expect(valuesOf(unit, 'StateDirectory')).toEqual([]);
    expect(valuesOf(unit, 'ReadWritePaths')).toContain('-/mnt/data/state');
    expect(valuesOf(unit, 'Requires')).toEqual([]);
  });

  it('may write where originals are moved, but not where they are only read', () => {
    expect(valuesOf(systemUnit(ofFolder('/srv/scans'), 'receiptd'), 'ReadWritePaths')).toEqual([
      '-/etc/receiptd',
    ]);
    const moving = systemUnit(ofFolder('/srv/scans', ['/srv/scans', '/srv/old scans'], true), 'receiptd');
    expect(valuesOf(moving, 'ReadWritePaths')).toEqual([
      '-/etc/receiptd',
      '-/srv/scans',
      '"-/srv/old scans"',
    ]);
    expect(valuesOf(moving, 'UMask')).toEqual(['0022']);
  });

  it('does not make a shared directory writable because it contains the configuration', () => {
    const unit = systemUnit(anAgent({ configFile: '/etc/receiptd.yaml' }), 'receiptd');
    expect(valuesOf(unit, 'ReadWritePaths')).toEqual([]);
  });

  it.each([
    ['/srv/scans', 'yes', 'yes'],
    ['/home/anna/scans', 'read-only', 'yes'],
    ['/homes/anna', 'yes', 'yes'],
    ['/tmp/scans', 'yes', 'no'],
    ['/root', 'read-only', 'yes'],
  ])('sees the folder %s (ProtectHome=%s, PrivateTmp=%s)', (path, home, tmp) => {
    const unit = systemUnit(ofFolder(path), 'receiptd');
    expect(valuesOf(unit, 'ProtectHome')).toEqual([home]);
    expect(valuesOf(unit, 'PrivateTmp')).toEqual([tmp]);
  });

  it('sees and writes the targets of links, by every path on the way', () => {
    const folders = [{ path: '/srv/linked', writes: ['/srv/linked'], isShared: false }];
    const unit = systemUnit(
      anAgent({ folders, links: { '/srv/linked': ['/home/bob/scans', '/tmp/scans'] } }),
      'receiptd',
    );
    expect(valuesOf(unit, 'ProtectHome')).toEqual(['read-only']);
    expect(valuesOf(unit, 'PrivateTmp')).toEqual(['no']);
    expect(valuesOf(unit, 'ReadWritePaths')).toEqual(
      expect.arrayContaining(['-/srv/linked', '-/home/bob/scans', '-/tmp/scans']),
    );
  });

  it.each([
    ['/var/lib/a:b', {}],
    ['/var/lib/a b', {}],
    ['/var/lib/a%n', {}],
    ['/var/lib/linked', { '/var/lib/linked': ['/srv/state'] }],
  ])('leaves the creation of the state directory %s to the installer', (stateDir, links) => {
    const unit = systemUnit(anAgent({ stateDir, links }), 'receiptd');
    expect(valuesOf(unit, 'StateDirectory')).toEqual([]);
    expect(valuesOf(unit, 'StateDirectoryMode')).toEqual([]);
    const writes = valuesOf(unit, 'ReadWritePaths').join(' ');
    expect(writes).toContain(`-${stateDir.replaceAll('%', '%%')}`);
    for (const path of Object.values(links).flat()) expect(writes).toContain(`-${path}`);
  });

  it('passes the default state directory to the agent if it is a link', () => {
    const links = { '/var/lib/receiptd': ['/data/receiptd'] };
    const unit = systemUnit(anAgent({ links }), 'receiptd');
    expect(valuesOf(unit, 'Environment')).toEqual(['RECEIPTD_STATE_DIR=/var/lib/receiptd']);
    expect(valuesOf(unit, 'RequiresMountsFor')).toEqual([
      '/var/lib/receiptd /data/receiptd /etc/receiptd/receiptd.yaml',
    ]);
  });

  it('adds its user to the control group', () => {
    const unit = systemUnit(anAgent({ controlGroup: 'scanadmins' }), 'receiptd');
    expect(valuesOf(unit, 'SupplementaryGroups')).toEqual(['scanadmins']);
    expect(valuesOf(unit, 'SystemCallFilter')).toContain('@chown');
  });

  it.each(['/srv/a\nExecStartPre=/bin/evil', '/srv/a\rb', '/srv/a\u0000b'])(
    'is refused with the value %j',
    (path) => {
      for (const make of [
        () =>
          systemUnit(anAgent({ folders: [{ path: '/srv', writes: [path], isShared: false }] }), 'receiptd'),
        () => systemUnit(anAgent({ configFile: path }), 'receiptd'),
        () => userUnit(anAgent({ configFile: path })),
        () => systemUnit(anAgent(), path),
      ]) {
        expect(make).toThrow(expect.objectContaining({ code: 'INSTALL_REFUSED' }));
      }
    },
  );

  it('shows whether it was edited by hand', () => {
    const unit = systemUnit(anAgent(), 'receiptd');
    expect(isEdited(unit)).toBe(false);
    expect(isEdited(unit.replace('RestartSec=10', 'RestartSec=11'))).toBe(true);
    expect(isEdited(`${unit}\n# mine\n`)).toBe(true);
    expect(isEdited('[Service]\nExecStart=/usr/bin/receiptd run\n')).toBe(true);
  });
});

/** What systemd reports about a unit: the output of `verify`, and ten times the exposure. */
async function judged(unit: string, scope: 'system' | 'user'): Promise<{ words: string; exposure: number }> {
  const dir = tempDir('unit');
  // A user manager needs a directory for its sockets.
  await mkdir(join(dir, 'run'), { mode: 0o700 });
  const env = { ...process.env, XDG_RUNTIME_DIR: join(dir, 'run'), HOME: dir };
  const file = join(dir, 'receiptd.service');
  await writeFile(file, unit);
  const manager = scope === 'user' ? ['--user'] : [];
  const verified = await run('systemd-analyze', [...manager, 'verify', file], { env });
  const security = [...manager, 'security', '--offline=true', '--no-pager', file];
  const { stdout } = await run('systemd-analyze', security, { env });
  const [, exposure = ''] = /Overall exposure level for receiptd\.service: ([\d.]+)/.exec(stdout) ?? [];
  expect(exposure).not.toBe('');
  return { words: verified.stderr, exposure: Number(exposure) * 10 };
}

/** The program must exist for `verify`. A Node.js in a home directory or /tmp would make the unit open those. */
const RUNNABLE = { command: ['/bin/sh', '/usr/share/receiptd.cjs'] };

/** The exposures in docs/service.md, times ten. */
const stated = await readFile(join(import.meta.dirname, '../../../docs/service.md'), 'utf8');
const [PLAIN = 0, SHARED = 0, OWN = 0] = [
  /exposure at (\d+\.\d)/,
  /It is ([\d.]+) if files are made for people/,
  /user service is at ([\d.]+)/,
].map((words) => Number(words.exec(stated)?.[1]) * 10);

describe.skipIf(!hasAnalyze)('systemd', () => {
  it.each<[string, Partial<HostedAgent>, number]>([
    ['folders that are only read', {}, PLAIN],
    ['an archive', { folders: [{ path: '/srv/s', writes: ['/srv/s'], isShared: true }] }, SHARED],
    ['a folder in a home', { folders: [{ path: '/home/anna', writes: [], isShared: false }] }, PLAIN + 1],
    ['a control group', { controlGroup: 'adm' }, SHARED],
    [
      'names that have to be quoted',
      {
        configFile: '/etc/receiptd/a b%n"c\'d\\e$HOME;#é雪.yaml',
        folders: [{ path: '/srv/x', writes: ['/srv/50% "done" \\ $x; é'], isShared: false }],
        environment: { RECEIPTD_STATE_DIR: '/srv/st ate%i' },
        stateDir: '/var/lib/receipt d%n',
      },
      PLAIN,
    ],
  ])('finds no fault in a unit for %s', async (_, differences, exposure) => {
    const unit = systemUnit(anAgent({ ...RUNNABLE, ...differences }), 'receiptd');
    const said = await judged(unit, 'system');
    expect(said.words).toBe('');
    expect(said.exposure).toBeLessThanOrEqual(exposure);
  });

  it('finds no fault in a user unit', async () => {
    const said = await judged(userUnit(anAgent(RUNNABLE)), 'user');
    expect(said.words).toBe('');
    expect(said.exposure).toBeLessThanOrEqual(OWN);
  });

  it('finds a fault in a broken unit', async () => {
    const broken = systemUnit(anAgent(RUNNABLE), 'receiptd').replace('PrivateTmp=', 'PrivateTemp=');
    expect((await judged(broken, 'system')).words).toContain('PrivateTemp');
  });
});

it('the packaged unit waits for its configuration; a unit of `service install` for another one does not', async () => {
  const [head = ''] = packagedUnit().split('[Service]');
  expect(head).toContain('\nConditionPathExists=/etc/receiptd/receiptd.yaml\n');
  // The drop-in of the package also applies to a unit in /etc/systemd/system.
  const dropIn = await readFile(join(import.meta.dirname, '../../../packaging/debian/receiptd.conf'), 'utf8');
  expect(dropIn).not.toMatch(/^(Condition|Assert)/m);
});

const namesOf = (more: object) => credentialNames(configIn('/etc/receiptd', more));

it('a hosted agent lists the credentials of every account that systemd may store', () => {
  expect(namesOf({})).toEqual(['client_id', 'client_secret']);
  expect(namesOf({ accounts: { branch: {}, depot: { store: 'file' } } })).toEqual([
    'client_id',
    'client_secret',
    'client_id_branch',
    'client_secret_branch',
  ]);
  expect(namesOf({ credentials: { store: 'file' } })).toEqual([]);
});

it('a hosted agent lists the targets of links hop by hop, even if they are missing', async () => {
  const dir = await realpath(tempDir('links'));
  await mkdir(join(dir, 'real/in'), { recursive: true });
  await symlink('hop/in', join(dir, 'scans'));
  await symlink(join(dir, 'real'), join(dir, 'hop'));
  await symlink('/nowhere/share', join(dir, 'away'));
  await symlink('round', join(dir, 'round'));
  const config = configIn(dir, {
    folders: [
      { path: join(dir, 'scans'), afterUpload: 'archive' },
      ...['away/it', 'round', 'real'].map((name) => ({ path: join(dir, name) })),
    ],
    stateDir: join(dir, 'hop/state'),
  });
  const { links } = await hostedAgent(config, [process.execPath]);
  expect(links[join(dir, 'scans')]).toEqual([join(dir, 'hop/in'), join(dir, 'real/in')]);
  expect(links[join(dir, 'away/it')]).toEqual(['/nowhere/share/it']);
  expect(links[join(dir, 'hop/state')]).toEqual([join(dir, 'real/state')]);
  expect(links).not.toHaveProperty(join(dir, 'real'));
  expect(links[join(dir, 'round')]).toEqual([join(dir, 'round')]);
});
