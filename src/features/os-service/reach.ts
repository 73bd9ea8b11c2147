import { posix } from 'node:path';
import { ReceiptdError } from '../../core/domain/errors.ts';
import { runAs, type Account } from './account.ts';
import type { HostedAgent } from './agent.ts';
import { run, shellWord } from '../../system/programs.ts';
import type { Host } from './host.ts';

/**
 * Checks, as that account, that it can run the program and read the configuration.
 * @throws ReceiptdError INSTALL_REFUSED
 */
export async function demandReach(host: Host, account: Account, agent: HostedAgent): Promise<void> {
  await demandProgram(host, account, agent);
  const { configFile } = agent;
  if (await can(host, account, '-r', configFile)) return;
  const at = await obstacle(host, account, configFile);
  throw new ReceiptdError('INSTALL_REFUSED.configurationOutOfReach', {
    user: account.name,
    file: configFile,
    at: at === configFile ? null : at,
    command: await openingCommand(host, account, configFile, at),
  });
}

/** Checks that the account, which need not exist yet, can run the program. @throws ReceiptdError INSTALL_REFUSED */
export async function demandProgram(host: Host, account: Account, { command }: HostedAgent): Promise<void> {
  for (const [index, path] of command.entries()) {
    if (await can(host, account, index === 0 ? '-x' : '-r', path)) continue;
    const at = await obstacle(host, account, path);
    throw new ReceiptdError('INSTALL_REFUSED.programOutOfReach', {
      user: account.name,
      isProgram: index === 0,
      path,
      at: at === path ? null : at,
    });
  }
}

/** Lets the account read the configuration; null if that needs a closed directory that is not receiptd's own. */
async function openingCommand(
  host: Host,
  account: Account,
  configFile: string,
  at: string,
): Promise<string | null> {
  const { stdout } = await run(['id', '-gn', '--', account.name], { env: { ...host.env } });
  const group = shellWord(stdout.trim() || String(account.gid));
  const isItsOwn = at === posix.dirname(configFile) && posix.basename(at) === 'receiptd';
  if (at !== configFile && !isItsOwn) return null;
  return `chgrp ${group} ${shellWord(at)} && chmod ${at === configFile ? '640' : '750'} ${shellWord(at)}`;
}

/** How to give the account access: commands, for `at`, the first directory that it can't enter, or to the folder itself. */
export async function folderAdvice(
  host: Host,
  account: Account,
  folder: string,
  needsWriting: boolean,
): Promise<{ readonly at: string | null; readonly commands: readonly string[] }> {
  const at = await obstacle(host, account, folder);
  const commands = [
    ...(at !== folder ? [setfacl(account, 'x', at)] : []),
    setfacl(account, needsWriting ? 'rwx' : 'rx', folder),
  ];
  return { at: at === folder ? null : at, commands };
}

function setfacl({ name }: Account, rights: string, path: string): string {
  return `setfacl -m u:${name}:${rights} ${shellWord(path)}`;
}

/** The first ancestor that the account can't enter; the path itself if it can enter all. */
async function obstacle(host: Host, account: Account, path: string): Promise<string> {
  const parts = path.split('/').slice(1, -1);
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const directory = `/${parts.slice(0, depth).join('/')}`;
    if (!(await can(host, account, '-x', directory))) return directory;
  }
  return path;
}

async function can(host: Host, account: Account, right: '-r' | '-x', path: string): Promise<boolean> {
  return (await runAs(host, account, ['test', right, path])).status === 0;
}

/** Refuses a program in the npx cache. @throws ReceiptdError INSTALL_REFUSED */
export function refuseFleetingProgram({ command }: HostedAgent): void {
  const fleeting = command.find((path) => posix.normalize(path.replaceAll('\\', '/')).includes('/_npx/'));
  if (fleeting === undefined) return;
  throw new ReceiptdError('INSTALL_REFUSED.npxCache', { path: fleeting });
}
