import { ReceiptdError } from '../../core/domain/errors.ts';
import { DEFAULT_USER } from './agent.ts';
import { isNotInstalled, run, type Ran } from '../../system/programs.ts';
import { demand, type Host } from './host.ts';

/** A user of the operating system. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  /** The numbers of all its groups. */
  readonly groups: readonly string[];
}

/** An account with no rights beyond those of everybody (nobody/nogroup). */
export const STRANGER = { uid: 65_534, gid: 65_534, groups: ['65534'], home: '/' } as const;
/** Permissive, since directory services allow unusual names; excludes what a program would read as an option or a list. */
const USER_NAME = /^[\p{L}\p{N}_][^\s:,/\p{Cc}]*$/u;

/** @throws ReceiptdError USAGE */
export function demandUserName(name: string): void {
  if (USER_NAME.test(name)) return;
  throw new ReceiptdError('USAGE.userName', { name });
}

export function noSuchUser(name: string): ReceiptdError {
  return new ReceiptdError('INSTALL_REFUSED.noSuchUser', { name, usual: DEFAULT_USER });
}

/** Null if no account has this name. */
export async function findAccount(host: Host, name: string): Promise<Account | null> {
  const env = { ...host.env };
  // macOS has no getent; `id` supplies the fields there.
  const passwd = host.platform === 'darwin' ? null : await run(['getent', 'passwd', '--', name], { env });
  if (passwd !== null && passwd.status !== 0 && !isNotInstalled(passwd.why)) return null;
  const [uid, gid, groups] = await Promise.all(
    ['-u', '-g', '-G'].map((what) => run(['id', what, '--', name], { env })),
  );
  if (uid?.status !== 0) return null;
  return {
    name,
    uid: Number(uid.stdout),
    gid: Number(gid?.stdout),
    home: passwd?.stdout.trim().split(':')[5] || '/',
    groups: (groups?.stdout ?? '').trim().split(/\s+/),
  };
}

/** Creates a system user without password, shell or home. @throws ReceiptdError MANAGER_FAILED */
export async function createAccount(host: Host, name: string, stateDir: string): Promise<void> {
  if (host.platform !== 'linux') throw new ReceiptdError('INSTALL_REFUSED.userNotCreated', { name });
  const shell = '/usr/sbin/nologin';
  const words = [
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    stateDir,
    '--shell',
    shell,
    '--',
    name,
  ];
  await demand(['useradd', ...words], { env: { ...host.env }, creates: name });
}

/**
 * Runs a program with the rights of that account only, in `/`, without the caller's environment.
 * @throws ReceiptdError MANAGER_FAILED if the machine lacks the tools for it
 */
export async function runAs(
  host: Host,
  account: Account,
  command: readonly string[],
  {
    variables = {},
    extraGroup = null,
    limitMs,
  }: { variables?: Record<string, string>; extraGroup?: number | null; limitMs?: number } = {},
): Promise<Ran> {
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    LANG: 'C.UTF-8',
    HOME: account.home,
    ...variables,
  };
  const options = { env, cwd: '/', ...(limitMs !== undefined && { limitMs }) };
  if (host.uid === account.uid) return run(command, options);
  const groups = [...new Set([...account.groups, ...(extraGroup === null ? [] : [String(extraGroup)])])].join(
    ',',
  );
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const as =
    host.platform === 'darwin'
      ? ['sudo', '-n', '-u', account.name, 'env', '-i', ...assignments]
      : [
          'setpriv',
          `--reuid=${account.uid}`,
          `--regid=${account.gid}`,
          `--groups=${groups}`,
          '--no-new-privs',
          '--',
        ];
  const ran = await run([...as, ...command], options);
  if (!isNotInstalled(ran.why)) return ran;
  throw new ReceiptdError('MANAGER_FAILED.programMissing', { program: as[0] ?? '' });
}
